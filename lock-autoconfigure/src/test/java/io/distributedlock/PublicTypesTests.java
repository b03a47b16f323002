/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What each package shows to applications and to other packages. A new name in the first three is a promise to
 * applications; the page about upgrading says what the others are.
 */
class PublicTypesTests {

    private static final String PUBLIC_TYPES = """
            io.distributedlock
              DistributedLockException FleetReport HoldReport InstanceReport LockActivity LockAssert LockAvailability
              LockCallback LockDeadlockEvent LockDeadlockException LockEvent LockHandle LockInterruptedException
              LockKeyGenerator LockListener LockLostEvent LockLostException LockMode LockMonitor LockNames
              LockNotAcquiredException LockOperations LockOrigin LockOwner LockReleaseUnconfirmedException LockRequest
              LockScope LockState LockUnavailableException LongHoldEvent LongWaitEvent ReleaseResult
              ServerClockSetBackEvent
            io.distributedlock.annotation
              DistributedLocked WhenBusy WhenLost
            io.distributedlock.reactive
              LockThreadLocalAccessor ReactiveLocks SubscriberObservation
            io.distributedlock.actuate
              InstanceLabel LocksEndpoint LocksHealthIndicator
            io.distributedlock.autoconfigure
              DistributedLockAutoConfiguration DistributedLockEndpointAutoConfiguration
              DistributedLockHealthAutoConfiguration DistributedLockMetricsAutoConfiguration
              DistributedLockObservationAutoConfiguration DistributedLockProperties
            io.distributedlock.interceptor
              DistributedLockAdvisor DistributedLockValidator InvalidLockedMethodException
            io.distributedlock.observation
              DefaultLockObservationConvention LockGauges LockMetrics LockObservationContext
              LockObservationConvention LockObservations PeriodicWatch SlowLockWatch
            io.distributedlock.redis
              RedisLockTemplate UnsupportedTopologyException
            io.distributedlock.transaction
              CommitGuard CommitGuardInstaller LockReleaseSynchronization OwnTransaction ReactiveCommitGuard
              ReactiveTransactions TransactionalHold
            io.distributedlock.composite
              AwaitedRelease BlockingJointRelease CompositeLockHandle KnownRefusals LossReaction LostPart
              ReleaseStages SequentialAcquisition StageFailures
            io.distributedlock.engine
              DeadlockSearch EngineSettings HolderNames LeaseStore LeaseStoreException LockEngine LockSet NanoClock
            """;

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("io/distributedlock/testing"))
            .importPackages("io.distributedlock");

    @Test
    void areAList() {
        assertThat(MAIN.that(describe("public top-level types", PublicTypesTests::isShown)))
                .extracting(JavaClass::getName)
                .containsExactlyInAnyOrderElementsOf(listed());
    }

    private static boolean isShown(JavaClass type) {
        return type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC);
    }

    private static List<String> listed() {
        List<String> names = new ArrayList<>();
        String in = "";
        for (String line : PUBLIC_TYPES.split("\n")) {
            if (!line.startsWith(" ")) {
                in = line;
                continue;
            }
            for (String type : line.trim().split(" ")) {
                names.add(in + "." + type);
            }
        }
        return names;
    }
}
