/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many readers or one writer. */
class SharedLockTests {

    private static final LockRequest WRITE = LockRequest.of("a").waitForever();

    private static final LockRequest READ = WRITE.mode(LockMode.SHARED);

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    private final Instance three = world.instance("three");

    @AfterEach
    void noWaiterIsLeftInLine() {
        assertThat(one.engine.locks().ownersInLine().isEmpty()).isTrue();
        assertThat(one.engine.locks().readers().of("a")).isEmpty();
    }

    @Test
    void readersOfAnyInstanceHoldTogetherAndAWriterComesAfterTheLastOfThem() {
        AsyncAttempt here = one.acquire(READ);
        AsyncAttempt beside = one.acquire(READ);
        AsyncAttempt there = two.acquire(READ);
        AsyncAttempt writer = two.acquire(WRITE);

        assertThat(List.of(here, beside, there)).allMatch(AsyncAttempt::isHeld);
        here.close();
        there.close();
        assertThat(writer.isPending()).isTrue();
        beside.close();

        assertThat(writer.isHeld()).isTrue();
        assertThat(writer.token()).isGreaterThan(here.token()).isGreaterThan(there.token());
        writer.close();
    }

    @Test
    void aWriterKeepsReadersOutInItsOwnInstanceToo() {
        AsyncAttempt writer = one.acquire(WRITE);
        AsyncAttempt here = one.acquire(READ);
        AsyncAttempt there = two.acquire(READ);

        assertThat(here.isPending() && there.isPending()).isTrue();
        assertThat(one.acquire(READ.noWait()).failure()).isInstanceOf(LockNotAcquiredException.class);
        writer.close();

        assertThat(here.isHeld() && there.isHeld()).isTrue();
        assertThat(here.token()).isGreaterThan(writer.token());
        here.close();
        there.close();
    }

    @Test
    void readersThatKeepComingDoNotPassAWriterThatWaits() {
        AsyncAttempt reading = one.acquire(READ);
        AsyncAttempt writer = two.acquire(WRITE);
        AsyncAttempt late = one.acquire(READ);
        AsyncAttempt later = three.acquire(READ);

        world.advanceSeconds(5);
        assertThat(late.isPending() && later.isPending()).isTrue();
        assertThat(one.acquire(READ.noWait()).failure()).isInstanceOf(LockNotAcquiredException.class);
        reading.close();
        assertThat(writer.isHeld()).isTrue();
        writer.close();

        assertThat(late.isHeld() && later.isHeld()).isTrue();
        late.close();
        later.close();
    }

    @Test
    void readersEnterTogetherAlthoughWritersWaitBetweenThem() {
        AsyncAttempt writer = one.acquire(WRITE);
        AsyncAttempt first = one.acquire(READ);
        AsyncAttempt between = two.acquire(WRITE);
        AsyncAttempt second = three.acquire(READ);
        writer.close();

        assertThat(first.isHeld() && second.isHeld()).isTrue();
        assertThat(first.token()).isNotEqualTo(second.token());
        assertThat(between.isPending()).isTrue();
        first.close();
        second.close();
        assertThat(between.isHeld()).isTrue();
        between.close();
    }

    @Test
    void readersBehindAWriterThatLeavesEnterAtOnce() {
        AsyncAttempt reading = one.acquire(READ);
        AsyncAttempt writer = two.acquire(WRITE);
        AsyncAttempt behind = three.acquire(READ);
        AsyncAttempt besides = two.acquire(READ);
        assertThat(behind.isPending()).isTrue();

        writer.cancel();

        assertThat(behind.isHeld() && besides.isHeld()).isTrue();
        for (AsyncAttempt each : List.of(reading, behind, besides)) {
            each.close();
        }
    }

    @Test
    void readersBehindAWriterWhoseInstanceIsDeadEnterWithTheirNextRequest() {
        AsyncAttempt reading = one.acquire(READ);
        AsyncAttempt writer = two.acquire(WRITE);
        AsyncAttempt behind = three.acquire(READ);
        two.network.disconnect();

        world.advanceSeconds(2);

        assertThat(behind.isHeld()).isTrue();
        two.reconnect();
        assertThat(writer.isPending()).isTrue();
        assertThat(one.acquire(READ.noWait()).failure()).isInstanceOf(LockNotAcquiredException.class);
        reading.close();
        behind.close();
        world.advanceSeconds(2);
        assertThat(writer.isHeld()).isTrue();
        writer.close();
    }

