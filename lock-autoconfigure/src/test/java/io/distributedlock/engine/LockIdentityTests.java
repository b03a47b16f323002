/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Different names are different locks, and one name is one lock. */
class LockIdentityTests {

    private static final int OTHERS = 200_000;

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    /** A cache of lock objects threw out one that was in use; the next caller made a second one for the same name. */
    @Test
    void otherNamesDoNotMakeASecondLockOfOneThatIsHeld() {
        Map<String, LockHandle> held = new LinkedHashMap<>();
        for (int i = 0; i < 100; i++) {
            held.put("held-" + i, one.engine.acquire(LockRequest.of("held-" + i)));
        }
        for (int i = 0; i < OTHERS; i++) {
            one.engine.acquire(LockRequest.of("other-" + i)).close();
            if (i % 1_000 == 0) {
                world.advanceMillis(1);
                one.network.forgetSent();
            }
        }

        assertThat(one.engine.locks().size()).as("locks in use").isEqualTo(100);
        held.forEach((name, handle) -> {
            assertThat(one.tryOnce(name).failure()).isInstanceOf(LockNotAcquiredException.class);
            assertThat(two.tryOnce(name).failure()).isInstanceOf(LockNotAcquiredException.class);
            try (LockHandle again = one.engine.acquire(LockRequest.of(name))) {
                assertThat(again.fencingToken()).isEqualTo(handle.fencingToken());
            }
            assertThat(handle.isHeld()).isTrue();
        });
        held.values().forEach(LockHandle::close);
        assertThat(world.leases.leftovers()).isEmpty();
    }

    /** Names with the same hash shared a slot and with it the count of their holds. */
    @Test
    void namesWithTheSameHashAreDifferentLocks() {
        List<String> names = List.of("");
        for (int i = 0; i < 8; i++) {
            List<String> longer = new ArrayList<>();
            names.forEach(name -> longer.addAll(List.of(name + "Aa", name + "BB")));
            names = longer;
        }
        assertThat(names.stream().map(String::hashCode).distinct()).hasSize(1);

        List<LockHandle> held = new ArrayList<>();
        for (String name : names) {
            held.add(one.engine.acquire(LockRequest.of(name).reentrant(false)));
        }
        assertThat(held.stream().map(LockHandle::name).distinct()).hasSize(256);
        assertThat(one.engine.locks().size()).isEqualTo(256);
        for (LockHandle next : held) {
            assertThat(two.tryOnce(next.name()).failure()).isInstanceOf(LockNotAcquiredException.class);
            next.close();
            AsyncAttempt freed = two.tryOnce(next.name());
            assertThat(freed.isHeld()).isTrue();
            freed.close();
        }
        assertThat(world.leases.leftovers()).isEmpty();
    }
}
