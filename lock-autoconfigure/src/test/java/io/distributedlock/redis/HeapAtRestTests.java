/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.ReachableHeap;
import io.distributedlock.testing.TestLength;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an instance costs that does nothing, and what locks cost that are held. */
@Tag(TestLength.FULL)
class HeapAtRestTests {

    private static StandaloneServer server;

    private static final int INSTANCES = 30;

    private static final long MOST_EACH = 300_000;

    private static final int HELD = 10_000;

    private static final int BATCH = 100;

    private static final long MOST_HELD = 4_200_000;

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, server.redis());

    private final Templates templates = new Templates();

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

    @Test
    void anInstanceAtRestTakesLessThanThreeHundredKilobytes() {
        useInstances(5);
        long before = ReachableHeap.settledBytes();
        useInstances(INSTANCES);
        // What is garbage only once other threads are done takes a moment.
        await().atMost(Noise.LATEST).untilAsserted(() -> {
            long each = (ReachableHeap.bytes() - before) / INSTANCES;
            System.out.println("HeapAtRestTests: " + each + " bytes of heap for each instance");
            assertThat(each).isLessThan(MOST_EACH);
        });
    }

    @Test
    void tenThousandHeldLocksTakeAFewMegabytes() {
        LockOperations locks = templates.on(server.newConnectionFactory());
        release(hold(locks));
        long before = ReachableHeap.settledBytes();
        List<LockHandle> held = hold(locks);
        await().atMost(Noise.LATEST).untilAsserted(() -> {
            long all = ReachableHeap.bytes() - before;
            System.out.println("HeapAtRestTests: " + all + " bytes of heap for " + held.size() + " held locks");
            assertThat(all).isLessThan(MOST_HELD);
        });
        release(held);
    }

    private static List<LockHandle> hold(LockOperations locks) {
        List<LockHandle> held = new ArrayList<>(HELD);
        for (int i = 0; i < HELD; i += BATCH) {
            IntStream.range(i, i + BATCH)
                    .mapToObj(each -> locks.acquireAsync(leased("held:" + each, 60_000)))
                    .toList()
                    .forEach(stage -> held.add(join(stage)));
        }
        return held;
    }

    private static void release(List<LockHandle> held) {
        for (int i = 0; i < HELD; i += BATCH) {
            held.subList(i, i + BATCH).stream()
                    .map(LockHandle::closeAsync)
                    .toList()
                    .forEach(HeapAtRestTests::join);
        }
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private void useInstances(int count) {
        for (int i = 0; i < count; i++) {
            templates
                    .on(server.newConnectionFactory())
                    .acquire(leased("rest", 5_000))
                    .close();
        }
    }
}
