/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Renewal goes out in batches, and not at all when nothing is held. */
class RenewalBatchTests {

    private static StandaloneServer server;

    private static final int HELD = 250;

    private static final Duration LEASE = millis(3_000);

    /** Renewals of such a lease come together in so long: the sixteenth part of a third of it. */
    private static final Duration TICK = millis(62);

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, server.redis());

    private final Templates templates = new Templates();

    private RedisLockTemplate locks;

    @BeforeEach
    void open() {
        locks = templates.on(server.newConnectionFactory());
    }

    @AfterEach
    void close() {
        templates.close();
    }

    @BeforeAll
    static void start() {
        server = new StandaloneServer();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /**
     * What was acquired within the same tick of renewal is renewed within one. Each further tick in which some of them
     * were acquired may take a script more.
     */
    @Test
    void twoHundredAndFiftyLocksAreRenewedByThreeScripts() {
        acquire().forEach(LockHandle::close);
        Stopwatch watch = Stopwatch.start();
        List<LockHandle> handles = acquire();
        Duration acquired = watch.elapsed();
        int most = 3 + 1 + (int) (acquired.toMillis() / TICK.toMillis());
        try (CommandLog log = CommandLog.open(server.redis())) {
            Duration third = LEASE.dividedBy(3);
            HoldAssertions.assertHeldFor(
                    handles.get(0),
                    third.plus(acquired).plusMillis(200),
                    () -> assertThat(log.clientCommands()).hasSizeLessThanOrEqualTo(most));
            List<Integer> batches = log.clientCommands().stream()
                    .map(command -> Integer.valueOf(command.words().get(1)))
                    .toList();
            assertThat(batches).allMatch(size -> size <= 100);
            assertThat(batches.stream().mapToInt(Integer::intValue).sum()).isEqualTo(HELD);
            assertThat(log.calls("pexpire")).hasSize(HELD);
            assertThat(handles).allMatch(LockHandle::isHeld);
        } finally {
            handles.forEach(LockHandle::close);
        }
    }

    private List<LockHandle> acquire() {
        List<CompletableFuture<LockHandle>> acquiring = IntStream.range(0, HELD)
                .mapToObj(i -> locks.acquireAsync(leased("batch-" + i, LEASE.toMillis()))
                        .toCompletableFuture())
                .toList();
        return acquiring.stream().map(TestCallers::get).toList();
    }

    /** Redis does not know the script of a renewal, and replies after the lock was released: its text goes out then. */
    @Test
    void aRenewalThatIsRepeatedAfterTheReleaseRenewsNothing() {
        LockHandle former = locks.acquire(leased("repeated", 900));
        try (RespClient operator = server.redis().connect();
                CommandLog log = CommandLog.open(server.redis())) {
            operator.call("SCRIPT", "FLUSH");
            operator.call("CLIENT", "PAUSE", "700", "ALL");
            HoldAssertions.assertHeldFor(former, millis(500), () -> {});
            long released = System.nanoTime();
            former.closeAsync();
            try (LockHandle next = locks.acquire(leased("repeated", 1_500).renew(false))) {
                assertThat(Duration.ofNanos(System.nanoTime() - released))
                        .as("time of the release until Redis went on")
                        .isGreaterThan(millis(100));
                await().until(() -> log.clientCommands().stream().anyMatch(this::isRenewalByText));
                assertThat(operator.number("PTTL", Templates.PREFIX + "{repeated}"))
                        .isLessThanOrEqualTo(1_500);
                assertThat(next.isHeld()).isTrue();
            }
        }
    }

    private boolean isRenewalByText(CommandLog.Entry command) {
        return command.name().equals("eval")
                && command.arguments()
                        .contains(ScriptText.of("renew.lua").lines().findFirst().orElseThrow());
    }

    @Test
    void nothingIsSentWhenNothingIsHeld() {
        RedisLockTemplate other = templates.on(server.newConnectionFactory());
        LockHandle handle = locks.acquire(leased("idle", 1_500));
        CompletableFuture<LockHandle> waiting =
                other.acquireAsync(leased("idle", 1_500)).toCompletableFuture();
        await().until(() -> locks.inspect("idle").orElseThrow().waitingInstances() == 1);
        HoldAssertions.assertHeldFor(handle, millis(700), () -> {});
        handle.close();
        TestCallers.get(waiting).close();
        await().until(() -> server.keys(Templates.PREFIX).isEmpty());
        try (CommandCounter counter = CommandCounter.start(server.redis())) {
            HoldAssertions.assertAllTheTime(
                    millis(2_000), () -> assertThat(counter.calls()).isEmpty());
        }
    }
}
