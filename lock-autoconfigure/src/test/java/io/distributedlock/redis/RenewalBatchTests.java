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
import java.util.ArrayList;
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
        HoldAssertions.assertUnlessStalled(TICK.multipliedBy(2), this::assertRenewedByThreeScripts);
    }

    private void assertRenewedByThreeScripts() {
        acquire().forEach(LockHandle::close);
        Stopwatch watch = Stopwatch.start();
        List<LockHandle> handles = acquire();
        Duration acquired = watch.elapsed();
        int most = 3 + 1 + (int) (acquired.toMillis() / TICK.toMillis());
        try (CommandLog log = CommandLog.open(server.redis())) {
            await().pollInterval(millis(20)).until(() -> log.calls("pexpire").size() >= HELD);
            List<Integer> batches = new ArrayList<>();
            int renewed = 0;
            for (CommandLog.Entry command : log.clientCommands()) {
                // The next round may have begun.
                if (renewed < HELD) {
                    batches.add(Integer.valueOf(command.words().get(1)));
                    renewed += batches.get(batches.size() - 1);
                }
            }
            assertThat(batches).hasSizeLessThanOrEqualTo(most).allMatch(size -> size <= 100);
            assertThat(renewed).isEqualTo(HELD);
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
        LockHandle former = locks.acquire(leased("repeated", 6_000));
        try (RespClient operator = server.redis().connect();
                CommandLog log = CommandLog.open(server.redis())) {
            operator.call("SCRIPT", "FLUSH");
            server.redis().signal("STOP");
            // A renewal is sent when two thirds of the lease are left.
            await().pollInterval(millis(20)).until(() -> former.remainingLease().compareTo(millis(3_900)) < 0);
            former.closeAsync();
            CompletableFuture<LockHandle> following =
                    locks.acquireAsync(leased("repeated", 4_000).renew(false)).toCompletableFuture();
            server.redis().signal("CONT");
            try (LockHandle next = TestCallers.get(following)) {
                await().until(() -> log.clientCommands().stream().anyMatch(this::isRenewalByText));
                assertThat(operator.number("PTTL", Templates.PREFIX + "{repeated}"))
                        .isLessThanOrEqualTo(4_000);
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
        LockHandle handle = locks.acquire(leased("idle", 3_000));
        CompletableFuture<LockHandle> waiting =
                other.acquireAsync(leased("idle", 3_000)).toCompletableFuture();
        await().until(() -> locks.inspect("idle").orElseThrow().waitingInstances() == 1);
        HoldAssertions.awaitRenewals(handle, 1);
        handle.close();
        TestCallers.get(waiting).close();
        await().until(() -> server.keys(Templates.PREFIX).isEmpty());
        try (CommandCounter counter = CommandCounter.start(server.redis())) {
            HoldAssertions.assertAllTheTime(
                    millis(1_500), () -> assertThat(counter.calls()).isEmpty());
        }
    }
}
