package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The scripts by themselves, given what a bad network may make of commands: copies that come twice, or on another connection
 * after what was sent later. No timing, and no client in between that would save them.
 */
class ScriptTests {

    private static final String ENTRY = "lock:{late}";

    private static final String CANCELLED = ENTRY + "cancelled";

    private static final String ONE = "one.secret.1";

    private static final String TWO = "two.secret.1";

    private static EmbeddedRedis redis;

    private static RespClient client;

    @BeforeAll
    static void startServer() {
        redis = EmbeddedRedis.start();
        client = redis.connect();
    }

    @AfterAll
    static void stopServer() {
        client.close();
        redis.close();
    }

    @AfterEach
    void forgetAll() {
        client.call("FLUSHALL");
    }

    private static Object run(String script, int keys, String... operands) {
        try (InputStream in = LuaScript.class.getResourceAsStream(script)) {
            List<String> command = new ArrayList<>(
                    List.of("EVAL", new String(in.readAllBytes(), StandardCharsets.UTF_8), String.valueOf(keys)));
            command.addAll(List.of(operands));
            return client.call(command.toArray(String[]::new));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Object acquire(String id, String lease) {
        return run("acquire.lua", 2, ENTRY, CANCELLED, id, lease, "0", "1");
    }

    private static Object renew(String id, String lease) {
        return run("renew.lua", 1, ENTRY, id, lease, "0", "0");
    }

    private static Object release(String id, String tombstone, String again) {
        return run("release.lua", 2, ENTRY, CANCELLED, id, "0", "id", tombstone, again, "5000");
    }

    private static String field(String name) {
        return client.text("HGET", ENTRY, name);
    }

    private static long ttl() {
        return client.number("PTTL", ENTRY);
    }

    @Test
    void aRepeatedQuestionIsTheSameAcquisition() {
        long token = Long.parseLong((String) acquire(ONE, "5000"));

        assertThat(acquire(ONE, "5000")).isEqualTo(List.of(1L, token, 0L));

        assertThat(field("t")).isEqualTo(String.valueOf(token));
        assertThat(run("release.lua", 1, ENTRY, ONE, "0")).isEqualTo(1L);
        assertThat(client.number("EXISTS", ENTRY)).isZero();
    }

    @Test
    void aLateCopyOfAQuestionDoesNotShortenTheLease() {
        acquire(ONE, "5000");
        renew(ONE, "60000");

        acquire(ONE, "5000");

        assertThat(ttl()).isGreaterThan(50_000);
    }

    @Test
    void aLateCopyOfARenewalDoesNotShortenTheLease() {
        acquire(ONE, "5000");
        renew(ONE, "60000");

        renew(ONE, "5000");

        assertThat(ttl()).isGreaterThan(50_000);
    }

    @Test
    void aLateCopyOfARenewalCreatesNothing() {
        assertThat(renew(ONE, "5000")).isEqualTo(List.of(0L, 0L, 0L));
        assertThat(client.number("EXISTS", ENTRY)).isZero();
    }

    @Test
    void aLateCopyOfARenewalDoesNotLengthenTheLeaseOfTheNext() {
        acquire(TWO, "5000");

        renew(ONE, "60000");

        assertThat(ttl()).isLessThanOrEqualTo(5_000);
        assertThat(field("o")).isEqualTo(TWO);
    }

    @Test
    void aLateCopyOfAReleaseLeavesTheNextHolderAlone() {
        String token = (String) acquire(TWO, "5000");

        assertThat(run("release.lua", 1, ENTRY, ONE, "0")).isEqualTo(List.of(-1L, Long.parseLong(token)));

        assertThat(field("o")).isEqualTo(TWO);
    }

    @Test
    void aCancelledIdDoesNotWin() {
        release(ONE, "5000", "");

        assertThat(acquire(ONE, "5000")).isEqualTo(List.of(3L, 0L));
        acquire(TWO, "5000");
        assertThat(acquire(ONE, "5000")).isEqualTo(List.of(3L, 0L));

        assertThat(field("o")).isEqualTo(TWO);
        assertThat(client.number("HEXISTS", ENTRY, "q")).isZero();
    }

    @Test
    void aCancelledIdDoesNotQueueByALateCopyOfARelease() {
        String again = "two.secret.2";
        acquire(TWO, "5000");
        release(again, "5000", "");

        release(TWO, "0", again);

        assertThat(client.number("EXISTS", ENTRY)).isZero();
    }

    @Test
    void aLockIsNotHandedOverToAnInstanceThatDoesNotListen() {
        acquire(TWO, "60000");
        acquire(ONE, "5000");

        release(TWO, "0", "");

        assertThat(client.number("EXISTS", ENTRY)).isZero();
    }

    @Test
    void aLockThatIsHandedOverHasTheLeaseOfItsNextOwner() {
        acquire(TWO, "60000");
        acquire(ONE, "5000");
        try (RespClient listening = redis.connect()) {
            listening.call("SUBSCRIBE", "lock:instance:one");

            release(TWO, "0", "");
        }

        assertThat(field("o")).isEqualTo(ONE);
        assertThat(ttl()).isBetween(1L, 5_000L);
    }
}