    @Test
    void manyReadersOfOneInstanceEnterTogetherAndNoneThatCameLater() {
        AsyncAttempt writing = two.acquire(WRITE);
        List<AsyncAttempt> crowd =
                IntStream.range(0, 100).mapToObj(i -> one.acquire(READ)).toList();
        AsyncAttempt next = three.acquire(WRITE);
        assertThat(world.leases.inspect("a").orElseThrow().waitingInstances()).isEqualTo(QueuedOwners.IN_LINE + 1);

        writing.close();

        assertThat(crowd).allMatch(AsyncAttempt::isHeld);
        AsyncAttempt late = one.acquire(READ);
        world.advanceSeconds(3);
        assertThat(late.isPending()).isTrue();
        crowd.forEach(AsyncAttempt::close);
        assertThat(next.isHeld()).isTrue();
        next.close();
        assertThat(late.isHeld()).isTrue();
        late.close();
    }

    /** ServerReplies come one by one, and places in line become free meanwhile. */
    @Test
    void aReaderThatComesWhileOthersEnterWaitsBehindTheWriter() {
        AsyncAttempt writing = two.acquire(WRITE);
        List<AsyncAttempt> crowd =
                IntStream.range(0, 12).mapToObj(i -> one.acquire(READ)).toList();
        AsyncAttempt next = three.acquire(WRITE);
        one.network.holdCommands();
        writing.close();
        AsyncAttempt late = one.acquire(READ);

        while (!one.network.held().isEmpty()) {
            one.network.take().run();
        }
        one.network.flow();

        assertThat(crowd).allMatch(AsyncAttempt::isHeld);
        assertThat(late.isPending()).isTrue();
        crowd.forEach(AsyncAttempt::close);
        assertThat(next.isHeld()).isTrue();
        next.close();
        assertThat(late.isHeld()).isTrue();
        late.close();
    }

    @Test
    void aReaderEntersAgainWithoutACommandWhileAWriterWaits() {
        LockOwner caller = LockOwner.create();
        LockHandle outer = one.engine.acquire(READ.logicalOwner(caller));
        AsyncAttempt writer = two.acquire(WRITE);
        one.network.forgetSent();

        LockHandle inner = one.engine.acquire(READ.logicalOwner(caller.nested()));

        assertThat(one.network.sent()).isEmpty();
        assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
        inner.close();
        assertThat(outer.isHeld()).isTrue();
        outer.close();
        assertThat(writer.isHeld()).isTrue();
        writer.close();
    }

    @Test
    void aWriterEntersItsLockToReadAndToWriteWithin() {
        LockHandle outer = one.engine.acquire(WRITE);
        LockHandle reading = one.engine.acquire(READ);
        LockHandle writing = one.engine.acquire(WRITE);

        assertThat(List.of(reading, writing)).allMatch(LockHandle::isHeld);
        outer.close();
        assertThat(two.acquire(READ.noWait()).failure()).isInstanceOf(LockNotAcquiredException.class);
        writing.close();
        reading.close();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aReaderThatWantsToWriteIsRefusedAtOnceAndKeepsReading() {
        LockHandle reading = one.engine.acquire(READ);

        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() -> one.engine.acquire(WRITE))
                .withMessageContaining("SHARED")
                .withMessageContaining("wait for itself")
                .withMessageContaining("Close the shared hold");
        assertThat(one.engine.tryAcquire(WRITE)).isEmpty();

        assertThat(reading.isHeld()).isTrue();
        reading.close();
        one.engine.acquire(WRITE).close();
    }

    @Test
    void asynchronousWorkThatReadsIsRefusedToWriteThroughTheStage() {
        LockOwner caller = LockOwner.create();
        AsyncAttempt reading = one.acquire(READ.logicalOwner(caller));

        AsyncAttempt writing = one.acquire(WRITE.logicalOwner(caller.nested()));

        assertThat(writing.failure())
                .isInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining("SHARED");
        reading.close();
    }

