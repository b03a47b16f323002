/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.InMemoryLeaseStore.Renew;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A hold that no caller can close any more is not renewed for ever. */
class AbandonedHandleTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private static void collect(WeakReference<?> reference) {
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            System.gc();
            return reference.get() == null;
        });
    }

    private void assertThatItEndsWithItsLease() {
        world.advanceMillis(29_699);
        assertThat(world.leases.leftovers()).isNotEmpty();
        world.advanceMillis(301);

        assertThat(one.network.sent(Renew.class)).isEmpty();
        assertThat(world.leases.leftovers()).isEmpty();
        assertThat(one.engine.locks().size()).isZero();
    }

    private WeakReference<LockHandle> acquireAndForget() {
        return new WeakReference<>(one.engine.acquire(LockRequest.of("a")));
    }

    private WeakReference<LockHandle> acquireAsyncAndForget() {
        return new WeakReference<>(one.acquire("a").handle());
    }

    @Test
    void aForgottenHandleEndsWithItsLease() {
        collect(acquireAndForget());

        assertThatItEndsWithItsLease();
    }

    @Test
    void aForgottenHandleOfAnAsynchronousCallerToo() {
        collect(acquireAsyncAndForget());

        assertThatItEndsWithItsLease();
    }

    private WeakReference<LockHandle> acquireListenAndForget() {
        LockHandle handle = one.engine.acquire(LockRequest.of("a"));
        handle.onLost(() -> LockSupport.unpark(handle.isHeld() ? null : Thread.currentThread()));
        return new WeakReference<>(handle);
    }

    @Test
    void aForgottenHandleWithACallbackThatRefersToItToo() {
        collect(acquireListenAndForget());

        assertThatItEndsWithItsLease();
    }

    @Test
    void aHandleThatIsKeptIsRenewed() {
        AsyncAttempt kept = one.acquire("a");
        System.gc();

        world.advanceSeconds(60);

        assertThat(kept.isHeld()).isTrue();
        kept.close();
    }

    @Test
    void anInnerHandleKeepsTheHoldAlive() {
        WeakReference<LockHandle> outer = acquireAndForget();
        LockHandle inner = one.engine.acquire(LockRequest.of("a"));
        collect(outer);

        world.advanceSeconds(60);

        assertThat(inner.isHeld()).isTrue();
        endByLease();
        assertThat(inner.isHeld()).isFalse();
    }

    @Test
    void enteringAgainAfterTheOuterHandleWasForgottenKeepsTheHoldAlive() {
        collect(acquireAndForget());
        world.advanceSeconds(15);
        LockHandle inner = one.engine.acquire(LockRequest.of("a"));

        world.advanceSeconds(60);

        assertThat(inner.isHeld()).isTrue();
        endByLease();
        assertThat(inner.isHeld()).isFalse();
    }

    private void endByLease() {
        world.leases.forgetAll();
        world.advanceSeconds(30);
    }

    @Test
    void theHoldOfAThreadThatHasEndedEndsWithItsLease() {
        LockHandle handle = CompletableFuture.supplyAsync(
                        () -> one.engine.acquire(LockRequest.of("a")), this::runToTheEnd)
                .join();

        assertThatItEndsWithItsLease();
        assertThat(handle.isHeld()).isFalse();
    }

    @Test
    void theHoldOfAnExplicitOwnerOutlivesTheThread() {
        LockHandle handle = CompletableFuture.supplyAsync(
                        () -> one.engine.acquire(LockRequest.of("a").owner("session-7")), this::runToTheEnd)
                .join();

        world.advanceSeconds(60);

        assertThat(handle.isHeld()).isTrue();
        handle.close();
    }

    @Test
    void theHoldOfAReaderWhoseThreadHasEndedEndsWithItsLease() {
        LockHandle handle = CompletableFuture.supplyAsync(
                        () -> one.engine.acquire(LockRequest.of("a").mode(LockMode.SHARED)), this::runToTheEnd)
                .join();

        assertThatItEndsWithItsLease();
        assertThat(handle.isHeld()).isFalse();
    }

    private WeakReference<LockHandle> acquireForOwnerAndForget() {
        return new WeakReference<>(one.engine.acquire(LockRequest.of("a").owner("session-7")));
    }

    @Test
    void aForgottenHandleOfAnExplicitOwnerEndsWithItsLease() {
        collect(acquireForOwnerAndForget());

        assertThatItEndsWithItsLease();
    }

    private void runToTheEnd(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** The lease was passed on from a hold with a longer one, which others must not wait for. */
    @Test
    void aForgottenHandleEndsWithItsOwnLeaseThoughTheLeaseItGotWasLonger() {
        AsyncAttempt first = one.acquire("a");
        LockRequest shorter = LockRequest.of("a").lease(Duration.ofSeconds(3)).waitForever();
        Thread caller = new Thread(() -> one.engine.acquire(shorter));
        caller.start();
        await().until(() -> !one.engine.activity("one", true, true).waiting().isEmpty());
        world.advanceSeconds(5);
        first.close();
        await().until(() -> !caller.isAlive());

        world.advanceMillis(4_000);

        assertThat(one.network.sent(Renew.class)).hasSize(1);
        assertThat(world.leases.leftovers()).isEmpty();
        assertThat(one.engine.locks().size()).isZero();
    }

    @Test
    void callersBehindAnAbandonedHandleContinue() {
        collect(acquireAndForget());
        AsyncAttempt behind = one.acquire("a");

        world.advanceSeconds(30);

        assertThat(behind.isHeld()).isTrue();
        behind.close();
    }
}
