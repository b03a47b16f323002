/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.Seeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Any text is a name, and two texts are two locks. */
abstract class NameContract extends AbstractLockContract {

    private static final String LONG = "x".repeat(LockRequest.MAX_NAME_LENGTH - 1);

    NameContract(LockServer server) {
        super(server);
    }

    static List<String> names() {
        return List.of(
                "order:42",
                "order:",
                ":",
                "::",
                "{",
                "}",
                "{}",
                "}{",
                "{order}:42",
                "{}order",
                "lock:{order}",
                "order}cancelled",
                "cancelled",
                "a\u0000b",
                "\u0000",
                "a\r\nb",
                " a",
                "a ",
                "a b",
                "a\tb",
                "a;b",
                "*",
                "a*",
                "[a]",
                "a?",
                "%",
                "%25",
                "%7B",
                "%u0041",
                "%#",
                "\\",
                "\"",
                "'",
                "é",
                "e\u0301",
                "🔒",
                "\uD83D",
                "\uDD12",
                "\uDD12\uD83D",
                "a\uD83D",
                "?",
                "\u007F",
                "\u0080",
                "\u00FF",
                "\uFFFD",
                "\uFFFE",
                "ORDER:42",
                "x".repeat(510),
                "x".repeat(512),
                "x".repeat(513),
                "🔒".repeat(300),
                "🔒".repeat(300) + "a",
                "\uD83D".repeat(200),
                LONG,
                LONG + "a",
                LONG + "b",
                "y" + LONG);
    }

    @ParameterizedTest
    @MethodSource("names")
    void isTheSameLockInEveryInstance(String name) {
        try (LockHandle handle = first.acquire(LockRequest.of(name))) {
            assertThat(handle.name()).isEqualTo(name);
            assertThat(second.tryAcquire(LockRequest.of(name).noWait())).isEmpty();
            assertThat(second.inspect(name)).get().extracting(LockState::name).isEqualTo(name);
            TestCallers.Call<Boolean> next = callers.call(() -> {
                try (LockHandle granted = second.acquire(LockRequest.of(name))) {
                    return granted.isHeld();
                }
            });
            await().until(() -> second.inspect(name).orElseThrow().waitingInstances() == 1);
            Stopwatch watch = Stopwatch.start();
            handle.close();
            assertThat(next.get()).isTrue();
            assertThat(watch.elapsed()).as("woken by a message").isLessThan(Noise.now());
        }
        assertThat(keys()).isEmpty();
    }

    @Test
    void areDistinctLocks() {
        List<LockHandle> handles = new ArrayList<>();
        for (String name : names()) {
            handles.add(first.acquire(LockRequest.of(name).reentrant(false).noWait()));
        }
        assertThat(keys()).hasSameSizeAs(names()).doesNotHaveDuplicates();
        handles.forEach(LockHandle::close);
        assertThat(keys()).isEmpty();
    }

    @Test
    void areDistinctLocksWhateverTheyAreMadeOf() {
        long seed = Seeds.of("name.seed");
        Random random = new Random(seed);
        String alphabet = "aA%25#uU0{}:; \\\u0000\r\n\uD83D\uDD12é🔒*";
        Set<String> names = new HashSet<>();
        while (names.size() < 2_000) {
            StringBuilder name = new StringBuilder("n");
            for (int i = random.nextInt(6); i >= 0; i--) {
                name.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            names.add(name.toString());
        }
        List<LockHandle> handles = new ArrayList<>();
        for (String name : names) {
            handles.add(first.acquire(LockRequest.of(name).reentrant(false).noWait()));
        }
        assertThat(keys()).as("seed %d", seed).hasSize(2_000).doesNotHaveDuplicates();
        handles.forEach(LockHandle::close);
    }

    @Test
    void areRefusedWhenTheyAreBlankOrTooLong() {
        for (String name : new String[] {null, "", " ", "\n\t", LONG + "ab"}) {
            assertThatIllegalArgumentException().isThrownBy(() -> first.inspect(name));
            assertThatIllegalArgumentException().isThrownBy(() -> first.forceRelease(name));
            assertThatIllegalArgumentException().isThrownBy(() -> first.release(name, "owner"));
            assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(name));
        }
        for (String owner : new String[] {null, "", " ", LONG + "ab"}) {
            assertThatIllegalArgumentException().isThrownBy(() -> first.release("name", owner));
        }
    }
}
