/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.readme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TestLength;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The commands for an operator, in the order of the document, on a lock that is held. */
@Tag(TestLength.FULL)
class TroubleshootingTests {

    private static final Path DOCUMENT = Path.of("..", "docs", "troubleshooting.md");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void theCommandsShowTheHolderAndTakeTheLockAway() throws IOException {
        List<String[]> commands = Files.readAllLines(DOCUMENT).stream()
                .filter(line -> line.startsWith("redis-cli "))
                .map(line ->
                        line.substring("redis-cli ".length()).replace("'", "").split(" "))
                .toList();
        assertThat(commands).hasSize(5);
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                RespClient client = RespClient.connect(redis.port());
                ConfigurableApplicationContext app = new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .run("--spring.data.redis.url=" + redis.uri(), "--distributed-lock.key-prefix=lock:")) {
            LockOperations locks = app.getBean(LockOperations.class);
            LockHandle handle = locks.acquire(LockRequest.of("order:42"));

            assertThat(client.keys(commands.get(0)[2])).containsExactly("lock:{order:42}");
            List<String> entry = client.list(commands.get(1));
            String instance = locks.inspect("order:42").orElseThrow().owner();
            assertThat(entry.get(entry.indexOf("o") + 1)).startsWith(instance + ".");
            assertThat(entry.get(entry.indexOf("t") + 1)).isEqualTo(String.valueOf(handle.fencingToken()));
            assertThat(client.number(commands.get(2))).isBetween(1L, 30_000L);
            String[] listening = commands.get(3);
            listening[2] = listening[2].replaceFirst(Pattern.quote("ZIomf_UA"), instance);
            assertThat(client.call(listening)).asString().contains("1");
            assertThat(client.number(commands.get(4))).isOne();
            assertThat(catchThrowable(handle::close)).isInstanceOf(LockLostException.class);
        }
    }
}
