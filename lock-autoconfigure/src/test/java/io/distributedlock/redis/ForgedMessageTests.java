/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Redis user who hears all messages and may send any, but has no right to the keys. */
class ForgedMessageTests extends AbstractFaultTests {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static final LockRequest REQUEST = leased("forged", 30_000).waitForever();

    private static final String ENTRY = "lock:{forged}";

    private static final long FAR = 9_000_000_000_000_000L;

    private static final Pattern ID = Pattern.compile("([\\w-]{8})\\.(\\w+)\\.([\\w-]{22})");

    private RespClient client;

    @BeforeEach
    void connect() {
        client = redis.connect();
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    private CompletableFuture<LockHandle> waiting(RedisLockTemplate instance) {
        CompletableFuture<LockHandle> waiting = instance.acquireAsync(REQUEST).toCompletableFuture();
        await().atMost(LONG)
                .until(() -> instance.inspect("forged").orElseThrow().waitingInstances() == 1);
        return waiting;
    }

    private void publish(String instance, String message) {
        assertThat(client.number("PUBLISH", "lock:instance:" + instance, message))
                .isEqualTo(1);
    }

    private List<MatchResult> overheard(CommandLog log) {
        List<MatchResult> ids = new ArrayList<>();
        log.calls("publish")
                .forEach(call -> ID.matcher(call.words().get(1)).results().forEach(ids::add));
        return ids;
    }

    /** Messages of an instance come in order: what was sent before one that has an effect was heard. */
    private static void awaitMessages(RedisLockTemplate of, RedisLockTemplate other) {
        LockHandle marked = of.acquire(leased("mark", 30_000));
        other.forceRelease("mark");
        await().atMost(LONG).until(() -> !marked.isHeld());
    }

    @Test
    void anOverheardIdDoesNotRevealTheNext() {
        RedisLockTemplate one = patient();
        RedisLockTemplate two = patient();
        List<MatchResult> overheard;
        try (CommandLog log = CommandLog.open(redis)) {
            LockHandle first = one.acquire(REQUEST);
            CompletableFuture<LockHandle> second = waiting(two);
            first.close();
            TestCallers.get(second);
            CompletableFuture<LockHandle> third = waiting(one);
            TestCallers.get(second).close();
            TestCallers.get(third).close();
            await().atMost(LONG)
                    .until(() -> overheard(log).stream()
                                    .map(id -> id.group(1))
                                    .distinct()
                                    .count()
                            == 2);
            overheard = overheard(log);
        }

        LockHandle held = one.acquire(REQUEST);
        CompletableFuture<LockHandle> waiting = waiting(two);
        for (MatchResult id : overheard) {
            long heard = Long.parseLong(id.group(2), Character.MAX_RADIX);
            for (long number = heard + 1; number < heard + 10; number++) {
                String forged = id.group(1) + '.' + Long.toString(number, Character.MAX_RADIX) + '.' + id.group(3);
                publish(id.group(1), "grant " + forged + ' ' + (held.fencingToken() + 1) + " 30000 0 " + ENTRY);
                publish(id.group(1), "revoke " + forged + ' ' + ENTRY);
            }
        }
        awaitMessages(one, two);
        awaitMessages(two, one);

        assertThat(held.isHeld()).isTrue();
        assertThat(waiting).isNotDone();
        held.close();
        TestCallers.get(waiting).close();
    }

    @Test
    void aTokenThatRedisCannotHaveMadeIsNotBelieved() {
        RedisLockTemplate one = patient();
        RedisLockTemplate two = patient();
        LockHandle held = one.acquire(REQUEST);
        CompletableFuture<LockHandle> waiting = waiting(two);
        String id = client.text("HGET", ENTRY, "q1").split(" ")[0];
        // The answer that put it in line has arrived as well.
        two.acquire(LockRequest.of("other")).close();

        publish(id.split("\\.")[0], "grant " + id + ' ' + FAR + " 30000 0 " + ENTRY);
        awaitMessages(two, one);

        assertThat(waiting).isNotDone();
        held.close();
        try (LockHandle granted = TestCallers.get(waiting)) {
            assertThat(granted.fencingToken()).isBetween(held.fencingToken() + 1, FAR / 2);
        }
        try (LockHandle later = two.acquire(LockRequest.of("later"))) {
            assertThat(later.fencingToken()).isLessThan(FAR / 2);
        }
    }
}
