/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.Noise;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A thread is interrupted at each stage of a hold: its flag is as documented, and nothing stays behind. */
class InterruptTests extends AbstractFaultTests {

    private static final LockRequest REQUEST = leased("interrupted", 1_500);

    /** Such a lease ends long after this test. */
    private static final LockRequest LASTING = leased("interrupted", 60_000);

    /** What a call threw, if anything, and whether its thread's flag was set when it ended. */
    private record End(@Nullable Throwable failure, boolean flag) {}

    private TestCallers.Call<End> call(Callable<?> task) {
        return callers.call(() -> {
            try {
                task.call();
                return new End(null, Thread.currentThread().isInterrupted());
            } catch (RuntimeException e) {
                return new End(e, Thread.currentThread().isInterrupted());
            }
        });
    }

    private static void assertInterrupted(TestCallers.Call<End> call) {
        Stopwatch watch = Stopwatch.start();
        call.thread().interrupt();
        End end = call.get();
        assertThat(end.failure()).isInstanceOf(LockInterruptedException.class);
        assertThat(end.flag()).isTrue();
        assertThat(watch.elapsed()).isLessThan(Noise.now());
    }

    private void assertNothingStays(RedisLockTemplate locks) {
        await().until(() -> keys().stream().noneMatch(key -> key.endsWith("}")));
        closeInTime(locks.acquire(REQUEST));
        Engines.awaitEmpty(locks, REQUEST.lease());
    }

    @Test
    void whileItConnects() {
        proxy.refuse();
        RedisLockTemplate locks = templates.on(StandaloneServer.connectionFactory(proxy.port()), Templates.IMPATIENT);
        TestCallers.Call<End> caller =
                call(() -> locks.acquire(REQUEST.waitForever())).awaitBlocked();
        assertInterrupted(caller);
        proxy.heal();
        assertNothingStays(locks);
    }

    /** The first use opens the connections: that is not given up, as others need them too, but the flag is kept. */
    @Test
    void whileItSubscribes() {
        proxy.replies().hold();
        LettuceConnectionFactory factory = StandaloneServer.connectionFactory(proxy.port());
        try (RedisLockTemplate locks = new RedisLockTemplate(factory, Templates.PREFIX, Templates.IMPATIENT)) {
            TestCallers.Call<End> caller = call(() -> locks.acquire(REQUEST.waitForever()));
            await().pollInterval(millis(1)).until(() -> proxy.requests().delivered() > 0);
            assertInterrupted(caller);
            proxy.heal();
            assertNothingStays(locks);
        } finally {
            factory.destroy();
        }
    }

    @Test
    void whileTheRequestIsUnderWay() {
        RedisLockTemplate locks = proxied(Templates.PATIENT);
        proxy.requests().hold();
        TestCallers.Call<End> caller = call(() -> locks.acquire(LASTING));
        await().pollInterval(millis(1)).until(() -> proxy.requests().pending() > 0);
        assertInterrupted(caller);
        proxy.heal();
        assertNothingStays(locks);
    }

    /** The interface has no exception for it: the try is repeated, and the flag kept. */
    @Test
    void whileAViewTriesOnce() {
        Lock view = proxied(Templates.PATIENT).asLock(LASTING);
        proxy.requests().hold();
        TestCallers.Call<End> caller = call(() -> {
            boolean locked = view.tryLock();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            view.unlock();
            return locked;
        });
        await().pollInterval(millis(1)).until(() -> proxy.requests().pending() > 0);
        caller.thread().interrupt();
        proxy.heal();

        assertThat(caller.get()).isEqualTo(new End(null, true));
    }

    @Test
    void whileItWaits() {
        RedisLockTemplate locks = proxied(Templates.PATIENT);
        try (LockHandle handle = patient().acquire(LASTING)) {
            TestCallers.Call<End> caller = call(() -> locks.acquire(LASTING.waitForever()));
            await().until(() -> locks.inspect("interrupted").orElseThrow().waitingInstances() == 1);
            assertInterrupted(caller);
            await().until(() -> locks.inspect("interrupted").orElseThrow().waitingInstances() == 0);
            assertThat(handle.isHeld()).isTrue();
        }
        assertNothingStays(locks);
    }

    /** Renewal goes on without the holder's thread, and leaves its flag alone. */
    @Test
    void whileItsLeaseIsRenewed() {
        RedisLockTemplate locks = patient();
        CompletableFuture<LockHandle> held = new CompletableFuture<>();
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        TestCallers.Call<End> holder = call(() -> {
            try (LockHandle handle = locks.acquire(leased("interrupted", 3_000))) {
                Thread.currentThread().interrupt();
                held.complete(handle);
                // An interrupt does not end this wait.
                return over.join();
            }
        });
        HoldAssertions.awaitRenewals(TestCallers.get(held), 2);
        over.complete(true);
        assertThat(holder.get()).isEqualTo(new End(null, true));
        assertNothingStays(locks);
    }

    @Test
    void whileItsLeaseIsExtended() {
        RedisLockTemplate locks = proxied(Templates.PATIENT);
        LockHandle handle = locks.acquire(LASTING);
        proxy.requests().hold();
        TestCallers.Call<End> extending = call(() -> {
            handle.extend(LASTING.lease());
            return handle;
        });
        await().pollInterval(millis(1)).until(() -> proxy.requests().pending() > 0);
        assertInterrupted(extending);
        proxy.heal();
        HoldAssertions.assertHeldFor(handle, millis(100), () -> {});
        handle.close();
        assertNothingStays(locks);
    }

    /** A release is not interruptible, as it would stay undone. */
    @Test
    void whileItReleases() {
        RedisLockTemplate locks = proxied(Templates.PATIENT);
        LockHandle handle = locks.acquire(LASTING);
        proxy.requests().hold();
        TestCallers.Call<End> closing = call(() -> {
            handle.close();
            return handle;
        });
        await().pollInterval(millis(1)).until(() -> proxy.requests().pending() > 0);
        closing.thread().interrupt();
        HoldAssertions.assertAllTheTime(
                millis(50), () -> assertThat(closing.isDone()).isFalse());
        proxy.heal();
        assertThat(closing.get()).isEqualTo(new End(null, true));
        assertNothingStays(locks);
    }

    @Test
    void beforeItBegins() {
        RedisLockTemplate locks = patient();
        TestCallers.Call<End> caller = call(() -> {
            Thread.currentThread().interrupt();
            return locks.acquire(REQUEST);
        });
        assertThat(caller.get().failure()).isInstanceOf(LockInterruptedException.class);
        assertThat(caller.get().flag()).isTrue();
        assertNothingStays(locks);
    }
}
