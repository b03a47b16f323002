/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AcquireResultTests {

    /** The log has texts, and no names of classes, which would change with the code. */
    @Test
    void eachResultHasATextOfItsOwn() {
        List<AcquireResult> refusals = List.of(
                new AcquireResult.Busy(),
                new AcquireResult.ReentryRefused(),
                new AcquireResult.UpgradeRefused(),
                AcquireResult.shuttingDown(),
                new AcquireResult.Late(),
                new AcquireResult.Deadlock("a, b"),
                new AcquireResult.Cancelled());

        assertThat(refusals)
                .extracting(AcquireResult::outcome)
                .containsExactly(
                        "busy",
                        "re-entry refused",
                        "upgrade refused",
                        "unavailable",
                        "granted too late",
                        "deadlock",
                        "cancelled");
        assertThat(Stream.concat(refusals.stream().map(Object::getClass), Stream.of(AcquireResult.Granted.class)))
                .containsExactlyInAnyOrderElementsOf(Arrays.asList(AcquireResult.class.getPermittedSubclasses()));
    }
}
