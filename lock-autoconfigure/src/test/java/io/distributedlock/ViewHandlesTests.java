/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class ViewHandlesTests {

    private final ViewHandles handles = new ViewHandles();

    private static LockHandle handle() {
        return (LockHandle) Proxy.newProxyInstance(
                LockHandle.class.getClassLoader(), new Class<?>[] {LockHandle.class}, (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    @Test
    void eachThreadGetsItsOwnHandlesTheLatestFirst() throws InterruptedException {
        LockHandle first = handle();
        LockHandle second = handle();
        handles.push(first);
        handles.push(second);
        Thread other = new Thread(() -> handles.push(handle()));
        other.start();
        other.join();

        assertThat(handles.pop()).isSameAs(second);
        assertThat(handles.pop()).isSameAs(first);
        assertThat(handles.pop()).isNull();
        assertThat(handles.size()).isLessThanOrEqualTo(1);
    }

    private static void awaitCollected(WeakReference<?> handle) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return handle.refersTo(null);
        });
    }

    private static WeakReference<LockHandle> pushed(ViewHandles view) {
        LockHandle handle = handle();
        view.push(handle);
        return new WeakReference<>(handle);
    }

    @Test
    void theHandlesOfAThreadThatHasEndedAreNotKept() throws Exception {
        FutureTask<WeakReference<LockHandle>> pushing = new FutureTask<>(() -> pushed(handles));
        Thread thread = new Thread(pushing);
        thread.start();
        thread.join();

        awaitCollected(pushing.get());
        assertThat(handles.pop()).isNull();
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    void theHandlesOfAViewThatWasGarbageCollectedAreNotKept() {
        awaitCollected(pushed(new ViewHandles()));
    }

    @Test
    void theHandlesOfAThreadAndAViewThatExistAreKept() {
        WeakReference<LockHandle> kept = pushed(handles);
        awaitCollected(pushed(new ViewHandles()));

        assertThat(kept.get()).isNotNull().isSameAs(handles.pop());
    }

    @Test
    void threadsThatHaveEndedDoNotAddUp() throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            Thread thread = new Thread(() -> handles.push(handle()));
            thread.start();
            thread.join();
        }

        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return handles.size() <= 32;
        });
    }
}
