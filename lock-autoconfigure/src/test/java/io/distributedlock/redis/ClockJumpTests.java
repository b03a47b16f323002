/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TestLength;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.TestAbortedException;

/** An operator sets the wall clock, of an application or of Redis. */
class ClockJumpTests extends AbstractFaultTests {

    private static final Duration LEASE = millis(2_000);

    @TempDir
    private Path directory;

    /**
     * For lack of a clock that may be set, a library between the process and its clock does it, where it is installed.
     */
    private Map<String, String> settableClock() {
        Optional<Path> library = library();
        assumeTrue(library.isPresent(), "needs libfaketime (Debian: apt-get install faketime)");
        setClock("+0");
        return Map.of(
                "LD_PRELOAD",
                library.orElseThrow().toString(),
                "FAKETIME_TIMESTAMP_FILE",
                directory.resolve("offset").toString(),
                "FAKETIME_CACHE_DURATION",
                "1",
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1");
    }

    private void setClock(String offset) {
        try {
            // In one step: to read half of it would end the child.
            Path next = Files.writeString(directory.resolve("next"), offset);
            Files.move(next, directory.resolve("offset"), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** On a busy machine, the library sometimes keeps a JVM from starting at all, which says nothing of locks. */
    private ChildJvm start(Map<String, String> environment) {
        for (int i = 0; i < 2; i++) {
            try {
                return ChildJvm.start(environment, LockChild.class, Integer.toString(redis.port()));
            } catch (IllegalStateException e) {
                System.out.println("Under libfaketime: " + e.getMessage());
            }
        }
        throw new TestAbortedException("no JVM starts under libfaketime");
    }

    private static Optional<Path> library() {
        for (Path root : new Path[] {Path.of("/usr/lib"), Path.of("/usr/local/lib"), Path.of("/usr/lib64")}) {
            if (Files.isDirectory(root)) {
                try (Stream<Path> files =
                        Files.find(root, 3, (path, type) -> path.endsWith(Path.of("faketime", "libfaketimeMT.so.1")))) {
                    Optional<Path> found = files.findFirst();
                    if (found.isPresent()) {
                        return found;
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        return Optional.empty();
    }

    /** It jumps by a day, ahead and back, while a lock is held, another one waited for, and more are asked for. */
    @Tag(TestLength.FULL)
    @Test
    void ofAnApplicationChangesNothing() {
        Map<String, String> environment = settableClock();
        RedisLockTemplate locks = patient();
        try (ChildJvm child = start(environment);
                RespClient client = redis.connect()) {
            child.ask("a", "acquire", "held", LEASE.toMillis());
            LockHandle handle = locks.acquire(LockRequest.of("wanted"));
            CompletableFuture<String> waiting = child.send("b", "acquire", "wanted", LEASE.toMillis());
            await().until(() -> locks.inspect("wanted").orElseThrow().waitingInstances() == 1);
            for (String jump : new String[] {"+1d", "-1d"}) {
                setClock(jump);
                long jumped = TimeUnit.DAYS.toMillis(jump.equals("+1d") ? 1 : -1);
                await().until(() ->
                        Math.abs(Long.parseLong(child.ask("clock", "clock")) - System.currentTimeMillis() - jumped)
                                < 10_000);
                child.ask("c", "acquire", "another" + jump, LEASE.toMillis());
                HoldAssertions.assertAllTheTime(LEASE.dividedBy(3), () -> {
                    assertThat(client.number("PTTL", "lock:{held}")).isBetween(1L, LEASE.toMillis());
                    assertThat(waiting).isNotDone();
                });
                assertThat(child.ask("d", "held", "held")).isEqualTo("true");
                assertThat(child.ask("c", "close", "another" + jump)).isEqualTo("closed");
            }
            handle.close();
            ChildJvm.await(waiting, Noise.LATEST);
            assertThat(child.ask("b", "close", "wanted")).isEqualTo("closed");
            assertThat(child.ask("a", "close", "held")).isEqualTo("closed");
            // On a busy machine, a request may have been repeated under another id, and the first one cancelled.
            assertThat(keys()).allMatch(key -> key.endsWith("}cancelled"));
        }
    }

    /** An operator's instance has seen no token, and does not know the earlier clock. */
    @Test
    void ofRedisThatIsSetBackKeepsTheTokenOfALockThatIsReleasedByForce() {
        LockHandle held = patient().acquire(leased("forced", 60_000));
        long ahead = held.fencingToken() + TimeUnit.HOURS.toMicros(1);
        call("HSET", "lock:{forced}", "t", Long.toString(ahead));
        assertThat(patient().forceRelease("forced")).isTrue();

        try (LockHandle next = patient().acquire(LockRequest.of("forced"))) {
            assertThat(next.fencingToken()).isGreaterThan(ahead);
        }
        call("DEL", "lock:{forced}");
    }

    /** The entry is lost, and the instance that hands the lock over has started since. */
    @ParameterizedTest
    @EnumSource(LockMode.class)
    void ofRedisThatIsSetBackGivesAWaiterNoTokenBelowOneThatItHasHad(LockMode mode) {
        RedisLockTemplate two = patient();
        long ahead = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + TimeUnit.HOURS.toMicros(1);
        call("HSET", "lock:{seen}", "t", Long.toString(ahead));
        LockHandle first = two.acquire(leased("seen", 60_000));
        assertThat(first.fencingToken()).isGreaterThan(ahead);
        first.close();
        call("DEL", "lock:{seen}");
        RedisLockTemplate one = patient();
        LockHandle before = one.acquire(leased("seen", 60_000));
        CompletableFuture<LockHandle> waiting = two.acquireAsync(
                        leased("seen", 60_000).mode(mode).waitForever())
                .toCompletableFuture();
        await().until(() -> one.inspect("seen").orElseThrow().waitingInstances() == 1);

        before.close();

        LockHandle second = TestCallers.get(waiting);
        assertThat(before.fencingToken()).as("what the test is about").isLessThan(first.fencingToken());
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        second.close();
        call("DEL", "lock:{seen}");
    }

    /**
     * The token was given out by a clock that has been set back since. The next ones grow as long as the instance
     * remembers, or Redis keeps the entry, which it does until the clock has caught up. The hole that is left is
     * documented.
     */
    @Test
    void ofRedisThatIsSetBackLeavesOneGap() {
        RedisLockTemplate one = patient();
        RedisLockTemplate two = patient();
        LockHandle first = one.acquire(leased("set", 2_000));
        long ahead = first.fencingToken() + TimeUnit.DAYS.toMicros(1);
        call("HSET", "lock:{set}", "t", Long.toString(ahead));
        CompletableFuture<LockHandle> waiting =
                two.acquireAsync(leased("set", 2_000).waitForever()).toCompletableFuture();
        await().until(() -> one.inspect("set").orElseThrow().waitingInstances() == 1);
        first.close();
        LockHandle next = TestCallers.get(waiting);
        assertThat(next.fencingToken()).as("while the entry lives").isGreaterThan(ahead);
        next.close();

        LockHandle later = two.acquire(LockRequest.of("set"));
        assertThat(later.fencingToken()).as("while it remembers").isGreaterThan(next.fencingToken());
        later.close();
        LockHandle other = two.acquire(LockRequest.of("other"));
        assertThat(other.fencingToken()).as("whatever the lock").isGreaterThan(next.fencingToken());
        other.close();

        try (LockHandle unknowing = patient().acquire(LockRequest.of("set"))) {
            assertThat(unknowing.fencingToken())
                    .as("while Redis keeps the token")
                    .isGreaterThan(later.fencingToken());
        }
        call("DEL", "lock:{set}");
        try (LockHandle unknowing = patient().acquire(LockRequest.of("set"))) {
            assertThat(unknowing.fencingToken()).as("the hole").isLessThan(ahead);
        }
    }
}
