/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockState;
import io.lettuce.core.protocol.RedisCommand;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The labels of instances that send no replies, some of which have left a key. */
class InstanceLabelLookupTests {

    private final List<String> read = new ArrayList<>();

    private final InstanceLabels labels = new InstanceLabels();

    private final ReplyQueue thread = new ReplyQueue();

    private boolean hanging;

    private final InstanceLabelLookup lookup = lookup(Map.of("EEEEEEEE", "till 5"));

    private InstanceLabelLookup lookup(Map<String, String> written) {
        RedisConnections.CommandWriter writer = command -> reply(command, written);
        RedisConnections connections = (RedisConnections) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RedisConnections.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("commands")) {
                        return writer;
                    }
                    return method.getReturnType() == boolean.class ? false : null;
                });
        LockKeys keys = new LockKeys("lock:");
        InstanceId self = new InstanceId();
        FleetDirectory directory = new FleetDirectory(connections, keys);
        InstanceMessenger messenger = new InstanceMessenger(connections, keys, self, directory);
        FleetQueries fleet = new FleetQueries(messenger, directory, 0, thread, labels, () -> null, () -> "here");
        InstanceLabelKey key =
                new InstanceLabelKey(connections, keys, self, () -> "here", () -> false, age -> 0, thread);
        return new InstanceLabelLookup(labels, key, fleet);
    }

    private void reply(RedisCommand<String, String, ?> command, Map<String, String> written) {
        String arguments = command.getArgs().toCommandString();
        if (arguments.endsWith(" label")) {
            read.add(arguments);
        }
        if (hanging) {
            return;
        }
        written.forEach((instance, label) -> {
            if (arguments.contains(instance)) {
                command.getOutput().set(ByteBuffer.wrap(label.getBytes(StandardCharsets.UTF_8)));
            }
        });
        command.complete();
    }

    @AfterEach
    void close() {
        thread.close();
    }

    private @Nullable String labelOf(String instance) {
        LockState held = new LockState("a", instance, 1, Duration.ofSeconds(30), 0);
        return lookup.labelled(held).label();
    }

    @Test
    void theKeyOfAnInstanceIsReadAlsoAfterSeveralThatHaveNoKeyAndSendNoReply() {
        for (String silent : List.of("AAAAAAAA", "BBBBBBBB", "CCCCCCCC", "DDDDDDDD")) {
            assertThat(labelOf(silent)).isNull();
        }
        assertThat(labelOf("EEEEEEEE")).isEqualTo("till 5");
    }

    /** Otherwise each of an operator's requests would wait for it. */
    @Test
    void aServerThatHangsIsWaitedForOnce() {
        hanging = true;
        assertThat(labelOf("AAAAAAAA")).isNull();
        assertThat(labelOf("BBBBBBBB")).isNull();
        assertThat(read).hasSize(1);
    }
}
