/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ExtensionOfSeveralLocksTests extends AbstractRedisApplicationTests {

    @Test
    void aLossThatIsIgnoredDoesNotKeepTheOtherLocksFromBeingExtended() {
        application().withBean(Work.class).run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);

            context.getBean(Work.class).run(() -> {
                LockHandle handle = LockHandle.current().orElseThrow();
                assertThat(locks.forceRelease("a")).isTrue();
                await().until(() -> !handle.isHeld());

                handle.extend(Duration.ofMinutes(10));

                assertThat(locks.inspect("b").orElseThrow().remainingLease()).isGreaterThan(Duration.ofMinutes(5));
            });
        });
    }

    static class Work {

        @DistributedLocked(key = "'a'", whenLost = WhenLost.IGNORE)
        @DistributedLocked("'b'")
        public void run(Runnable body) {
            body.run();
        }
    }
}
