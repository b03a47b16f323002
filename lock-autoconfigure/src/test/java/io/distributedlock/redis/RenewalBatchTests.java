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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Renewal goes out in batches, and not at all when nothing is held. */
class RenewalBatchTests {

    private static final StandaloneServer SERVER = new StandaloneServer();

    private static final int HELD = 250;

    private static final Duration LEASE = millis(3_000);

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, SERVER.redis());

    private final Templates templates = new Templates();

    private RedisLockTemplate locks;

    @BeforeEach
    void open() {
        locks = templates.on(SERVER.newConnectionFactory());
    }

    @AfterEach
    void close() {
        templates.close();
    }

    @AfterAll
    static void stopServer() {
        SERVER.close();
    }

    /**
     * What was acquired within the same moment is renewed within the same tick; a try that took two moments counts not.
     */
    @Test
    void twoHundredAndFiftyLocksAreRenewedByThreeScripts() {
        acquire().forEach(LockHandle::close);
        HoldAssertions.assertSoon(4, this::assertThreeScripts);
    }

    private void assertThreeScripts() {
        List<LockHandle> handles = acquire();
        try (CommandLog log = CommandLog.open(SERVER.redis())) {
            Duration third = LEASE.dividedBy(3);
            HoldAssertions.assertHeldFor(
                    handles.get(0),
                    third.plusMillis(200),
                    () -> assertThat(log.clientCommands()).hasSizeLessThan(5));
            List<Integer> batches = log.clientCommands().stream()
                    .map(command -> Integer.valueOf(command.words().get(1)))
                    .toList();
            assertThat(batches).containsExactlyInAnyOrder(100, 100, 50);
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

    @Test
    void nothingIsSentWhenNothingIsHeld() {
        RedisLockTemplate other = templates.on(SERVER.newConnectionFactory());
        LockHandle handle = locks.acquire(leased("idle", 300));
        CompletableFuture<LockHandle> waiting =
                other.acquireAsync(leased("idle", 300)).toCompletableFuture();
        await().until(() -> locks.inspect("idle").orElseThrow().waitingInstances() == 1);
        HoldAssertions.assertHeldFor(handle, millis(400), () -> {});
        handle.close();
        TestCallers.get(waiting).close();
        await().until(() -> SERVER.keys(Templates.PREFIX).isEmpty());
        try (CommandCounter counter = CommandCounter.start(SERVER.redis())) {
            HoldAssertions.assertAllTheTime(
                    millis(2_000), () -> assertThat(counter.calls()).isEmpty());
        }
    }
}
