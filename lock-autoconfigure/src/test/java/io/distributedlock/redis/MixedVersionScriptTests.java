/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.RespClient;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Instances that keep the line in one text share locks with those that keep it place by place. */
class MixedVersionScriptTests extends AbstractScriptTests {

    private static final String FOUR = "four.secret.1";

    private RespClient listener;

    @BeforeEach
    void listen() {
        listener = listening(redis, "one", "two", "three", "four");
    }

    @AfterEach
    void close() {
        listener.close();
    }

    private static Object acquireAsBefore(String id) {
        return run("before/acquire.lua", 2, ENTRY, CANCELLED, id, "5000", "0", "1");
    }

    private static Object releaseAsBefore(String id) {
        return run("before/release.lua", 1, ENTRY, id, "0");
    }

    @Test
    void aReleaseServesTheWaitersOfAnInstanceOfThePreviousVersion() {
        acquire(ONE, "5000");
        acquireAsBefore(TWO);
        acquire(THREE, "5000");
        acquireAsBefore(FOUR);
        assertThat(((List<?>) renew(ONE, "5000")).get(2)).as("waiting").isEqualTo(2L);

        run("release.lua", 1, ENTRY, ONE, "0");

        assertThat(field("o")).isEqualTo(THREE);
        assertThat(line()).isEqualTo(TWO + " 5000 ;" + FOUR + " 5000 ;");
        acquireAsBefore(TWO);
        run("release.lua", 1, ENTRY, THREE, "0");
        assertThat(field("o")).isEqualTo(TWO);
        assertThat(line()).isEqualTo(FOUR + " 5000 ;");
    }

    @Test
    void aReleaseByTheVersionBeforeFreesALockThatOnlyNewInstancesWaitFor() {
        acquireAsBefore(ONE);
        acquire(TWO, "5000");

        releaseAsBefore(ONE);

        assertThat(isFree()).isTrue();
        assertThat(acquire(TWO, "5000")).isInstanceOf(String.class);
    }

    @Test
    void aReleaseByTheVersionBeforeLeavesTheNewInstancesInLine() {
        acquire(ONE, "5000");
        acquire(TWO, "5000");
        acquireAsBefore(THREE);

        releaseAsBefore(ONE);

        assertThat(field("o")).isEqualTo(THREE);
        assertThat(line()).isEqualTo(TWO + " 5000 ;");
        run("release.lua", 1, ENTRY, THREE, "0");
        assertThat(field("o")).isEqualTo(TWO);
        assertThat(client.list("HKEYS", ENTRY)).containsExactlyInAnyOrder("o", "t", "l");
    }

    @Test
    void anInstanceOfEitherVersionDoesNotEnterALockOfTheOther() {
        acquire(ONE, "5000");
        assertThat(((List<?>) acquireAsBefore(TWO)).get(0)).isEqualTo(0L);
        assertThat(run("before/renew.lua", 1, ENTRY, TWO, "5000", "0", "0").toString())
                .startsWith("[0, ");
        assertThat(releaseAsBefore(FOUR).toString()).startsWith("[-1, ");
        assertThat(field("o")).isEqualTo(ONE);
        releaseAsBefore(ONE);
        assertThat(field("o")).isEqualTo(TWO);
        assertThat(((List<?>) acquire(THREE, "5000")).get(0)).isEqualTo(0L);
        assertThat(release(ONE, "0", "").toString()).startsWith("[-1, ");
    }
}
