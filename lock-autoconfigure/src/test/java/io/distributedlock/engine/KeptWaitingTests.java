/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** When an instance learns who keeps its callers waiting: once for each hold, and only if the hold lasts. */
class KeptWaitingTests implements HolderNames {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    private final List<String> told = new ArrayList<>();

    @BeforeEach
    void holders() {
        two.engine.setHolderNames(this);
    }

    @Override
    public CompletableFuture<@Nullable String> of(String lockName, boolean mayRequest) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void keptWaiting(String lockName) {
        told.add(lockName);
    }

    @Test
    void aHoldThatLastsIsLookedAtOnceWithinTwoSeconds() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt waiting = two.acquire("a");
        AsyncAttempt another = two.acquire("a");

        world.advanceMillis(800);
        assertThat(told).isEmpty();
        world.advanceMillis(1_200);
        assertThat(told).containsExactly("a");
        world.advanceSeconds(60);
        assertThat(told).hasSize(1);

        holder.close();
        waiting.close();
        another.close();
    }

    /** Each of a crowd would send a request more. */
    @Test
    void onlyTheFirstFewInLineLookAtIt() {
        AsyncAttempt holder = one.acquire("a");
        List<AsyncAttempt> waiting = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Instance instance = i == 0 ? two : world.instance("crowd" + i);
            instance.engine.setHolderNames(this);
            waiting.add(instance.acquire("a"));
        }

        world.advanceSeconds(5);

        assertThat(told).hasSize(4);
        holder.close();
        waiting.forEach(AsyncAttempt::close);
    }

    @Test
    void theNextHoldIsLookedAtAgain() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt next = one.acquire("a");
        AsyncAttempt waiting = two.acquire("a");
        world.advanceSeconds(3);

        holder.close();
        world.advanceSeconds(3);
        waiting.close();
        AsyncAttempt again = two.acquire("a");
        world.advanceSeconds(3);

        assertThat(told).containsExactly("a", "a");
        next.close();
        again.close();
    }

    /** A lock that is handed over every half second keeps many waiting, but no single hold does. */
    @Test
    void shortHoldsCostNothing() {
        for (int i = 0; i < 20; i++) {
            AsyncAttempt holder = one.acquire("a");
            AsyncAttempt waiting = two.acquire("a");
            world.advanceMillis(500);
            holder.close();
            world.advanceMillis(1);
            waiting.close();
        }
        assertThat(told).isEmpty();
    }
}
