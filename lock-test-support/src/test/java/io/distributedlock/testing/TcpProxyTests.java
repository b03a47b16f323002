/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTests {

    private static EmbeddedRedis redis;

    private TcpProxy proxy;

    private RespClient client;

    @BeforeEach
    void open() {
        proxy = TcpProxy.to(redis.port());
        client = RespClient.connect(proxy.port(), Noise.patience());
        await().until(() -> proxy.connections() == 1);
    }

    @AfterEach
    void close() {
        client.close();
        proxy.close();
    }

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void passesEverythingOn() {
        String big = "x".repeat(300_000);
        client.call("SET", "big", big);
        assertThat(client.text("GET", "big")).isEqualTo(big);
        assertThat(proxy.connections()).isEqualTo(1);
        client.close();
        await().until(() -> proxy.connections() == 0);
    }

    @Test
    void delaysEachDirection() {
        proxy.requests().delay(Duration.ofMillis(60));
        proxy.replies().delay(Duration.ofMillis(40));
        long start = System.nanoTime();
        client.call("PING");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(100), Noise.LATEST);
    }

    @Test
    void holdsRepliesAndDeliversThemLater() throws IOException {
        proxy.replies().hold();
        client.send("INCR", "held");
        await().until(() -> proxy.replies().pending() > 0);
        assertThat(redis.connect().text("GET", "held")).isEqualTo("1");
        proxy.replies().pass();
        assertThat(client.reply()).isEqualTo(1L);
    }

    @Test
    void blackHoleKeepsTheConnection() throws IOException {
        proxy.blackHole();
        client.send("INCR", "hole");
        client.timeout(Duration.ofMillis(300));
        assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> client.reply());
        assertThat(redis.connect().call("GET", "hole")).isNull();
        assertThat(proxy.connections()).isEqualTo(1);
        proxy.heal();
        client.timeout(Noise.patience());
        assertThat(client.reply()).isEqualTo(1L);
    }

    @Test
    void dropsReplies() throws IOException {
        proxy.replies().drop();
        client.send("INCR", "dropped");
        await().until(() -> proxy.replies().dropped() > 0);
        assertThat(redis.connect().text("GET", "dropped")).isEqualTo("1");
        client.timeout(Duration.ofMillis(300));
        assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> client.reply());
    }

    @Test
    void dropsTheRestOfAReply() throws IOException {
        proxy.replies().dropAfter(3);
        client.send("ECHO", "cut off");
        await().until(() -> proxy.replies().dropped() > 0);
        assertThat(proxy.replies().delivered()).isEqualTo(3);
        assertThat(proxy.cut()).isEqualTo(1);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> client.reply());
    }

    @Test
    void sendsByteByByte() {
        proxy.requests().byteByByte();
        proxy.replies().byteByByte();
        assertThat(client.text("ECHO", "slowly")).isEqualTo("slowly");
    }

    @Test
    void showsWhatComesIn() {
        StringBuffer seen = new StringBuffer();
        proxy.requests().tap(() -> (bytes, count) -> seen.append(new String(bytes, 0, count, US_ASCII)));
        try (RespClient next = RespClient.connect(proxy.port())) {
            next.text("ECHO", "tapped");
        }
        assertThat(seen).hasToString("*2\r\n$4\r\nECHO\r\n$6\r\ntapped\r\n");
    }

    @Test
    void losesSingleMessages() throws IOException {
        client.call("SUBSCRIBE", "channel");
        proxy.replies().lose("lost");
        RespClient publisher = redis.connect();
        publisher.call("PUBLISH", "channel", "this is lost");
        await().until(() -> proxy.replies().dropped() > 0);
        publisher.call("PUBLISH", "channel", "this is not");
        assertThat(client.reply()).isEqualTo(List.of("message", "channel", "this is not"));
    }

    @Test
    void cutsConnections() {
        assertThat(client.text("PING")).isEqualTo("PONG");
        assertThat(proxy.cut()).isEqualTo(1);
        assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("PING"));
        try (RespClient next = RespClient.connect(proxy.port())) {
            assertThat(next.text("PING")).isEqualTo("PONG");
        }
        assertThat(proxy.accepted()).isEqualTo(2);
    }

    @Test
    void deliversWhatAnAbandonedConnectionHasSent() throws IOException {
        proxy.requests().hold();
        client.send("INCR", "abandoned");
        await().until(() -> proxy.requests().pending() > 0);
        assertThat(proxy.abandon()).isEqualTo(1);
        proxy.heal();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> client.reply());
        try (RespClient next = RespClient.connect(proxy.port())) {
            assertThat(next.call("GET", "abandoned")).isNull();
            proxy.deliverAbandoned();
            await().until(() -> "1".equals(next.call("GET", "abandoned")));
            await().until(() -> proxy.connections() == 1);
        }
    }

    @Test
    void refusesAndAcceptsAgain() {
        assertThat(client.text("PING")).isEqualTo("PONG");
        proxy.refuse();
        await().untilAsserted(() -> assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> RespClient.connect(proxy.port()).close()));
        assertThat(client.text("PING")).isEqualTo("PONG");
        proxy.accept();
        try (RespClient next = RespClient.connect(proxy.port())) {
            assertThat(next.text("PING")).isEqualTo("PONG");
        }
    }
}
