/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.protocol.RedisCommand;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When an instance writes what it is called, for how long, and when it takes that back. */
class InstanceLabelKeyTests {

    private final List<String> sent = new ArrayList<>();

    private final ReplyQueue thread = new ReplyQueue();

    private final InstanceId id = new InstanceId();

    private final InstanceLabelKey key = new InstanceLabelKey(
            connections(), new LockKeys("lock:"), id, () -> "till 1", () -> true, age -> lease(age), thread);

    private boolean refused;

    private Duration lease = Duration.ZERO;

    private long now = Long.MAX_VALUE - 1_000;

    private long lease(long age) {
        assertThat(Duration.ofNanos(age)).isEqualTo(Duration.ofSeconds(10));
        return lease.toNanos();
    }

    private RedisConnections connections() {
        RedisConnections.CommandWriter writer = command -> {
            if (refused) {
                command.completeExceptionally(new IllegalStateException("OOM"));
            }
            sent.add(text(command));
        };
        return (RedisConnections) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RedisConnections.class},
                (proxy, method, arguments) -> method.getName().equals("commands") ? writer : null);
    }

    private static String text(RedisCommand<String, String, ?> command) {
        command.complete();
        String arguments = String.valueOf(command.getArgs().toCommandString());
        return new String(command.getType().getBytes(), StandardCharsets.US_ASCII)
                + arguments.substring(arguments.lastIndexOf(" 1 ") < 0 ? 0 : arguments.lastIndexOf(" 1 "));
    }

    @AfterEach
    void close() {
        thread.close();
    }

    private List<String> sentAt(int seconds, int leaseSeconds) {
        sent.clear();
        lease = Duration.ofSeconds(leaseSeconds);
        key.look(now + Duration.ofSeconds(seconds).toNanos());
        return List.copyOf(sent);
    }

    @Test
    void isThereWhileThereAreOldHoldsAndOutlivesTheirLeases() {
        assertThat(sentAt(0, 0)).isEmpty();
        assertThat(sentAt(5, 20)).singleElement().asString().startsWith("EVAL").endsWith(" 80000");
        assertThat(sentAt(6, 30)).isEmpty();
        assertThat(sentAt(34, 20)).isEmpty();
        assertThat(sentAt(36, 20)).singleElement().asString().endsWith(" 80000");
        assertThat(sentAt(37, 3_600)).singleElement().asString().endsWith(" 3660000");
        assertThat(sentAt(38, 20)).isEmpty();
        assertThat(sentAt(39, 0)).singleElement().asString().startsWith("DEL");
        assertThat(sentAt(40, 0)).isEmpty();
    }

    @Test
    void aWriteThatHasFailedIsRepeatedAtTheNextLook() {
        refused = true;
        assertThat(sentAt(0, 20)).hasSize(1);
        assertThat(sentAt(1, 20)).hasSize(1);
        refused = false;
        assertThat(sentAt(2, 20)).singleElement().asString().startsWith("EVAL");
        assertThat(sentAt(3, 20)).isEmpty();
    }

    @Test
    void anInstanceThatStopsTakesItBackIfItIsThere() {
        key.close();
        assertThat(sent).isEmpty();
        sentAt(0, 30);
        sent.clear();
        key.close();
        assertThat(sent).singleElement().asString().startsWith("DEL");
    }
}
