/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOrigin;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a listener receives. That each acquisition is reported once and to its end, {@link EngineTestSupport} looks
 * after.
 */
class ListenerTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    @Test
    void aLockThatIsFree() {
        AsyncAttempt attempt = one.acquire("a");
        world.advanceMillis(300);
        attempt.close();

        assertThat(one.listener.told).containsExactly("a acquired free 0", "a ended released 300");
    }

    @Test
    void aLockThatIsPassedOnInsideTheInstance() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");
        world.advanceMillis(300);
        first.close();
        second.close();

        assertThat(one.listener.told)
                .containsExactlyInAnyOrder(
                        "a acquired free 0", "a ended released 300", "a acquired local 300", "a ended released 0");
    }

    @Test
    void aLockThatIsPassedOnByAMessage() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = two.acquire("a");
        world.advanceMillis(300);
        first.close();
        second.close();

        assertThat(two.listener.told).containsExactly("a acquired transferred 300", "a ended released 0");
    }

    @Test
    void aLockWhoseMessageIsLost() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = two.acquire("a");
        two.network.holdMessages();
        world.advanceMillis(300);
        first.close();
        world.advanceSeconds(2);
        second.close();

        assertThat(two.listener.told.get(0)).startsWith("a acquired asked ");
    }

    @Test
    void aLeaseThatWasRetained() {
        Instance keeper = world.instance("keeper", EngineSettings.DEFAULTS.withRetention(Duration.ofSeconds(1)));
        keeper.acquire("a").close();
        world.pauseMoment();
        keeper.acquire("a").close();
        world.advanceSeconds(2);

        assertThat(keeper.listener.told)
                .containsExactly(
                        "a acquired free 0", "a ended released 0", "a acquired retained 0", "a ended released 0");
    }

    @Test
    void anEntryIntoALockThatTheCallerHolds() {
        LockHandle outer = one.engine.acquire(LockRequest.of("a"));
        LockHandle inner = one.engine.acquire(LockRequest.of("a"));
        inner.close();
        outer.close();

        assertThat(one.listener.told).containsExactly("a acquired free 0", "a re-entered", "a ended released 0");
    }

    @Test
    void aLockThatIsBusy() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt once = two.tryOnce("a");
        AsyncAttempt skipping =
                two.acquire(LockRequest.of("a").noWait().origin(new LockOrigin("orders", "Orders#pay()", true)));
        AsyncAttempt cancelled = two.acquire("a");
        cancelled.cancel();
        holder.close();

        assertThat(once.failure()).isNotNull();
        assertThat(skipping.failure()).isNotNull();
        assertThat(two.listener.told)
                .containsExactly("a refused busy 0", "a refused skipped 0", "a refused cancelled 0");
    }

    @Test
    void aThreadThatIsInterrupted() {
        Thread.currentThread().interrupt();
        try {
            assertThatExceptionOfType(LockInterruptedException.class)
                    .isThrownBy(() -> one.engine.acquire(LockRequest.of("a")));
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(one.listener.told).containsExactly("a refused interrupted 0");
    }

    @Test
    void aHoldThatIsTooOld() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").maxHold(Duration.ofSeconds(1)));
        world.advanceSeconds(2);

        assertThat(one.listener.told).containsSubsequence("a acquired free 0", "a lost max-hold");
        assertThat(one.listener.told.get(2)).startsWith("a ended lost ");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(attempt::close);
    }

    @Test
    void aHoldThatIsLostWhileTheListenerReceivesItsGrant() {
        one.listener.whileAcquired = () -> world.advanceSeconds(2);
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").maxHold(Duration.ofSeconds(1)));
        one.listener.whileAcquired = () -> {};

        assertThat(one.listener.told).hasSize(3);
        assertThat(one.listener.told).startsWith("a lost max-hold", "a acquired free 0");
        assertThat(one.listener.told.get(2)).startsWith("a ended lost ");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(attempt::close);
    }

    @Test
    void aHoldThatAForcedReleaseEndsWhileTheListenerReceivesItsGrant() {
        one.listener.whileAcquired = () -> two.engine.forceRelease("a");
        LockHandle lost = one.engine.acquire(LockRequest.of("a"));
        one.listener.whileAcquired = () -> {};

        assertThat(one.listener.told).containsExactly("a lost revoked", "a acquired free 0", "a ended lost 0");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
    }

    @Test
    void aHoldThatItsReleaseFindsGone() {
        AsyncAttempt attempt = one.acquire("a");
        world.leases.forgetAll();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(attempt::close);

        assertThat(one.listener.told).containsExactly("a acquired free 0", "a lost gone", "a ended lost 0");
    }

    @Test
    void aGrantThatItsRollBackFindsGone() {
        DefaultLockHandle handle = (DefaultLockHandle) one.engine.acquire(LockRequest.of("a"));
        world.leases.forgetAll();
        Runnable rollBack = Objects.requireNonNull(handle.beginRollBack());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(rollBack::run);

        assertThat(one.listener.told).containsExactly("a acquired free 0", "a lost gone", "a ended lost 0");
    }

    @Test
    void aHoldThatItsRenewalFindsGone() {
        AsyncAttempt attempt = one.acquire("a");
        world.leases.forgetAll();
        world.advanceSeconds(10);

        assertThat(one.listener.told).contains("renewal lost", "a lost gone");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(attempt::close);
    }

    @Test
    void aListenerThatFailsChangesNothing() {
        LockListener failing = (LockListener) java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockListener.class}, (proxy, method, arguments) -> {
                    throw new IllegalStateException("on purpose");
                });
        try (LockEngine engine = toldTo(failing)) {
            LockHandle outer = engine.acquire(LockRequest.of("a"));
            engine.acquire(LockRequest.of("a")).close();
            outer.close();
            assertThat(engine.inspect("a")).isEmpty();
        }
    }

    private LockEngine toldTo(LockListener listener) {
        return TestEngine.of(new InMemoryLeaseStore(world.leases, "failing", new TestNetwork()))
                .listener(listener)
                .at(world.clock);
    }

    /** The listener of an application may be one of several, of which the others count. */
    @Test
    void aListenerThatFailsAtARenewalReceivesTheOthersOfTheBatch() {
        AtomicInteger received = new AtomicInteger();
        LockListener failing = new FailingListener(new IllegalStateException("on purpose")) {
            @Override
            public void renewed(Renewal result) {
                received.incrementAndGet();
                super.renewed(result);
            }
        };
        try (LockEngine engine = toldTo(failing);
                LockHandle first = engine.acquire(LockRequest.of("a"));
                LockHandle second = engine.acquire(LockRequest.of("b"))) {
            world.clock.advanceMillis(10_000);
            engine.runTimers();

            assertThat(first.isHeld()).isTrue();
            assertThat(second.isHeld()).isTrue();
            assertThat(received).hasValue(2);
        }
    }

    /** Code in Kotlin throws checked exceptions, and a failure may fail again when it is logged. */
    @ParameterizedTest
    @ValueSource(classes = {IOException.class, UnloggableError.class})
    void whateverAListenerThrowsChangesNothing(Class<? extends Throwable> type) throws Exception {
        Throwable failure = type.getConstructor(String.class).newInstance("on purpose");
        try (LockEngine engine = toldTo(new FailingListener(failure))) {
            CompletableFuture<LockHandle> first =
                    engine.acquireAsync(LockRequest.of("a")).toCompletableFuture();
            CompletableFuture<LockHandle> second =
                    engine.acquireAsync(LockRequest.of("a")).toCompletableFuture();
            assertThat(first).isCompleted();
            assertThat(first.join().closeAsync().toCompletableFuture()).isCompleted();
            assertThat(second).isCompleted();
            second.join().close();

            assertThat(engine.inspect("a")).isEmpty();
            assertThat(engine.locks().size()).isZero();
            assertThat(engine.timers().size()).isZero();
        }
    }

    /** What is read for the endpoint and for the exception of a busy lock. */
    @Test
    void aTraceIdThatCannotBeReadIsNone() {
        AtomicReference<LockEngine> owner = new AtomicReference<>();
        AtomicBoolean underMonitor = new AtomicBoolean();
        LockListener failing = new FailingListener(new IllegalStateException("on purpose")) {
            @Override
            public String traceId() {
                NamedLock lock = owner.get().locks().find("a");
                underMonitor.compareAndSet(false, lock != null && Thread.holdsLock(lock));
                throw new IllegalStateException("on purpose");
            }
        };
        try (LockEngine engine = toldTo(failing)) {
            owner.set(engine);
            engine.setHolderNames(
                    (name, mayRequest) -> CompletableFuture.completedFuture(String.valueOf(engine.holder(name, ""))));
            LockHandle holder = engine.acquire(LockRequest.of("a"));
            LockRequest busy = LockRequest.of("a").waitUpTo(Duration.ofMillis(50));
            CompletableFuture<LockHandle> refused = engine.acquireAsync(busy).toCompletableFuture();
            assertThat(engine.activity("one", true, true).waiting()).hasSize(1);
            world.clock.advanceMillis(50);
            engine.runTimers();
            world.clock.advanceMillis(5_000);
            engine.runTimers();
            assertThat(refused).isCompletedExceptionally();
            assertThat(refused.handle((handle, failure) -> failure).join())
                    .isInstanceOf(LockNotAcquiredException.class);
            assertThat(underMonitor).isFalse();
            holder.close();
        }
    }

    @Test
    void commandsWithoutAReply() {
        one.network.loseAnswers(1);
        AsyncAttempt attempt = one.acquire("a");
        world.advanceSeconds(1);
        attempt.close();

        assertThat(one.listener.told.get(0)).isEqualTo("acquire unknown");
    }

    /** Redis is frozen, with its connections open, and replies when the lease is over. */
    @Test
    void aRenewalWhoseReplyIsOverdue() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").lease(Duration.ofSeconds(3)));
        one.network.holdCommands();
        world.advanceMillis(2_500);
        assertThat(one.listener.told).containsExactly("a acquired free 0", "renew unknown", "renewal failed");

        world.advanceMillis(1_500);
        one.network.flow();
        one.network.held().forEach(SimulatedCall::run);

        assertThat(one.listener.told)
                .filteredOn(line -> !line.startsWith("a "))
                .containsExactly(
                        "renew unknown", "renewal failed", "renew unknown", "renewal failed", "release unknown");
        assertThat(one.listener.told).contains("a lost expired");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(attempt::close);
    }

    /** The replies to the others of its batch count, and the command has ended with the first that is given up. */
    @Test
    void aRenewalWhoseReplyIsOverdueBesideOneWhoseIsNot() {
        AsyncAttempt shorter = one.acquire(LockRequest.of("a").lease(Duration.ofSeconds(3)));
        world.advanceMillis(500);
        AsyncAttempt longer = one.acquire(LockRequest.of("b").lease(Duration.ofMillis(1_500)));
        one.network.holdCommands();
        world.advanceMillis(500);
        assertThat(one.network.held()).hasSize(1);
        one.network.flow();
        world.advanceMillis(600);
        one.network.take().run();

        assertThat(one.listener.told)
                .filteredOn(line -> line.startsWith("ren"))
                .containsExactly("renew unknown", "renewal failed");
        shorter.close();
        longer.close();
    }

    /** The interruption says nothing about Redis. */
    @Test
    void anExtensionWhoseCallerIsInterruptedCountsWithItsReply() {
        LockHandle handle = one.engine.acquire(LockRequest.of("a"));
        one.network.holdCommands();
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockInterruptedException.class)
                .isThrownBy(() -> handle.extend(Duration.ofSeconds(60)));
        assertThat(Thread.interrupted()).isTrue();
        one.network.flow();
        one.network.take().run();
        handle.close();

        assertThat(one.listener.told).containsExactly("a acquired free 0", "a ended released 0");
    }

    @Test
    void anExtensionWhoseReplyIsOverdue() {
        LockHandle handle = one.engine.acquire(LockRequest.of("a"));
        one.network.holdCommands();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> handle.extend(Duration.ofMillis(600)));
        one.network.flow();
        one.network.take().run();
        handle.close();

        assertThat(one.listener.told)
                .containsExactly("a acquired free 0", "renew unknown", "renewal failed", "a ended released 0");
    }

    @Test
    void aForcedReleaseWhoseCallerNoLongerWaits() {
        one.network.holdCommands();
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> one.engine.forceRelease("a"));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(one.listener.told).containsExactly("release unknown");

        one.network.flow();
        one.network.take().fail(Effect.REFUSED);
        assertThat(one.listener.told).containsExactly("release unknown");
    }

    @Test
    void aRequestThatIsAbandonedWithoutAReply() {
        one.network.holdCommands();
        AsyncAttempt attempt = one.acquire("a");
        one.network.flow();
        world.advanceSeconds(3);
        attempt.close();

        assertThat(one.listener.told).startsWith("acquire unknown");
    }

    @Test
    void aReleaseThatIsAbandonedWithoutAReply() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        attempt.abandon();
        one.network.flow();
        world.advanceSeconds(3);

        assertThat(one.listener.told).contains("release unknown");
    }

    /** Only the first few are in line and get a message; the others request the lock when one of these has entered. */
    @Test
    void readersThatEnterWithAnotherOneHaveRequestedTheLock() {
        AsyncAttempt writer = two.acquire("a");
        List<AsyncAttempt> readers = IntStream.range(0, 7)
                .mapToObj(i ->
                        one.acquire(LockRequest.of("a").mode(LockMode.SHARED).waitForever()))
                .toList();
        world.advanceMillis(100);
        writer.close();
        assertThat(readers).allMatch(AsyncAttempt::isGranted);

        assertThat(one.listener.told)
                .hasSize(7)
                .anyMatch(line -> line.startsWith("a acquired transferred "))
                .anyMatch(line -> line.startsWith("a acquired asked "));
        readers.forEach(AsyncAttempt::close);
    }

    @Test
    void aForcedReleaseIsACommandToo() {
        one.network.failNext(1, Effect.REFUSED);

        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> one.engine.forceRelease("a"));
        assertThat(one.listener.told).hasSize(1).allMatch(line -> line.startsWith("release "));
    }
}
