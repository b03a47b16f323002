/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What happens to several names while their caller waits for one of them. */
class LockSetWaitTests {

    private static final LockRequest BOTH = LockRequest.ofAll(List.of("a", "b")).waitForever();

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    private final LockOwner work = LockOwner.create();

    private void assertRefusedWithoutARequest(LockRequest held, LockRequest request) {
        AsyncAttempt mine = one.acquire(held);
        AsyncAttempt other = two.acquire("a");
        one.network.forgetSent();

        AsyncAttempt both = one.acquire(request);

        assertThat(both.failure())
                .isExactlyInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining("'b'")
                .hasMessageNotContaining("none of");
        assertThat(one.network.sent(AcquireCommand.class)).isEmpty();
        assertThat(mine.isHeld()).isTrue();
        other.close();
        mine.close();
    }

    @Test
    void aReaderThatMayNotEnterAgainIsNotRefusedForOtherReaders() {
        AsyncAttempt reader =
                one.acquire(LockRequest.of("b").mode(LockMode.SHARED).logicalOwner(work));

        AsyncAttempt both = one.acquire(BOTH.mode(LockMode.SHARED).reentrant(false));

        assertThat(both.isHeld()).isTrue();
        both.close();
        reader.close();
    }

    /** It waited for a first, without end if the other caller keeps it. */
    @Test
    void aReentryThatIsRefusedIsRefusedAtOnce() {
        assertRefusedWithoutARequest(
                LockRequest.of("b").logicalOwner(work), BOTH.logicalOwner(work).reentrant(false));
    }

    @Test
    void aReaderThatRequestsSeveralNamesToWriteIsRefusedAtOnce() {
        assertRefusedWithoutARequest(
                LockRequest.of("b").mode(LockMode.SHARED).logicalOwner(work), BOTH.logicalOwner(work));
    }

    @Test
    void aReaderThatMayNotEnterAgainIsRefusedAtOnce() {
        assertRefusedWithoutARequest(
                LockRequest.of("b").mode(LockMode.SHARED).logicalOwner(work),
                BOTH.mode(LockMode.SHARED).logicalOwner(work).reentrant(false));
    }

    @Test
    void anExplicitOwnerThatMayNotEnterAgainIsRefusedAtOnce() {
        assertRefusedWithoutARequest(
                LockRequest.of("b").owner("job"), BOTH.owner("job").reentrant(false));
    }

    @Test
    void aCallerThatMayEnterAgainIsNotRefused() {
        AsyncAttempt mine = one.acquire(LockRequest.of("b").logicalOwner(work));

        AsyncAttempt both = one.acquire(BOTH.logicalOwner(work));

        assertThat(both.isHeld()).isTrue();
        both.close();
        mine.close();
    }

    @Test
    void aThreadIsRefusedBeforeItWaits() {
        AsyncAttempt other = two.acquire("a");
        try (var mine = one.engine.acquire(LockRequest.of("b"))) {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> new LockSet(one.engine).acquire(BOTH.reentrant(false)))
                    .satisfies(refused -> assertThat(refused.lockName()).isEqualTo(mine.name()));
            assertThat(new LockSet(one.engine).tryAcquire(BOTH.reentrant(false)))
                    .isEmpty();
        }
        other.close();
    }

    /** It kept waiting for b, and failed at the end with the advice to renew. */
    @Test
    void aLossEndsTheWaitForTheNextNameAndNamesItsCause() {
        AsyncAttempt other = two.acquire("b");
        AsyncAttempt both = one.acquire(BOTH);
        assertThat(both.isPending()).isTrue();

        two.engine.forceRelease("a");

        assertThat(both.failure())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("'a' was lost")
                .hasMessageContaining("forced release")
                .hasCauseInstanceOf(LockLostException.class);
        assertThat(world.leases.inspect("b").orElseThrow().waitingInstances()).isZero();
        assertThat(one.listener.told).contains("b refused unavailable 0").doesNotContain("b refused cancelled 0");
        other.close();
    }

    @Test
    void aCancellationIsReportedAsOne() {
        AsyncAttempt other = two.acquire("b");
        CompletableFuture<LockHandle> both =
                new LockSet(one.engine).acquireAsync(BOTH).toCompletableFuture();

        both.cancel(false);

        assertThat(one.listener.told).contains("b refused cancelled 0");
        other.close();
    }

    /** An alert about locks that are not available counts it. */
    @Test
    void theWaitOfAThreadThatALossEndsIsReportedAsUnavailable() throws Exception {
        AsyncAttempt other = two.acquire("b");
        FutureTask<Throwable> waiting =
                new FutureTask<>(() -> catchThrowable(() -> new LockSet(one.engine).acquire(BOTH)));
        Thread caller = new Thread(waiting);
        caller.start();
        await().until(() -> caller.getState() == Thread.State.TIMED_WAITING);

        two.engine.forceRelease("a");

        assertThat(waiting.get())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("'a' was lost")
                .hasCauseInstanceOf(LockLostException.class);
        assertThat(one.listener.told).contains("b refused unavailable 0").doesNotContain("b refused cancelled 0");
        other.close();
    }

    @Test
    void aLossByTheEndOfALeaseEndsTheWaitToo() {
        AsyncAttempt other = two.acquire("b");
        AsyncAttempt both = one.acquire(BOTH.renew(false).lease(Duration.ofSeconds(1)));

        world.advanceSeconds(1);

        assertThat(both.failure())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("its lease ended without a renewal");
        other.close();
    }

    @Test
    void theMaximumTimeBeginsWithTheLastName() {
        AsyncAttempt other = two.acquire("b");
        AsyncAttempt both = one.acquire(BOTH.maxHold(Duration.ofMillis(700)));
        world.advanceMillis(1_500);
        assertThat(both.isPending()).isTrue();

        other.close();

        assertThat(both.isHeld()).isTrue();
        assertThat(both.handle().remainingLease()).isBetween(Duration.ofMillis(500), Duration.ofMillis(700));
        world.advanceMillis(690);
        assertThat(both.isHeld()).isTrue();
        for (String name : List.of("a", "b")) {
            assertThat(world.leases.inspect(name).orElseThrow().remainingLease())
                    .isLessThan(Duration.ofMillis(100));
        }
        world.advanceMillis(11);
        assertThat(both.isHeld()).isFalse();
        assertThat(catchThrowable(both::close)).hasMessageContaining("(maxHold)");
        assertThat(world.leases.inspect("a")).isEmpty();
        assertThat(world.leases.inspect("b")).isEmpty();
    }

    /** The method may still be running, and no other caller may come in between. */
    @Test
    void theOtherNamesStayHeldAfterALossUntilTheHandleIsClosed() {
        AsyncAttempt both = one.acquire(BOTH);
        two.engine.forceRelease("a");
        assertThat(both.isHeld()).isFalse();

        world.advance(EngineSettings.DEFAULTS.lease().multipliedBy(2));

        assertThat(two.tryOnce("b").failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(catchThrowable(both::close)).isInstanceOf(LockLostException.class);
        AsyncAttempt next = two.tryOnce("b");
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void anExtensionAfterALossExtendsNone() {
        AsyncAttempt both = one.acquire(BOTH);
        two.engine.forceRelease("b");

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> both.handle().extend(Duration.ofDays(1)));

        assertThat(world.leases.inspect("a").orElseThrow().remainingLease())
                .isLessThanOrEqualTo(EngineSettings.DEFAULTS.lease());
        assertThat(catchThrowable(both::close)).isInstanceOf(LockLostException.class);
    }
}
