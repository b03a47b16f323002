/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * After each test, and after its own cleaning up: no key of a lock in Redis, no subscription, no thread of the library,
 * no interrupt flag. Register it by {@code @RegisterExtension}. The database is emptied then, for the next test.
 */
public final class LeakCheck implements AfterEachCallback {

    private static final String THREAD_PREFIX = "distributed-lock";

    private final List<EmbeddedRedis> servers;

    private final String keyPrefix;

    private final Duration limit;

    private LeakCheck(String keyPrefix, Duration limit, List<EmbeddedRedis> servers) {
        this.keyPrefix = keyPrefix;
        this.limit = limit;
        this.servers = servers;
    }

    /** Checks these servers, and waits up to {@link Noise#patience()} until everything is gone. */
    public static LeakCheck of(String keyPrefix, EmbeddedRedis... servers) {
        return new LeakCheck(keyPrefix, Noise.patience(), List.of(servers));
    }

    public LeakCheck within(Duration limit) {
        return new LeakCheck(keyPrefix, limit, servers);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        boolean interrupted = Thread.interrupted();
        try {
            verify();
        } finally {
            servers.forEach(LeakCheck::empty);
        }
        if (interrupted) {
            throw new AssertionError("The test left its thread interrupted");
        }
    }

    /**
     * Waits until nothing is left, or fails with a list. What may stay longer, as an acquisition on a busy machine has
     * an unknown outcome: the mark of its cancellation, which Redis removes after two leases.
     */
    public void verify() {
        try {
            Awaitility.await()
                    .atMost(limit)
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> leaks(key -> false).isEmpty());
        } catch (ConditionTimeoutException e) {
            List<String> leaks = leaks(key -> key.endsWith("}cancelled"));
            if (!leaks.isEmpty()) {
                throw new AssertionError("Left behind: " + leaks, e);
            }
        }
    }

    /** @param mayExpire which keys are no leak if they have a time to live */
    private List<String> leaks(Predicate<String> mayExpire) {
        List<String> leaks = new ArrayList<>();
        for (EmbeddedRedis server : servers) {
            try (RespClient client = server.connect()) {
                for (String key : client.keys(keyPrefix + "*")) {
                    if (!mayExpire.test(key) || client.number("PTTL", key) == -1) {
                        leaks.add("key " + key);
                    }
                }
                client.list("PUBSUB", "CHANNELS").forEach(channel -> leaks.add("channel " + channel));
                client.list("PUBSUB", "SHARDCHANNELS").forEach(channel -> leaks.add("shard channel " + channel));
                long patterns = client.number("PUBSUB", "NUMPAT");
                if (patterns > 0) {
                    leaks.add(patterns + " subscribed patterns");
                }
            }
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(THREAD_PREFIX)) {
                leaks.add("thread " + thread.getName());
            }
        }
        return leaks;
    }

    private static void empty(EmbeddedRedis server) {
        try (RespClient client = server.connect()) {
            client.call("FLUSHALL");
        }
    }
}
