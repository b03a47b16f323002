/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SeveralLocksTests {

    private final IOException failure = new IOException("for the test");

    private final RecordingLocks locks = new RecordingLocks() {
        @Override
        public LockHandle acquire(LockRequest request) {
            if (request.name().equals("b")) {
                throw SeveralLocksTests.<RuntimeException>unchecked(failure);
            }
            return super.acquire(request);
        }
    };

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(Throwable failure) throws T {
        throw (T) failure;
    }

    /** As code in Kotlin may throw it. */
    @Test
    void aCheckedExceptionOfOneLockReleasesTheOthers() {
        Work work = LockedProxies.by(locks).byClass(new Work());

        assertThat(catchThrowable(work::run)).hasRootCause(failure);
        assertThat(locks.requests()).extracting(LockRequest::name).isEqualTo(List.of("a"));
        assertThat(locks.events()).containsExactly("acquire", "close");
    }

    /** Two calls that both write must not run together, in whatever order the annotations are. */
    @Test
    void aNameOfTwoAnnotationsHasTheStrictestAttributesOfBoth() {
        RecordingLocks granting = new RecordingLocks();
        Work work = LockedProxies.by(granting).byClass(new Work());
        work.copy("x", "x");
        work.copyBack("x", "x");

        assertThat(granting.requests()).hasSize(2).allSatisfy(request -> {
            assertThat(request.name()).isEqualTo("x");
            assertThat(request.mode()).isEqualTo(LockMode.EXCLUSIVE);
            assertThat(request.reentrant()).isFalse();
            assertThat(request.waitUpTo()).isEqualTo(Duration.ofSeconds(1));
            assertThat(request.lease()).isEqualTo(Duration.ofSeconds(30));
            assertThat(request.maxHold()).isEqualTo(Duration.ofSeconds(50));
            assertThat(request.minHold()).isEqualTo(Duration.ofSeconds(2));
        });
    }

    @Test
    void aNameThatOneAnnotationSharesAndTheOtherDoesNotIsExclusive() {
        RecordingLocks granting = new RecordingLocks();
        LockedProxies.by(granting).byClass(new Work()).move("x", "x");

        assertThat(granting.request().mode()).isEqualTo(LockMode.EXCLUSIVE);
    }

    @Test
    void theShortestLimitOfANameIsAHardEndIfOneAnnotationSaysSo() {
        RecordingLocks granting = new RecordingLocks();
        LockedProxies.by(granting).byClass(new Work()).limited();

        assertThat(granting.request().renew()).isFalse();
        assertThat(granting.request().lease()).isEqualTo(Duration.ofSeconds(3));
        assertThat(granting.request().maxHold()).isNull();
    }

    @Test
    void theMinimumOfOneNameEndsWithTheHardEndOfAnotherAnnotation() {
        RecordingLocks granting = new RecordingLocks();
        LockedProxies.by(granting).byClass(new Work()).limitedBeforeItsMinimum();

        LockRequest request = granting.request();
        assertThat(request.renew()).isFalse();
        assertThat(List.of(request.lease(), request.minHold())).containsOnly(Duration.ofSeconds(4));
    }

    @Test
    void aHardEndIsAtMostTheLongestLease() {
        RecordingLocks granting = new RecordingLocks();
        LockedProxies.by(granting).byClass(new Work()).limitedForLong();

        assertThat(granting.request().lease()).isEqualTo(LockRequest.MAX_LEASE);
    }

    @Test
    void theAnnotationThatWaitsLessDecidesWhatABusyLockMeans() {
        Work work = LockedProxies.by(new RecordingLocks().busy()).byClass(new Work());

        assertThat(work.often()).isNull();
    }

    /** What it leaves out is a default of the locks, and so not known here. */
    @Test
    void anAnnotationWithoutAWaitHasNoEffectOnThatOfTheOtherOne() {
        RecordingLocks granting = new RecordingLocks();
        Work work = LockedProxies.by(granting).byClass(new Work());
        work.patiently();
        work.patientlyBack();
        assertThat(granting.requests())
                .hasSize(2)
                .allSatisfy(request -> assertThat(request.waitUpTo()).isNegative());

        Work busy = LockedProxies.by(new RecordingLocks().busy()).byClass(new Work());
        assertThat(catchThrowable(busy::patiently)).isInstanceOf(LockNotAcquiredException.class);
        assertThat(catchThrowable(busy::patientlyBack)).isInstanceOf(LockNotAcquiredException.class);
    }

    /** Busy is only what comes at the end of the wait. */
    @Test
    void theLossOfALockDuringTheWaitForABusyOneIsReported() {
        PromisedLocks losing = new PromisedLocks() {
            @Override
            public LockHandle acquire(LockRequest request) {
                if (request.name().equals("b")) {
                    promise().grantedHold().lose();
                    throw new LockNotAcquiredException("b", "busy", Duration.ZERO);
                }
                return super.acquire(request);
            }
        };
        Work work = LockedProxies.by(losing).byClass(new Work());

        assertThat(catchThrowable(work::skipping)).isInstanceOf(LockUnavailableException.class);
        assertThat(losing.promise().grantedHold().closed).isOne();
    }

    static class Work {

        @DistributedLocked(key = "#from", mode = LockMode.SHARED)
        @DistributedLocked(key = "#to")
        void move(String from, String to) {}

        @DistributedLocked(key = "#from", mode = LockMode.SHARED, waitUpTo = "1s", lease = "30s", maxHold = "50s")
        @DistributedLocked(key = "#to", reentrant = false, waitUpTo = "-1s", lease = "20s", minHold = "2s")
        void copy(String from, String to) {}

        @DistributedLocked(key = "#to", reentrant = false, waitUpTo = "-1s", lease = "20s", minHold = "2s")
        @DistributedLocked(key = "#from", mode = LockMode.SHARED, waitUpTo = "1s", lease = "30s", maxHold = "50s")
        void copyBack(String from, String to) {}

        @DistributedLocked(key = "'x'", renew = false, lease = "4s")
        @DistributedLocked(key = "'x'", maxHold = "3s")
        void limited() {}

        @DistributedLocked(key = "'x'", renew = false, lease = "4s")
        @DistributedLocked(key = "'x'", minHold = "6s")
        void limitedBeforeItsMinimum() {}

        @DistributedLocked(key = "'x'", renew = false)
        @DistributedLocked(key = "'x'", maxHold = "400d")
        void limitedForLong() {}

        @DistributedLocked(key = "'x'", waitUpTo = "5s")
        @DistributedLocked(key = "'x'", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        String often() {
            throw new AssertionError("called without the lock");
        }

        @DistributedLocked(key = "'x'", waitUpTo = "-1s")
        @DistributedLocked(key = "'x'", whenBusy = WhenBusy.SKIP)
        String patiently() {
            return "called";
        }

        @DistributedLocked(key = "'x'", whenBusy = WhenBusy.SKIP)
        @DistributedLocked(key = "'x'", waitUpTo = "-1s")
        String patientlyBack() {
            return "called";
        }

        @DistributedLocked("'a'")
        @DistributedLocked(key = "'b'", whenBusy = WhenBusy.SKIP)
        String skipping() {
            throw new AssertionError("called without the lock");
        }

        @DistributedLocked("'a'")
        @DistributedLocked("'b'")
        void run() {
            throw new AssertionError("called without the lock");
        }
    }
}
