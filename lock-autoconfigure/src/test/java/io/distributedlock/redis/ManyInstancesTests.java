/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TestLength;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many instances wait for one lock: they send few requests and still get the lock in order of arrival. */
@Tag(TestLength.FULL)
class ManyInstancesTests {

    private static StandaloneServer server;

    private static final int SIZE = 80;

    private static final LockRequest REQUEST = LockRequest.of("instances").waitForever();

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, server.redis());

    private final Templates templates = new Templates();

    private final List<Integer> served = Collections.synchronizedList(new ArrayList<>());

    private final List<CompletableFuture<Void>> turns = new ArrayList<>();

    private RedisLockTemplate holder;

    private LockHandle handle;

    @BeforeEach
    void letThemWait() {
        holder = templates.on(server.newConnectionFactory());
        handle = holder.acquire(REQUEST);
        for (int i = 0; i < SIZE; i++) {
            int number = i;
            RedisLockTemplate member = templates.on(server.newConnectionFactory());
            turns.add(member.acquireAsync(REQUEST).toCompletableFuture().thenAccept(granted -> {
                served.add(number);
                granted.close();
            }));
            awaitWaiting(i + 1);
        }
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

    private void awaitWaiting(int expected) {
        await().pollInterval(millis(2))
                .until(() -> holder.inspect("instances")
                                .map(LockState::waitingInstances)
                                .orElse(0)
                        == expected);
    }

    @Test
    void instancesSendFewRequestsAndGetTheLockInOrderOfArrival() {
        try (CommandCounter counter = CommandCounter.start(server.redis())) {
            Stopwatch watch = Stopwatch.start();
            HoldAssertions.assertHeldFor(handle, millis(3_000), () -> {});
            long scripts = counter.scripts();
            double seconds = watch.elapsed().toMillis() / 1_000.0;
            System.out.println("ManyInstancesTests: " + scripts + " scripts in " + seconds + " s of " + SIZE
                    + " instances that wait");
            assertThat(scripts / seconds).as("scripts in a second").isLessThan(50);

            counter.reset();
            Stopwatch turnsTaken = Stopwatch.start();
            handle.close();
            TestCallers.get(CompletableFuture.allOf(turns.toArray(CompletableFuture[]::new)));
            assertThat(served).hasSize(SIZE).isSorted();
            assertThat(counter.scripts())
                    .as("a release for each hand-over, and few questions")
                    .isLessThan(SIZE + SIZE / 4 + 50 * (1 + turnsTaken.elapsed().toSeconds()));
        }
    }

    /** All connections for messages break at once, while the lock is handed over. */
    @Test
    void allInstancesGetTheLockAlthoughAllConnectionsBreak() {
        try (RespClient client = server.redis().connect()) {
            assertThat(client.number("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo(SIZE + 1);
        }
        handle.close();
        TestCallers.get(CompletableFuture.allOf(turns.toArray(CompletableFuture[]::new)));
        assertThat(served).hasSize(SIZE).doesNotHaveDuplicates();
        await().atMost(Noise.LATEST).until(() -> server.keys(Templates.PREFIX).isEmpty());
    }
}
