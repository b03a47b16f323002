/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockRequest;
import org.junit.jupiter.api.Test;

/** The delivery of a grant fails, for lack of stack for example, and the timer's thread repeats it. */
class FailedDeliveryTests {

    private final ManualClock clock = ManualClock.startingAt(0);

    private final SharedLeases leases = new SharedLeases(clock);

    private boolean fails;

    private final LockEngine engine = TestEngine.of(new InMemoryLeaseStore(leases, "one", new TestNetwork()))
            .callbacks(this::runUnlessItFails)
            .at(clock);

    private void runUnlessItFails(Runnable callback) {
        if (fails) {
            fails = false;
            throw new StackOverflowError("for the test");
        }
        callback.run();
    }

    @Test
    void theGrantIsStillThatOfItsCaller() {
        AsyncAttempt before = acquire();
        AsyncAttempt granted = acquire();
        AsyncAttempt next = acquire();
        fails = true;
        before.abandon();
        assertThat(granted.isPending()).isTrue();

        engine.runTimers();

        assertThat(granted.isGranted()).isTrue();
        assertThat(granted.isHeld()).isTrue();
        assertThat(next.isPending()).isTrue();
        granted.close();
        next.close();
        assertThat(leases.leftovers()).isEmpty();
    }

    private AsyncAttempt acquire() {
        return new AsyncAttempt(engine, LockRequest.of("a").waitForever());
    }
}
