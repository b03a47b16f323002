/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RedisNode;
import io.distributedlock.testing.ReplicatedRedis;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.TcpProxy;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Grants and renewals that count only when a replica has them. */
class AcknowledgementTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private static final String SHORTFALL = "only 0 of the 1 replicas";

    private static final int CALLERS = 4;

    private static final int GRANTS = TestLength.choose(200, 500);

    private final Templates templates = new Templates();

    private final TestCallers callers = new TestCallers();

    private ReplicatedRedis redis;

    private RedisNode replica;

    @BeforeEach
    void start() {
        redis = ReplicatedRedis.start(1);
        replica = redis.replicas().get(0);
    }

    @AfterEach
    void stop() {
        callers.close();
        templates.close();
        redis.close();
    }

    private RedisLockTemplate locks(int acknowledge) {
        return locks(acknowledge, TIMEOUT);
    }

    private RedisLockTemplate locks(int acknowledge, Duration timeout) {
        return locks(redis.master().port(), acknowledge, timeout);
    }

    private RedisLockTemplate locks(int port, int acknowledge, Duration timeout) {
        return locks(StandaloneServer.connectionFactory(port), acknowledge, timeout);
    }

    private RedisLockTemplate locks(LettuceConnectionFactory factory, int acknowledge, Duration timeout) {
        RedisLockTemplate locks = new RedisLockTemplate(
                factory, Templates.PREFIX, Templates.SETTINGS, event -> {}, true, () -> null, acknowledge, timeout);
        return templates.started(locks, factory);
    }

    @Test
    void aPromotedReplicaHasEveryLockThatWasGranted() {
        RedisLockTemplate locks = locks(1);
        Set<String> granted = ConcurrentHashMap.newKeySet();
        AtomicInteger refused = new AtomicInteger();
        AtomicBoolean cutOff = new AtomicBoolean();
        AtomicBoolean enough = new AtomicBoolean();
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            String name = "caller-" + i + "-";
            calls.add(callers.call(() -> {
                acquireUntilRefused(locks, name, granted, refused, cutOff, enough);
                return name;
            }));
        }
        try {
            await().until(() -> granted.size() > GRANTS);
            redis.cutOff(replica);
            cutOff.set(true);
            await().until(() -> refused.get() == CALLERS);
        } finally {
            enough.set(true);
        }
        calls.forEach(TestCallers.Call::get);
        RedisLockTemplate careless = locks(0);
        careless.acquire(leased("careless", 60_000));
        redis.master().kill();
        redis.promote(replica);

        try (RespClient client = replica.connect()) {
            assertThat(client.keys("lock:*")).containsAll(granted).doesNotContain("lock:{careless}");
        }
    }

    /** A replica may also be late for a moment before it is cut off: then its callers go on. */
    private static void acquireUntilRefused(
            RedisLockTemplate locks,
            String name,
            Set<String> granted,
            AtomicInteger refused,
            AtomicBoolean cutOff,
            AtomicBoolean enough) {
        for (int i = 0; !enough.get(); i++) {
            try {
                locks.acquire(leased(name + i, 60_000));
                granted.add("lock:{" + name + i + "}");
            } catch (LockUnavailableException e) {
                if (cutOff.get()) {
                    refused.incrementAndGet();
                    return;
                }
            }
        }
    }

    /** The address leads to another server than before, and only the connection of the confirmations was not broken. */
    @Test
    void theConnectionOfTheConfirmationsFollowsTheOthers() {
        try (TcpProxy proxy = TcpProxy.to(redis.master().port());
                ReplicatedRedis other = ReplicatedRedis.start(1)) {
            RedisLockTemplate locks = locks(proxy.port(), 1, TIMEOUT);
            acquireLater(locks, "before").close();
            proxy.leadTo(other.master().port());
            try (RespClient client = redis.master().connect()) {
                List<String> connections = connections(client);
                assertThat(connections).hasSize(3);
                // At once: if only one of them leads to the other server, all connections are opened again.
                client.call("MULTI");
                client.call("CLIENT", "KILL", "ID", connections.get(2));
                client.call("CLIENT", "KILL", "ID", connections.get(0));
                assertThat(client.call("EXEC")).isEqualTo(List.of(1L, 1L));

                await().until(() -> connections(client).isEmpty());
            }
            acquireLater(locks, "after").close();
        }
    }

    /** Those of the instance in the order in which they were opened: for messages, for confirmations, for commands. */
    private static List<String> connections(RespClient client) {
        return client.call("CLIENT", "LIST")
                .toString()
                .lines()
                .filter(line -> line.contains(" name=lock:"))
                .map(line -> line.substring("id=".length(), line.indexOf(' ')))
                .toList();
    }

    @Test
    void aGrantThatNoReplicaConfirmsIsReleased() {
        RedisLockTemplate locks = locks(1);
        acquireLater(locks, "warm-up").close();
        redis.cutOff(replica);
        assertThatThrownBy(() -> locks.acquire(leased("unconfirmed", 60_000)))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining(SHORTFALL);
        await().until(() -> locked().isEmpty());
        redis.reconnect(replica);
        try (LockHandle handle = acquireLater(locks, "unconfirmed")) {
            assertThat(handle.isHeld()).isTrue();
        }
    }

    /**
     * The instance waits for a reply for a third of the lease, which is less than the time-out of the confirmations.
     */
    @ParameterizedTest
    @ValueSource(ints = {2_000, 400, 90})
    void aShortfallComesInTimeIfTheLeaseIsShort(int leaseMillis) {
        RedisLockTemplate locks = locks(1);
        acquireLater(locks, "warm-up").close();
        redis.cutOff(replica);
        Stopwatch watch = Stopwatch.start();
        assertThatThrownBy(() -> locks.acquire(leased("short", leaseMillis).waitUpTo(Duration.ofSeconds(60))))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining(SHORTFALL);

        assertThat(watch.elapsed()).as("not after the whole wait").isLessThan(Duration.ofSeconds(55));
        await().until(() -> locked().isEmpty());
    }

    /** The confirmation of one that comes during another confirmation begins late. */
    @Test
    void aShortfallComesBeforeTheCommandTimeoutAlsoBehindAnotherConfirmation() {
        RedisLockTemplate locks = locks(1, Duration.ofMillis(1_800));
        acquireLater(locks, "warm-up").close();
        redis.cutOff(replica);
        CompletableFuture<LockHandle> first =
                locks.acquireAsync(leased("first", 60_000)).toCompletableFuture();
        await().until(() -> locked().contains("lock:{first}"));
        CompletableFuture<LockHandle> second = locks.acquireAsync(
                        leased("second", 60_000).waitUpTo(Duration.ofSeconds(60)))
                .toCompletableFuture();

        assertThatThrownBy(first::join).hasRootCauseInstanceOf(AcknowledgedRenewal.ShortfallException.class);
        assertThatThrownBy(second::join).hasRootCauseInstanceOf(AcknowledgedRenewal.ShortfallException.class);
    }

    /** A retry would be refused as well. */
    @Test
    void aUserWithoutTheRightToWaitIsRefusedAtOnceAndHoldsNothing() {
        redis.master().text("ACL", "SETUSER", "limited", "on", ">pw", "~*", "&*", "+@all", "-wait");
        RedisStandaloneConfiguration target =
                new RedisStandaloneConfiguration("127.0.0.1", redis.master().port());
        target.setUsername("limited");
        target.setPassword("pw");
        RedisLockTemplate locks = locks(StandaloneServer.connectionFactory(target), 1, TIMEOUT);
        Stopwatch watch = Stopwatch.start();
        assertThatThrownBy(() -> locks.acquire(leased("refused", 60_000).waitUpTo(Duration.ofSeconds(60))))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("NOPERM")
                .hasMessageContaining("'wait'");

        assertThat(watch.elapsed()).as("not after the whole wait").isLessThan(Duration.ofSeconds(55));
        await().until(() -> locked().isEmpty());
    }

    /** The master has shortened the lease, so another instance gets the lock at the new end. */
    @Test
    void anExtensionWhoseConfirmationIsRefusedShortensTheLease() {
        redis.master().text("ACL", "SETUSER", "limited", "on", ">pw", "~*", "&*", "+@all");
        RedisStandaloneConfiguration target =
                new RedisStandaloneConfiguration("127.0.0.1", redis.master().port());
        target.setUsername("limited");
        target.setPassword("pw");
        RedisLockTemplate locks = locks(StandaloneServer.connectionFactory(target), 1, TIMEOUT);
        acquireLater(locks, "warm-up").close();
        LockHandle handle = acquireLater(locks, leased("shorter", 60_000).renew(false));
        redis.master().text("ACL", "SETUSER", "limited", "-wait");
        assertThatThrownBy(() -> handle.extend(Duration.ofSeconds(2)))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("'wait'");

        assertThat(handle.remainingLease()).isLessThanOrEqualTo(Duration.ofSeconds(2));
        await().until(() -> !handle.isHeld());
    }

    @Test
    void theHealthShowsThatNoReplicaConfirms() {
        RedisLockTemplate locks = locks(1);
        await().until(() -> locks.availability().isFull());
        redis.cutOff(replica);
        await().untilAsserted(() -> assertThat(locks.availability().failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.error()).contains(SHORTFALL)));
        await().until(() -> locked().isEmpty());
        redis.reconnect(replica);
        await().until(() -> locks.availability().isFull());
    }

    @Test
    void aReleaseWithAMinimumHoldNeedsNoReplica() {
        RedisLockTemplate locks = locks(1);
        acquireLater(locks, "warm-up").close();
        LockHandle handle = acquireLater(locks, leased("minimum", 60_000).minHold(Duration.ofSeconds(60)));
        redis.cutOff(replica);

        assertThatCode(handle::close).doesNotThrowAnyException();
        assertThat(locks.inspect("minimum")).isPresent();
        locks.forceRelease("minimum");
    }

    /** The time for a reply ends long before the confirmation would. */
    @Test
    void aReleaseWithAMinimumHoldAndAShortLeaseDoesNotWaitForAReplica() {
        LettuceConnectionFactory factory =
                StandaloneServer.connectionFactory(redis.master().port());
        RedisLockTemplate locks = templates.started(
                new RedisLockTemplate(
                        factory,
                        Templates.PREFIX,
                        Templates.PATIENT,
                        event -> {},
                        true,
                        () -> null,
                        1,
                        Duration.ofSeconds(9)),
                factory);
        acquireLater(locks, "warm-up").close();
        LockHandle handle = locks.acquire(leased("minimum", 6_000).minHold(Duration.ofSeconds(60)));
        redis.cutOff(replica);

        assertThatCode(handle::close).doesNotThrowAnyException();
        assertThat(locks.inspect("minimum")).isPresent();
        locks.forceRelease("minimum");
    }

    /** Redis looks for commands that have waited for too long ten times a second only. */
    @Test
    void aGrantThatNoReplicaConfirmsIsRefusedWithin50MillisOfTheTimeout() {
        Duration timeout = Duration.ofMillis(130);
        RedisLockTemplate locks = locks(1, timeout);
        acquireLater(locks, "warm-up").close();
        replica.freeze();
        try {
            // A busy machine delays some. Redis alone would delay each by 70 ms: it looks every 100 ms, and each
            // request
            // begins with such a look.
            List<Long> late = new ArrayList<>();
            int inARow = 0;
            while (inARow < 8 && late.size() < 60) {
                late.add(lateness(locks, timeout).toMillis());
                inARow = late.get(late.size() - 1) <= 50 ? inARow + 1 : 0;
            }
            System.out.println("Refusals after the time-out, in ms: " + late);
            assertThat(inARow).as("refusals in time: %s", late).isEqualTo(8);
        } finally {
            replica.wake();
        }
    }

    private static Duration lateness(RedisLockTemplate locks, Duration timeout) {
        long began = System.nanoTime();
        assertThatThrownBy(() -> locks.acquire(leased("unconfirmed", 60_000)))
                .hasRootCauseInstanceOf(AcknowledgedRenewal.ShortfallException.class);
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        return took.minus(timeout).minus(Noise.longestSince(began));
    }

    /** All that come during one time-out share the next, so each hears of it before the command time-out. */
    @Test
    void manyGrantsThatNoReplicaConfirmsAreRefusedInTwoTimeouts() {
        RedisLockTemplate locks = locks(1, Duration.ofMillis(500));
        acquireLater(locks, "first").close();
        replica.freeze();
        try {
            List<CompletableFuture<LockHandle>> calls = new ArrayList<>();
            for (int i = 0; i < 1_500; i++) {
                calls.add(locks.acquireAsync(leased("lock-" + i, 60_000)).toCompletableFuture());
            }
            assertThat(calls)
                    .allSatisfy(call -> assertThatThrownBy(call::join)
                            .hasRootCauseInstanceOf(AcknowledgedRenewal.ShortfallException.class));
        } finally {
            replica.wake();
        }
    }

    /**
     * The instance repeats a request that has no reply in time, under the same id. If the replica confirms the second
     * one, the shortfall of the first one must not release the lock.
     */
    @Test
    void aShortfallOfAnEarlierRequestDoesNotReleaseTheGrantOfALaterOne() {
        Duration timeout = Duration.ofMillis(300);
        RedisLockTemplate locks = locks(1, timeout);
        RedisLockTemplate careless = locks(0);
        acquireLater(locks, "warm-up").close();
        keepBusy();
        for (int i = 0; i < 5; i++) {
            String name = "repeated-" + i;
            replica.freeze();
            CompletableFuture<LockHandle> waiting;
            try {
                // The instance waits for a reply for a third of that lease.
                waiting = locks.acquireAsync(leased(name, 750).waitForever()).toCompletableFuture();
                long began = System.nanoTime();
                long shortfall = timeout.plusMillis(30).toNanos();
                await().pollInterval(Duration.ofMillis(5)).until(() -> System.nanoTime() - began > shortfall);
            } finally {
                replica.wake();
            }
            Optional<LockHandle> handle = waiting.handle((granted, refused) -> Optional.ofNullable(granted))
                    .join();
            boolean free = careless.tryAcquire(leased(name, 10_000).noWait()).isPresent();
            assertThat(free && handle.stream().anyMatch(LockHandle::isHeld))
                    .as("two holders")
                    .isFalse();
            handle.ifPresent(LockHandle::closeAsync);
        }
    }

    /** Redis notices the end of a time-out when it handles the next command. */
    private void keepBusy() {
        callers.call(() -> {
            try (RespClient client = redis.master().connect()) {
                while (!Thread.currentThread().isInterrupted()) {
                    client.call("PING");
                }
            }
            return null;
        });
    }

    /** What was handed over by a message is confirmed as well. */
    @Test
    void aHandOverThatNoReplicaConfirmsIsNoHold() {
        RedisLockTemplate first = locks(1);
        RedisLockTemplate second = locks(1);
        LockHandle handle = acquireLater(first, "handed over");
        CompletableFuture<LockHandle> waiting =
                second.acquireAsync(leased("handed over", 60_000).waitForever()).toCompletableFuture();
        await().until(() -> first.inspect("handed over").orElseThrow().waitingInstances() == 1);
        redis.cutOff(replica);
        handle.close();
        assertThatThrownBy(waiting::join).hasRootCauseInstanceOf(AcknowledgedRenewal.ShortfallException.class);
        await().until(() -> locked().isEmpty());
        redis.reconnect(replica);
        acquireLater(second, "handed over").close();
    }

    /** A replica may take longer than the time-out for its first confirmations. */
    private static LockHandle acquireLater(RedisLockTemplate locks, String name) {
        return acquireLater(locks, leased(name, 10_000));
    }

    private static LockHandle acquireLater(RedisLockTemplate locks, LockRequest request) {
        return await().pollInSameThread().ignoreExceptions().until(() -> locks.acquire(request), handle -> true);
    }

    /** The master has renewed it, and a replica that is promoted now would let it end earlier. */
    @Test
    void aRenewalThatNoReplicaConfirmsMovesNoDeadline() {
        RedisLockTemplate locks = locks(1);
        acquireLater(locks, "warm-up").close();
        LockHandle handle = acquireLater(locks, leased("renewed", 3_000));
        AtomicInteger lost = new AtomicInteger();
        handle.onLost(lost::incrementAndGet);
        redis.cutOff(replica);
        await().until(() -> lost.get() == 1);
        assertThat(handle.isHeld()).isFalse();
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void aConfirmedHoldIsRenewed() {
        RedisLockTemplate locks = locks(1);
        acquireLater(locks, "warm-up").close();
        try (LockHandle handle = acquireLater(locks, leased("renewed", 3_000))) {
            HoldAssertions.awaitRenewals(handle, 1);
        }
    }

    @Test
    void onlyAnInstanceThatRequiresItWaitsAndHasAThirdConnection() {
        RedisLockTemplate locks = locks(0);
        locks.acquire(leased("plain", 10_000)).close();
        assertThat(redis.master().text("INFO", "commandstats")).doesNotContain("cmdstat_wait:");
        assertThat(connections()).isEqualTo(2);
        acquireLater(locks(1), "confirmed").close();
        assertThat(redis.master().text("INFO", "commandstats")).contains("cmdstat_wait:");
        assertThat(connections()).isEqualTo(5);
    }

    private long connections() {
        return redis.master()
                .text("CLIENT", "LIST")
                .lines()
                .filter(line -> line.contains("name=lock:"))
                .count();
    }

    /** On a busy machine, there may be the mark of a cancelled acquisition as well. */
    private List<String> locked() {
        try (RespClient client = redis.master().connect()) {
            return client.keys("lock:*").stream()
                    .filter(key -> !key.endsWith("}cancelled"))
                    .toList();
        }
    }
}
