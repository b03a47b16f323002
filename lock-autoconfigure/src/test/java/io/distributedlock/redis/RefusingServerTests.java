/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockAvailability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.lettuce.core.RedisCommandExecutionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/** Redis replies, but with an error: callers get that error, no instance asks in a loop, and it passes. */
class RefusingServerTests extends AbstractFaultTests {

    private static final String PASSWORD = "very-secret-password";

    private static final Duration OUTAGE = millis(900);

    /** From the end of the fault until it is no longer felt: the longest pause between two tries, and the try. */
    private static final Duration RECOVERY = millis(1_000);

    private static final int CALLERS = 20;

    private RespClient admin;

    @BeforeEach
    void addUser() {
        admin = redis.connect();
        setUser("on", ">" + PASSWORD, "~lock:*", "&lock:*", "+@all", "-@admin");
    }

    @AfterEach
    void closeAdmin() {
        admin.close();
    }

    private void setUser(String... rules) {
        admin.call(concat(new String[] {"ACL", "SETUSER", "locks"}, rules));
    }

    private static String[] concat(String[] first, String[] second) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(List.of(second));
        return all.toArray(String[]::new);
    }

    private RedisLockTemplate instance(Refusal refusal) {
        return instance(refusal, Templates.IMPATIENT);
    }

    private RedisLockTemplate instance(Refusal refusal, EngineSettings settings) {
        if (refusal == Refusal.NO_PASSWORD) {
            return direct(settings);
        }
        RedisStandaloneConfiguration target = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
        target.setUsername("locks");
        target.setPassword(PASSWORD);
        return templates.on(StandaloneServer.connectionFactory(target), settings);
    }

    /** What Redis refuses, and by which word. */
    enum Refusal {
        SNAPSHOT_FAILED("MISCONF", true) {
            @Override
            void prepare(RefusingServerTests test) throws IOException {
                test.admin.call("CONFIG", "SET", "stop-writes-on-bgsave-error", "no", "save", "3600 1");
                Path directory = Path.of(test.admin.list("CONFIG", "GET", "dir").get(1));
                Files.createDirectories(directory.resolve("dump.rdb").resolve("in the way"));
                test.admin.call("BGSAVE");
                await().until(() -> test.admin.text("INFO", "persistence").contains("rdb_last_bgsave_status:err"));
            }

            @Override
            void begin(RefusingServerTests test) {
                test.admin.call("CONFIG", "SET", "stop-writes-on-bgsave-error", "yes");
            }

            @Override
            void end(RefusingServerTests test) {
                // With snapshots, it would not end before it could write one.
                test.admin.call("CONFIG", "SET", "stop-writes-on-bgsave-error", "no", "save", "");
            }
        },
        READ_ONLY("READONLY", true) {
            @Override
            void begin(RefusingServerTests test) {
                test.admin.call("REPLICAOF", "127.0.0.1", Integer.toString(EmbeddedRedis.freePort()));
            }

            @Override
            void end(RefusingServerTests test) {
                test.admin.call("REPLICAOF", "NO", "ONE");
            }
        },
        BUSY("BUSY", true) {
            @Override
            void begin(RefusingServerTests test) {
                test.admin.call("CONFIG", "SET", "busy-reply-threshold", "10");
                RespClient busy = test.redis.connect();
                test.callers.call(() -> {
                    try (busy) {
                        return busy.call("EVAL", "while true do end", "0");
                    } catch (IllegalStateException e) {
                        return "killed";
                    }
                });
                await().until(() -> test.errorOf("GET", "lock:none").startsWith("BUSY"));
            }

            @Override
            void end(RefusingServerTests test) {
                test.admin.call("SCRIPT", "KILL");
                await().until(() -> !test.errorOf("GET", "lock:none").startsWith("BUSY"));
            }
        },
        NO_MEMORY("OOM", false) {
            @Override
            void begin(RefusingServerTests test) {
                test.admin.call("CONFIG", "SET", "maxmemory", "1");
            }

            @Override
            void end(RefusingServerTests test) {
                test.admin.call("CONFIG", "SET", "maxmemory", "0");
            }
        },
        NO_SCRIPTS("NOPERM", false) {
            @Override
            void begin(RefusingServerTests test) {
                test.setUser("-eval", "-evalsha");
            }

            @Override
            void end(RefusingServerTests test) {
                test.setUser("+eval", "+evalsha");
            }
        },
        NO_KEYS("NOPERM", false) {
            @Override
            void begin(RefusingServerTests test) {
                test.setUser("resetkeys", "~other:*");
            }

            @Override
            void end(RefusingServerTests test) {
                test.setUser("~lock:*");
            }
        },
        OTHER_PASSWORD("WRONGPASS", true) {
            @Override
            void begin(RefusingServerTests test) {
                test.setUser("resetpass", ">another");
                test.admin.call("CLIENT", "KILL", "USER", "locks");
            }

            @Override
            void end(RefusingServerTests test) {
                test.setUser(">" + PASSWORD);
            }
        },
        NO_USER("WRONGPASS", true) {
            @Override
            void begin(RefusingServerTests test) {
                test.admin.call("ACL", "DELUSER", "locks");
            }

            @Override
            void end(RefusingServerTests test) {
                test.addUser();
            }
        },
        NO_PASSWORD("NOAUTH", true) {
            @Override
            void begin(RefusingServerTests test) {
                test.admin.call("CONFIG", "SET", "requirepass", PASSWORD);
                Pattern ours = Pattern.compile("id=(\\d+) .* cmd=(?:eval|evalsha|subscribe) ");
                ours.matcher(test.admin.text("CLIENT", "LIST"))
                        .results()
                        .forEach(client -> test.admin.call("CLIENT", "KILL", "ID", client.group(1)));
            }

            @Override
            void end(RefusingServerTests test) {
                test.admin.call("CONFIG", "SET", "requirepass", "");
            }
        },
        /** Redis closes the connection at once, so the reason may be lost with it. */
        TOO_MANY_CLIENTS("max number of clients|was closed|Connection reset", true) {
            @Override
            void begin(RefusingServerTests test) {
                test.admin.call("CONFIG", "SET", "maxclients", "1");
                test.admin.call("CLIENT", "KILL", "USER", "locks");
            }

            @Override
            void end(RefusingServerTests test) {
                test.admin.call("CONFIG", "SET", "maxclients", "10000");
            }
        };

        private final String word;

        /** Whether it is worth waiting, since Redis has not begun to do what was asked. */
        private final boolean waits;

        Refusal(String word, boolean waits) {
            this.word = word;
            this.waits = waits;
        }

        void prepare(RefusingServerTests test) throws IOException {}

        abstract void begin(RefusingServerTests test);

        abstract void end(RefusingServerTests test);
    }

    private String errorOf(String... command) {
        try {
            return admin.text(command);
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource
    void isReportedAndPasses(Refusal refusal) throws IOException {
        refusal.prepare(this);
        RedisLockTemplate holding = instance(refusal);
        // A reply that is late would be another reason than the refusal.
        RedisLockTemplate calling = instance(refusal, Templates.PATIENT);
        LockHandle brief = holding.acquire(leased("brief", refusal == Refusal.NO_MEMORY ? 3_000 : 600));
        LockHandle lasting = holding.acquire(leased("lasting", 60_000));
        LockHandle released = holding.acquire(leased("released", 60_000));
        CompletableFuture<LockHandle> queued =
                calling.acquireAsync(leased("lasting", 600).waitForever()).toCompletableFuture();
        await().until(() -> holding.inspect("lasting").orElseThrow().waitingInstances() == 1);

        CompletableFuture<LockHandle> patient;
        try (CommandCounter counter = CommandCounter.start(redis)) {
            Stopwatch counted = Stopwatch.start();
            refusal.begin(this);
            await().pollInterval(millis(50)).until(() -> isFelt(calling, refusal));
            Stopwatch outage = Stopwatch.start();
            List<TestCallers.Call<LockHandle>> calls = IntStream.range(0, CALLERS)
                    .mapToObj(i -> callers.call(() ->
                            calling.acquire(leased("wanted-" + i % 4, 60_000).waitUpTo(OUTAGE))))
                    .toList();
            patient = calling.acquireAsync(leased("patient", 60_000).waitForever())
                    .toCompletableFuture();
            assertHolderLearnsOfTheLoss(released, lasting, refusal);
            calls.forEach(call -> assertTold(call.failure(), refusal));
            assertThat(outage.elapsed())
                    .isBetween(
                            refusal.waits ? OUTAGE : Duration.ZERO,
                            (refusal.waits ? OUTAGE : Duration.ZERO)
                                    .plus(TIMEOUT)
                                    .plus(TIMEOUT)
                                    .plus(Noise.now()));
            if (refusal == Refusal.NO_MEMORY) {
                HoldAssertions.awaitRenewals(brief, 1);
            } else {
                await().until(() -> !brief.isHeld());
            }
            assertThat(lasting.isHeld()).isTrue();
            Duration lasted = counted.elapsed();
            refusal.end(this);
            assertThat(counter.scriptsTried())
                    .as("scripts of two instances in %s, and for the first tries half a second more", lasted)
                    .isLessThan(2 * 20 * lasted.plusMillis(500).toMillis() / 1_000);
        }

        Stopwatch recovery = Stopwatch.start();
        if (refusal.waits) {
            closeInTime(TestCallers.get(patient));
        } else {
            assertTold(catchThrowable(() -> TestCallers.get(patient)), refusal);
        }
        closeInTime(calling.acquire(LockRequest.of("wanted-0")));
        closeInTime(holding.acquire(LockRequest.of("another")));
        assertThat(lasting.isHeld()).isTrue();
        closeInTime(lasting);
        if (refusal.waits || refusal == Refusal.NO_MEMORY) {
            closeInTime(TestCallers.get(queued));
        } else {
            assertTold(catchThrowable(() -> TestCallers.get(queued)), refusal);
        }
        assertThat(recovery.elapsed()).isLessThan(RECOVERY.plus(Noise.now()));
        if (refusal == Refusal.NO_MEMORY) {
            brief.close();
        } else {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(brief::close);
        }
        if (!refusal.waits && refusal != Refusal.NO_MEMORY) {
            // A release that was refused for good is not repeated, so this entry lives as long as its lease.
            assertThat(holding.forceRelease("released")).isTrue();
        }
        await().atMost(Noise.LATEST).until(() -> keys().isEmpty());
        Engines.awaitEmpty(holding, Noise.LATEST);
        Engines.awaitEmpty(calling, Noise.LATEST);
    }

    /** Where connections break, the reason is known with the first attempt to open them again. */
    private static boolean isFelt(RedisLockTemplate locks, Refusal refusal) {
        try {
            locks.acquire(leased("felt", 1_000).noWait()).close();
            return false;
        } catch (LockReleaseUnconfirmedException | LockLostException e) {
            return false;
        } catch (LockUnavailableException e) {
            return Pattern.compile(refusal.word).matcher(e.getMessage()).find();
        }
    }

    /** A holder needs no memory of Redis, and is notified of everything else. */
    private static void assertHolderLearnsOfTheLoss(LockHandle released, LockHandle lasting, Refusal refusal) {
        if (refusal == Refusal.NO_MEMORY) {
            released.close();
            lasting.extend(millis(60_000));
            return;
        }
        assertThat(catchThrowable(released::close))
                .isInstanceOf(LockReleaseUnconfirmedException.class)
                .satisfies(e -> assertSaysWhy(e, refusal));
        assertTold(catchThrowable(() -> lasting.extend(millis(60_000))), refusal);
    }

    private static void assertTold(Throwable failure, Refusal refusal) {
        assertThat(failure).isInstanceOf(LockUnavailableException.class);
        assertSaysWhy(failure, refusal);
    }

    /** The server's own words, whose lock it is, and no secret. */
    private static void assertSaysWhy(Throwable failure, Refusal refusal) {
        assertThat(failure.getMessage())
                .contains("'" + ((DistributedLockException) failure).lockName() + "'")
                .containsPattern(refusal.word);
        if (refusal != Refusal.TOO_MANY_CLIENTS) {
            assertThat(failure).rootCause().isInstanceOf(RedisCommandExecutionException.class);
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            assertThat(cause.toString()).doesNotContain(PASSWORD);
        }
    }

    /** Without any caller that Redis has refused. */
    @ParameterizedTest
    @EnumSource
    void isShownByTheHealthAndPasses(Refusal refusal) throws IOException {
        refusal.prepare(this);
        RedisLockTemplate idle = instance(refusal);
        await().until(() -> idle.availability().failures().isEmpty());

        refusal.begin(this);
        await().until(() -> Pattern.compile(refusal.word)
                .matcher(idle.availability().toString())
                .find());
        LockAvailability.Failure failure = idle.availability().failures().get(0);
        assertThat(failure.server()).isEqualTo("Redis at 127.0.0.1:" + redis.port());
        assertThat(failure.error()).containsPattern(refusal.word).doesNotContain(PASSWORD);
        assertThat(failure.lasting()).isPositive();

        refusal.end(this);
        await().until(() -> idle.availability().isFull());
        assertThat(keys()).isEmpty();
    }

    /** The connections stand, but no new one is let in: holds are none the worse for it. */
    @Test
    void aServerThatIsFullEndsNoHold() {
        RedisLockTemplate locks = patient();
        LockHandle handle = locks.acquire(leased("full", 3_000));
        admin.call("CONFIG", "SET", "maxclients", "1");
        RedisLockTemplate late = direct();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> late.acquire(LockRequest.of("full").noWait()))
                .withMessageContaining("not connected to Redis");
        HoldAssertions.awaitRenewals(handle, 1);
        locks.acquire(LockRequest.of("more")).close();
        handle.close();
        admin.call("CONFIG", "SET", "maxclients", "10000");
        assertThat(Stopwatch.time(() -> late.acquire(LockRequest.of("full")).close()))
                .isLessThan(RECOVERY.plus(Noise.now()));
    }

    /**
     * A renewal that sets no expiry, as the key has a longer one, still has a new token to write: for that it needed
     * memory, and took all other renewals of its batch with it.
     */
    @Test
    void renewalsOfALockThatWasPassedOnNeedNoMemory() {
        RedisLockTemplate locks = patient();
        LockHandle other = locks.acquire(leased("other", 6_000));
        LockHandle first = locks.acquire(leased("passed", 15_000));
        CompletableFuture<LockHandle> next =
                locks.acquireAsync(leased("passed", 3_000)).toCompletableFuture();
        admin.call("CONFIG", "SET", "maxmemory", "1");
        first.close();

        LockHandle passed = TestCallers.get(next);
        assertThat(passed.fencingToken()).isGreaterThan(first.fencingToken());
        await().until(() -> locks.inspect("passed").orElseThrow().fencingToken() == passed.fencingToken());
        assertThat(admin.text("INFO", "errorstats")).doesNotContain("OOM");
        other.close();
        passed.close();
        assertThat(keys()).isEmpty();
    }

    /** The lock is there; only the look at it is refused, which is no loss. */
    @Test
    void aHolderWithoutTheRightToReadKeepsItsLock() {
        RedisLockTemplate locks = instance(Refusal.NO_SCRIPTS);
        LockHandle handle = locks.acquire(leased("kept", 4_500));
        setUser("-hmget");
        await().until(() -> admin.list("ACL", "LOG").toString().contains("hmget"));
        assertThat(handle.isHeld()).isTrue();
        setUser("+hmget");
        HoldAssertions.awaitRenewals(handle, 1);
        handle.close();
    }

    /** The script has shortened the lease before its next command was refused. */
    @Test
    void anExtensionWhoseScriptFailsHalfwayShortensTheLease() {
        RedisLockTemplate locks = instance(Refusal.SNAPSHOT_FAILED);
        LockHandle handle = locks.acquire(leased("shorter", 60_000).renew(false));
        setUser("-hdel");
        assertThatThrownBy(() -> handle.extend(millis(2_000)))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("script");

        assertThat(admin.number("PTTL", "lock:{shorter}")).isLessThanOrEqualTo(2_000);
        assertThat(handle.remainingLease()).isLessThanOrEqualTo(millis(2_000));
        setUser("+hdel");
    }

    /** Redis has not run the script. */
    @Test
    void anExtensionThatRedisRefusesChangesNothing() {
        RedisLockTemplate locks = instance(Refusal.SNAPSHOT_FAILED);
        LockHandle handle = locks.acquire(leased("same", 60_000).renew(false));
        setUser("-eval", "-evalsha");
        assertThatThrownBy(() -> handle.extend(millis(2_000))).isInstanceOf(LockUnavailableException.class);
        setUser("+eval", "+evalsha");

        assertThat(handle.remainingLease()).isGreaterThan(millis(2_000));
        handle.close();
    }
}
