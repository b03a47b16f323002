/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedRedisTests {

    @Test
    void startsWithTheGivenSettings() {
        try (EmbeddedRedis redis = EmbeddedRedis.start("maxmemory 100mb", "maxmemory-policy volatile-lru");
                RespClient client = redis.connect()) {
            assertThat(client.text("SET", "a key", "é\u0000\r\n")).isEqualTo("OK");
            assertThat(client.text("GET", "a key")).isEqualTo("é\u0000\r\n");
            assertThat(client.call("GET", "none")).isNull();
            assertThat(client.list("CONFIG", "GET", "maxmemory-policy")).contains("volatile-lru");
            assertThat(client.keys("a *")).containsExactly("a key");
            assertThatIllegalStateException()
                    .isThrownBy(() -> client.call("INCR", "a key"))
                    .withMessageStartingWith("ERR");
        }
    }

    @Test
    void leavesNothingBehindWhenClosed() {
        EmbeddedRedis redis = EmbeddedRedis.start();
        Path directory = directoryOf(redis);
        assertThat(directory).exists();
        redis.close();
        assertThat(ProcessHandle.of(redis.pid())).isEmpty();
        assertThat(directory).doesNotExist();
        redis.close();
    }

    @Test
    void closesAServerThatIsStopped() {
        EmbeddedRedis redis = EmbeddedRedis.start();
        redis.signal("STOP");
        redis.close();
        assertThat(redis.isAlive()).isFalse();
    }

    @Test
    void startsAgainOnTheSamePort() {
        againIfThePortIsTaken(EmbeddedRedisTests::startThreeTimesOnOnePort);
    }

    /** Any process may get the port while no server listens on it. */
    private static void againIfThePortIsTaken(Runnable test) {
        for (int attempt = 1; ; attempt++) {
            try {
                test.run();
                return;
            } catch (IllegalStateException e) {
                if (attempt == 5 || !String.valueOf(e.getMessage()).contains("Failed listening on port")) {
                    throw e;
                }
            }
        }
    }

    private static void startThreeTimesOnOnePort() {
        int port = EmbeddedRedis.freePort();
        for (int i = 0; i < 3; i++) {
            try (EmbeddedRedis redis = EmbeddedRedis.start(port)) {
                assertThat(redis.port()).isEqualTo(port);
                redis.signal("KILL");
            }
        }
    }

    @Test
    void reportsTheOutputOfAServerThatDoesNotStart() {
        assertThatIllegalStateException()
                .isThrownBy(() -> EmbeddedRedis.start("no-such-setting 1"))
                .withMessageContaining("no-such-setting");
        try (EmbeddedRedis other = EmbeddedRedis.start()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> EmbeddedRedis.start(other.port()))
                    .withMessageContaining("Failed listening on port " + other.port());
        }
    }

    @Test
    void startsWithAPassword() {
        try (EmbeddedRedis redis = EmbeddedRedis.start("requirepass secret")) {
            assertThat(redis.isAlive()).isTrue();
        }
    }

    @Test
    void endsWithAJvmThatIsKilled() {
        try (ChildJvm child = ChildJvm.start(RedisChild.class)) {
            long redis = Long.parseLong(child.ask("a", "redis"));
            long guardian = Long.parseLong(child.ask("a", "guardian"));
            Path directory = Path.of(child.ask("a", "directory"));
            assertThat(ProcessHandle.of(redis)).isPresent();
            assertThat(directory).exists();
            child.signal("KILL");
            await().until(() -> !isAlive(redis) && !isAlive(guardian) && !Files.exists(directory));
        }
    }

    @Test
    void serversOfAJvmShareABinaryThatIsRemovedWhenTheJvmIsKilled() {
        try (EmbeddedRedis first = EmbeddedRedis.start();
                EmbeddedRedis second = EmbeddedRedis.start();
                ChildJvm child = childWithBinary("")) {
            assertThat(binaryOf(second.pid())).isEqualTo(binaryOf(first.pid()));
            Path other = binaryOf(Long.parseLong(child.ask("a", "redis")));
            assertThat(other).isExecutable().isNotEqualTo(binaryOf(first.pid()));
            child.signal("KILL");
            await().until(() -> !Files.exists(other.getParent()));
            assertThat(binaryOf(first.pid())).exists();
        }
    }

    @Test
    void runsTheBinaryThatIsNamed(@TempDir Path directory) throws IOException {
        Path copy = directory.resolve("other-server");
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            Files.copy(binaryOf(redis.pid()), copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
        try (ChildJvm child = childWithBinary(copy.toString())) {
            long redis = Long.parseLong(child.ask("a", "redis"));
            assertThat(binaryOf(redis)).isEqualTo(copy.toRealPath());
            child.signal("KILL");
            await().until(() -> !isAlive(redis));
        }
        assertThat(copy).exists();
    }

    @Test
    void aNamedBinaryThatDoesNotExistIsReported(@TempDir Path directory) {
        Path missing = directory.resolve("missing");
        assertThatIllegalStateException()
                .isThrownBy(() -> childWithBinary(missing.toString()))
                .withMessageContaining("tests.redis names no executable file: " + missing);
    }

    @Test
    void endsWithAJvmThatExits() {
        try (ChildJvm child = ChildJvm.start(RedisChild.class)) {
            long redis = Long.parseLong(child.ask("a", "redis"));
            var unused = child.send("a", "exit");
            await().until(() -> !child.isAlive() && !isAlive(redis));
        }
    }

    @Test
    void endsWithAJvmThatIsKilledAfterItsGuardian() {
        try (ChildJvm child = ChildJvm.start(RedisChild.class)) {
            long redis = Long.parseLong(child.ask("a", "redis"));
            long guardian = Long.parseLong(child.ask("a", "guardian"));
            Processes.signal("KILL", guardian);
            await().until(() -> Long.parseLong(child.ask("a", "guardian")) != guardian);
            assertThat(isAlive(redis)).isTrue();
            child.signal("KILL");
            await().until(() -> !isAlive(redis));
        }
    }

    @Test
    void findsItsFilesAgain() {
        againIfThePortIsTaken(EmbeddedRedisTests::startAgainWithFiles);
    }

    private static void startAgainWithFiles() {
        String[] durable = {"appendonly yes", "appendfsync always"};
        EmbeddedRedis first = EmbeddedRedis.start(durable);
        try (RespClient client = first.connect()) {
            client.call("SET", "kept", "yes");
        }
        first.signal("KILL");
        await().until(() -> !first.isAlive());
        try (EmbeddedRedis second = first.startAgain(durable);
                RespClient client = second.connect()) {
            assertThat(second.port()).isEqualTo(first.port());
            assertThat(client.text("GET", "kept")).isEqualTo("yes");
        }
        assertThat(first.directory()).doesNotExist();
    }

    /** Starts another JVM while the property of this one has that value. */
    private static ChildJvm childWithBinary(String path) {
        String before = System.getProperty(EmbeddedRedis.BINARY_PROPERTY, "");
        System.setProperty(EmbeddedRedis.BINARY_PROPERTY, path);
        try {
            return ChildJvm.start(RedisChild.class);
        } finally {
            System.setProperty(EmbeddedRedis.BINARY_PROPERTY, before);
        }
    }

    private static Path binaryOf(long pid) {
        return Path.of(ProcessHandle.of(pid).orElseThrow().info().command().orElseThrow());
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }

    private static Path directoryOf(EmbeddedRedis redis) {
        try (RespClient client = redis.connect()) {
            return Path.of(client.list("CONFIG", "GET", "dir").get(1));
        }
    }
}
