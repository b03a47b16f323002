/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
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
        assertThat(handles.size()).isEqualTo(1);
    }

    @Test
    void threadsThatHaveEndedDoNotAddUp() throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            Thread thread = new Thread(() -> handles.push(handle()));
            thread.start();
            thread.join();
        }

        assertThat(handles.size()).isLessThanOrEqualTo(32);
    }
}
