/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server that refuses writes still delivers messages: no waiter may take one for the lock, however long that lasts.
 */
class RefusedHandOverTests extends AbstractFaultTests {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static final LockRequest WAITING = leased("refused", 20_000).waitForever();

    private RespClient admin;

    @BeforeEach
    void connect() {
        admin = redis.connect();
    }

    @AfterEach
    void disconnect() {
        admin.close();
    }

    enum Refusal {
        SNAPSHOT_FAILED {
            @Override
            void prepare(RefusedHandOverTests test) throws IOException {
                test.admin.call("CONFIG", "SET", "stop-writes-on-bgsave-error", "no", "save", "3600 1");
                Files.createDirectories(
                        test.redis.directory().resolve("dump.rdb").resolve("in the way"));
                test.admin.call("BGSAVE");
                await().atMost(LONG)
                        .until(() -> test.admin.text("INFO", "persistence").contains("rdb_last_bgsave_status:err"));
            }

            @Override
            void begin(RefusedHandOverTests test) {
                test.admin.call("CONFIG", "SET", "stop-writes-on-bgsave-error", "yes");
            }

            @Override
            void end(RefusedHandOverTests test) {
                test.admin.call("CONFIG", "SET", "stop-writes-on-bgsave-error", "no", "save", "");
            }
        },
        READ_ONLY {
            @Override
            void begin(RefusedHandOverTests test) {
                test.admin.call("REPLICAOF", "127.0.0.1", Integer.toString(EmbeddedRedis.freePort()));
            }

            @Override
            void end(RefusedHandOverTests test) {
                test.admin.call("REPLICAOF", "NO", "ONE");
            }
        },
        NO_REPLICAS {
            @Override
            void begin(RefusedHandOverTests test) {
                test.admin.call("CONFIG", "SET", "min-replicas-to-write", "1");
            }

            @Override
            void end(RefusedHandOverTests test) {
                test.admin.call("CONFIG", "SET", "min-replicas-to-write", "0");
            }
        };

        void prepare(RefusedHandOverTests test) throws IOException {}

        abstract void begin(RefusedHandOverTests test);

        abstract void end(RefusedHandOverTests test);
    }

    private static CompletableFuture<LockHandle> acquire(RedisLockTemplate instance) {
        return instance.acquireAsync(WAITING).toCompletableFuture();
    }

    private void awaitWaiting(RedisLockTemplate observer, int waiting) {
        await().atMost(LONG)
                .until(() -> observer.inspect("refused").orElseThrow().waitingInstances() == waiting);
    }

    @ParameterizedTest
    @EnumSource
    void aReleaseThatIsRefusedGrantsTheLockToNoInstanceUntilWritesAreAllowed(Refusal refusal) throws IOException {
        refusal.prepare(this);
        LockHandle handle = patient().acquire(leased("refused", 20_000));
        RedisLockTemplate two = patient();
        CompletableFuture<LockHandle> second = acquire(two);
        awaitWaiting(two, 1);
        CompletableFuture<LockHandle> third = acquire(patient());
        awaitWaiting(two, 2);

        // What is left of the lease when the refusal begins, which lasts longer than that.
        admin.call("PEXPIRE", "lock:{refused}", "2000");
        refusal.begin(this);
        assertThat(catchThrowable(handle::close)).isNotNull();
        await().atMost(LONG).until(() -> admin.number("EXISTS", "lock:{refused}") == 0);
        assertThat(second).isNotDone();
        assertThat(third).isNotDone();
        refusal.end(this);

        LockHandle first = (LockHandle) CompletableFuture.anyOf(second, third)
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
        CompletableFuture<LockHandle> other = second.isDone() ? third : second;
        assertThat(other).isNotDone();
        assertThat(first.isHeld()).isTrue();
        assertThat(first.fencingToken()).isGreaterThan(handle.fencingToken());
        first.close();
        LockHandle last = TestCallers.get(other);
        assertThat(last.fencingToken()).isGreaterThan(first.fencingToken());
        last.close();
    }

    @Test
    void aForcedReleaseThatIsRefusedEndsNoHold() {
        RedisLockTemplate one = patient();
        RedisLockTemplate two = patient();
        LockHandle handle = one.acquire(leased("refused", 30_000));
        LockHandle owned = one.acquire(leased("owned", 30_000).owner("job"));
        Refusal.NO_REPLICAS.begin(this);
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> two.forceRelease("refused"));
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> two.release("owned", "job"));
        Refusal.NO_REPLICAS.end(this);

        // Messages come in the order in which they were sent: after this one, those before would have been heard.
        LockHandle marked = one.acquire(leased("mark", 30_000));
        two.forceRelease("mark");
        await().atMost(LONG).until(() -> !marked.isHeld());
        assertThat(handle.isHeld()).isTrue();
        assertThat(owned.isHeld()).isTrue();
        handle.close();
        owned.close();
    }

    @Test
    void aForcedReleaseBringsTheHighestTokenThatTheInstanceHasSeen() {
        RedisLockTemplate one = patient();
        RedisLockTemplate two = patient();
        LockHandle ahead = one.acquire(leased("ahead", 30_000));
        long far = ahead.fencingToken() + Duration.ofMinutes(1).toNanos() / 1_000;
        admin.call("HSET", "lock:{ahead}", "t", Long.toString(far));
        assertThat(two.tryAcquire(LockRequest.of("ahead").noWait())).isEmpty();

        LockHandle taken = one.acquire(leased("refused", 30_000));
        CompletableFuture<LockHandle> next = acquire(patient());
        awaitWaiting(one, 1);
        assertThat(two.forceRelease("refused")).isTrue();
        LockHandle granted = TestCallers.get(next);
        assertThat(granted.fencingToken()).isGreaterThan(far);
        granted.close();
        ahead.close();
    }

    /** The one who asks may want a lease that is much shorter than that of the holder. */
    @Test
    void aLockWhoseExpiryWasTakenAwayStaysWithItsHolder() {
        LockHandle handle = patient().acquire(leased("refused", 30_000));
        admin.call("PERSIST", "lock:{refused}");
        RedisLockTemplate two = patient();
        CompletableFuture<LockHandle> waiting =
                two.acquireAsync(leased("refused", 200).waitForever()).toCompletableFuture();
        awaitWaiting(two, 1);
        // It has asked, and the lease that it wants has passed.
        LockHandle brief = two.acquire(leased("brief", 1_000).renew(false));
        await().atMost(LONG).until(() -> !brief.isHeld());

        assertThat(waiting).isNotDone();
        assertThat(handle.isHeld()).isTrue();
        assertThat(admin.number("PTTL", "lock:{refused}")).isBetween(1L, 30_000L);
        handle.close();
        // On a busy machine, the reply to its release may take longer than this lease.
        TestCallers.get(waiting).closeAsync();
        await().until(() -> admin.number("EXISTS", "lock:{refused}") == 0);
    }
}