    @Test
    void aNestedReadThatIsNotReentrantIsRefusedInEitherMode() {
        for (LockRequest outer : List.of(READ, WRITE)) {
            LockHandle held = one.engine.acquire(outer);

            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> one.engine.acquire(READ.reentrant(false)))
                    .withMessageContaining("not re-entrant");
            held.close();
        }
    }

    @Test
    void allReadersLearnThatTheLockWasTakenByForce() {
        AsyncAttempt here = one.acquire(READ);
        AsyncAttempt there = two.acquire(READ);
        AsyncAttempt writer = three.acquire(WRITE);

        one.engine.forceRelease("a");

        assertThat(here.isHeld() || there.isHeld()).isFalse();
        assertThat(writer.isHeld()).isTrue();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(here::close);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(there::close);
        writer.close();
    }

    @Test
    void aDeadReaderIsInTheWayOfAWriterForOneLeaseAfterTheLastLivingOne() {
        AsyncAttempt dead = two.acquire(READ.renew(false));
        two.network.disconnect();
        AsyncAttempt reading = one.acquire(READ);
        AsyncAttempt writer = three.acquire(WRITE);
        world.advanceSeconds(60);
        assertThat(dead.isHeld()).isFalse();
        reading.close();
        world.advanceSeconds(15);
        assertThat(writer.isPending()).isTrue();

        world.advanceSeconds(16);

        assertThat(writer.isHeld()).isTrue();
        two.reconnect();
        writer.close();
    }

    @Test
    void aReaderThatIsNotRenewedLosesItsHoldAloneAndLetsTheWriterIn() {
        AsyncAttempt brief = one.acquire(READ.lease(Duration.ofSeconds(3)).renew(false));
        AsyncAttempt reading = two.acquire(READ);
        AsyncAttempt writer = three.acquire(WRITE);
        world.advanceSeconds(4);
        assertThat(brief.isHeld()).isFalse();
        assertThat(reading.isHeld()).isTrue();

        reading.close();

        assertThat(writer.isHeld()).isTrue();
        writer.close();
    }

    @Test
    void readersAndWritersOfOneInstanceHaveTheirTurns() {
        AsyncAttempt first = one.acquire(WRITE);
        List<AsyncAttempt> writers = new ArrayList<>();
        for (int i = 0; i < 90; i++) {
            writers.add(one.acquire(WRITE));
        }
        AsyncAttempt reader = one.acquire(READ);
        first.close();
        int passes = 0;
        while (!reader.isGranted()) {
            writers.get(passes++).close();
        }

        assertThat(passes).isLessThanOrEqualTo(33);
        AsyncAttempt late = one.acquire(READ);
        assertThat(late.isPending()).isTrue();
        reader.close();
        while (!late.isGranted()) {
            writers.get(passes++).close();
        }
        late.close();
        for (AsyncAttempt writer : writers.subList(passes, writers.size())) {
            writer.close();
        }
    }

    @Test
    void aReaderThatLeavesTheLineIsForgotten() {
        AsyncAttempt writer = two.acquire(WRITE);
        AsyncAttempt leaving = one.acquire(READ);
        leaving.cancel();

        assertThat(world.leases.inspect("a").orElseThrow().waitingInstances()).isZero();
        writer.close();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    /** Each of the releases could be the only cause of the reply, but only those that had begun by then may be. */
    @Test
    void releasesThatBeginLaterDoNotPostponeTheDecisionOnACallerThatTriesOnce() {
        AsyncAttempt there = two.acquire(READ);
        AsyncAttempt first = one.acquire(READ);
        AsyncAttempt second = one.acquire(READ);
        one.network.holdCommands();
        first.handle().closeAsync();
        SimulatedCall<?> release = one.network.take();
        AsyncAttempt attempt = one.acquire(WRITE.noWait());
        one.network.take().execute().answer();
        assertThat(attempt.isPending()).isTrue();
        world.advanceMillis(1);
        second.handle().closeAsync();
        SimulatedCall<?> later = one.network.take();

        release.execute().answer();
        one.network.take().execute().answer();

        assertThat(attempt.failure()).isInstanceOf(LockNotAcquiredException.class);
        later.execute().answer();
        one.network.flow();
        there.close();
    }
}
