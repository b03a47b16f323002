/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Actions that the timer's thread does for others. */
class HandedOverActionsTests {

    private final ManualClock clock = ManualClock.startingAt(0);

    private boolean fails;

    private final LockEngine engine = TestEngine.of(new OneReplyStore()).at(() -> {
        if (fails) {
            fails = false;
            throw new OutOfMemoryError("for the test");
        }
        return clock.nanos();
    });

    private final List<String> done = new ArrayList<>();

    @Test
    void remainHandedOverIfTheThreadFailsAmongThem() {
        engine.context().doLater(() -> done.add("first"));
        engine.context().doLater(() -> done.add("second"));
        fails = true;
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(engine::runTimers);
        engine.context().doLater(() -> done.add("third"));

        engine.runTimers();

        assertThat(done).containsExactlyInAnyOrder("first", "second", "third");
    }
}
