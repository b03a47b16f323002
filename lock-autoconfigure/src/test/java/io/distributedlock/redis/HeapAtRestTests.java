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
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an instance costs that does nothing, and what locks cost that are held. */
class HeapAtRestTests {

    private static final StandaloneServer SERVER = new StandaloneServer();

    private static final Pattern TOTAL = Pattern.compile("\\nTotal +[0-9]+ +([0-9]+)");

    private static final int INSTANCES = 30;

    private static final long MOST_EACH = 300_000;

    private static final int HELD = 10_000;

    private static final int BATCH = 100;

    private static final long MOST_HELD = 5_600_000;

    private static final long SETTLED = 50_000;

    private static final Duration SETTLED_BY = Duration.ofMinutes(1);

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, SERVER.redis());

    private final Templates templates = new Templates();

    @AfterEach
    void close() {
        templates.close();
    }

    @AfterAll
    static void stopServer() {
        SERVER.close();
    }

    @Test
    void anInstanceAtRestTakesLessThanThreeHundredKilobytes() {
        useInstances(5);
        long before = settledHeap();
        useInstances(INSTANCES);
        // What is garbage only once other threads are done takes a moment.
        await().atMost(Noise.LATEST).untilAsserted(() -> {
            long each = (usedHeap() - before) / INSTANCES;
            System.out.println("HeapAtRestTests: " + each + " bytes of heap for each instance");
            assertThat(each).isLessThan(MOST_EACH);
        });
    }

    @Test
    void tenThousandHeldLocksTakeLessThanSixMegabytes() {
        LockOperations locks = templates.on(SERVER.newConnectionFactory());
        release(hold(locks));
        long before = settledHeap();
        List<LockHandle> held = hold(locks);
        await().atMost(Noise.LATEST).untilAsserted(() -> {
            long all = usedHeap() - before;
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
                    .on(SERVER.newConnectionFactory())
                    .acquire(leased("rest", 5_000))
                    .close();
        }
    }

    /** Garbage of an earlier test may go as late as its threads, and would count against what is measured next. */
    private static long settledHeap() {
        long[] latest = {Long.MAX_VALUE};
        int[] settled = new int[1];
        await().atMost(SETTLED_BY).until(() -> {
            long now = usedHeap();
            settled[0] = latest[0] - now < SETTLED ? settled[0] + 1 : 0;
            latest[0] = now;
            return settled[0] == 5;
        });
        return latest[0];
    }

    /**
     * The bytes of all reachable objects. The heap in use would count the unused rest of each thread's buffer as well,
     * which is up to a megabyte each.
     */
    private static long usedHeap() {
        Matcher total = TOTAL.matcher(histogram());
        assertThat(total.find()).isTrue();
        return Long.parseLong(total.group(1));
    }

    private static String histogram() {
        try {
            Object[] onlyReachable = {new String[0]};
            return (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            onlyReachable,
                            new String[] {String[].class.getName()});
        } catch (JMException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
