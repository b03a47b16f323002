/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.LeakCheck;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an instance costs that does nothing. */
class HeapAtRestTests {

    private static final StandaloneServer SERVER = new StandaloneServer();

    private static final int INSTANCES = 30;

    private static final long MOST_EACH = 300_000;

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
        HoldAssertions.assertSoon(3, () -> {
            long before = usedHeap();
            useInstances(INSTANCES);
            long each = (usedHeap() - before) / INSTANCES;
            System.out.println("HeapAtRestTests: " + each + " bytes of heap for each instance");
            assertThat(each).isLessThan(MOST_EACH);
        });
    }

    private void useInstances(int count) {
        for (int i = 0; i < count; i++) {
            templates
                    .on(SERVER.newConnectionFactory())
                    .acquire(leased("rest", 5_000))
                    .close();
        }
    }

    private static long usedHeap() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
