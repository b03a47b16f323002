/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each call has one end, and receives the kind of that end. */
@Timeout(30)
class ScriptCommandTests {

    private static final LuaScript INSPECT = new LuaScript("inspect.lua");

    private static final LuaScript RELEASE = new LuaScript("release.lua");

    private static StandaloneServer server;

    private final RedisClient client =
            RedisClient.create(RedisURI.create("127.0.0.1", server.redis().port()));

    private StatefulRedisConnection<String, String> connection;

    private final ServerReplies answers = new ServerReplies();

    /** What was reported of a call. */
    private static final class ServerReplies implements Reply<Long> {

        private final List<Object> told = new CopyOnWriteArrayList<>();

        @Override
        public void replied(@Nullable Long reply, @Nullable Throwable failure) {
            told.add(failure == null ? String.valueOf(reply) : ((LeaseStoreException) failure).effect());
        }

        void await(Object end) {
            Awaitility.await().until(() -> !told.isEmpty());
            assertThat(told).containsExactly(end);
        }
    }

    @BeforeEach
    void connect() {
        connection = client.connect();
        connection.sync().flushall();
        connection.sync().scriptFlush();
    }

    @AfterEach
    void close() {
        connection.close();
        client.shutdown(0, 5, TimeUnit.SECONDS);
    }

    @BeforeAll
    static void start() {
        server = new StandaloneServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private ScriptCommand<IntegerListOutput, Long> call(LuaScript script, String key) {
        RespArguments operands = new RespArguments().add("1").add(key).add("id").add("5");
        return new ScriptCommand<>(
                connection::dispatch,
                script,
                operands,
                new IntegerListOutput(),
                numbers -> numbers.get(0),
                answers,
                error -> {});
    }

    @Test
    void aScriptThatRedisDoesNotKnowIsSentAsText() {
        call(RELEASE, "k").send();
        answers.await("0");

        answers.told.clear();
        connection.sync().hset("k", "o", "id");
        connection.sync().hset("k", "t", "7");
        call(RELEASE, "k").send();

        answers.await("1");
    }

    @Test
    void anErrorInsideOfTheScriptMayLeaveAPartOfItsEffect() {
        connection.sync().set("k", "no hash");

        call(INSPECT, "k").send();

        answers.await(Effect.PARTIAL);
    }

    @Test
    void anUnreadableReplyIsOfUnknownEffectAndTheConnectionStaysOpen() {
        connection.sync().hset("k", "o", "=somebody");
        connection.sync().hset("k", "t", "7");
        call(INSPECT, "k").send();
        answers.await(Effect.UNKNOWN);

        answers.told.clear();
        call(RELEASE, "other").send();
        answers.await("0");
    }

    @Test
    void aReplyWithTooFewNumbersIsOfUnknownEffect() {
        call(INSPECT, "nothing").send();

        answers.await(Effect.UNKNOWN);
    }

    @Test
    void aCallThatWasCancelledBeforeIsNeverWritten() {
        connection.sync().hset("k", "o", "id");
        connection.sync().hset("k", "t", "7");
        ScriptCommand<IntegerListOutput, Long> call = call(RELEASE, "k");
        call.cancel();
        call.send();
        connection.sync().ping();

        answers.await(Effect.UNKNOWN);
        assertThat(connection.sync().exists("k")).isEqualTo(1);
    }

    @Test
    void aCallThatIsCancelledWhileUnderWayReportsOnlyTheCancellation() {
        connection.setAutoFlushCommands(false);
        ScriptCommand<IntegerListOutput, Long> call = call(RELEASE, "k").send();
        connection.flushCommands();
        call.cancel();
        connection.setAutoFlushCommands(true);
        connection.sync().ping();

        answers.await(Effect.UNKNOWN);
    }

    @Test
    void aClosedConnectionIsReported() {
        connection.close();

        call(RELEASE, "k").send();

        answers.await(Effect.UNKNOWN);
    }

    @Test
    void numbersAreReadAsNumbersAndAsText() {
        IntegerListOutput numbers = new IntegerListOutput();
        numbers.multi(3);
        numbers.set(-1);
        numbers.set(ByteBuffer.wrap("1795238684123456".getBytes(StandardCharsets.US_ASCII)));
        numbers.set(0);

        assertThat(numbers.size()).isEqualTo(3);
        assertThat(List.of(numbers.get(0), numbers.get(1), numbers.get(2))).containsExactly(-1L, 1795238684123456L, 0L);
    }
}
