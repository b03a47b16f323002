/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The log answers what an operator asks: what was lost, and why does it not stop? */
class LogLinesTests extends AbstractFaultTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    private static List<String> lines(Logs logs, String level) {
        return logs.of("io.distributedlock").stream()
                .filter(line -> line.startsWith(level))
                .toList();
    }

    @Test
    void eachLossIsOneLine() {
        RedisLockTemplate locks = direct(Templates.SETTINGS);
        try (Logs logs = Logs.capture(Level.WARN)) {
            LockHandle forced = locks.acquire(LockRequest.of("forced\nWARN nothing"));
            LockHandle gone = locks.acquire(leased("gone", 20_000));
            locks.forceRelease(forced.name());
            call("DEL", "lock:{gone}");
            assertThatExceptionOfType(LockLostException.class).isThrownBy(gone::close);
            await().atMost(SOON).until(() -> lines(logs, "WARN").size() == 2);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(forced::close);

            String by = ", held by thread '" + Thread.currentThread().getName() + "')";
            assertThat(lines(logs, "WARN"))
                    .hasSize(2)
                    .anySatisfy(line -> assertThat(line)
                            .startsWith("WARN Lock 'forced\\u000AWARN nothing' was lost after ")
                            .contains("forced release")
                            .endsWith("(token " + forced.fencingToken() + by))
                    .anySatisfy(line -> assertThat(line)
                            .startsWith("WARN Lock 'gone' was lost before its release, after ")
                            .containsPattern("after \\d+ ms: it no longer existed")
                            .endsWith("(token " + gone.fencingToken() + by));
        }
    }

    /** What the thread does is for this log alone: another instance is not told. */
    @Test
    void aHoldAtItsMaxHoldNamesItsThreadAndWhereThatIs() {
        HoldAssertions.assertUnlessStalled(Templates.millis(100), this::assertThreadAndPlaceAreNamed);
    }

    private void assertThreadAndPlaceAreNamed() {
        RedisLockTemplate locks = direct(Templates.SETTINGS);
        CountDownLatch end = new CountDownLatch(1);
        try (Logs logs = Logs.capture(Level.WARN)) {
            TestCallers.Call<String> caller = callers.call(
                    () -> holdUntil(end, locks.acquire(leased("old", 20_000).maxHold(Templates.millis(300)))));
            await().atMost(SOON).until(() -> lines(logs, "WARN").size() == 2);
            end.countDown();

            String thread = caller.get();
            assertThat(lines(logs, "WARN"))
                    .hasSize(2)
                    .anySatisfy(line -> assertThat(line)
                            .startsWith("WARN Lock 'old' was lost after ")
                            .contains("maxHold", thread))
                    .anySatisfy(line -> assertThat(line)
                            .startsWith("WARN Lock 'old' had reached its maximum hold time (maxHold) while thread '"
                                    + thread + "' was here:")
                            .contains("LogLinesTests.holdUntil("));
        }
    }

    /** Its work is not that of the thread that has acquired it, and that may do other work by now. */
    @Test
    void aHoldOfAnExplicitOwnerAtItsMaxHoldNamesNoPlace() {
        RedisLockTemplate locks = direct(Templates.SETTINGS);
        try (Logs logs = Logs.capture(Level.WARN)) {
            LockHandle owned = locks.acquire(leased("old", 20_000).owner("job").maxHold(Templates.millis(100)));
            AtomicBoolean told = new AtomicBoolean();
            owned.onLost(() -> told.set(true));
            LockHandle next = locks.acquire(leased("next", 20_000).maxHold(Templates.millis(300)));
            await().atMost(SOON).until(() -> told.get() && !next.isHeld());
            await().atMost(SOON)
                    .until(() -> lines(logs, "WARN").stream()
                            .anyMatch(line -> line.contains("'next' had reached its maximum hold time")));

            assertThat(lines(logs, "WARN")).noneMatch(line -> line.contains("'old' had reached its maximum hold time"));
            assertThatExceptionOfType(LockLostException.class).isThrownBy(owned::close);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(next::close);
        }
    }

    @Test
    void theNameOfAThreadIsShownOnOneLine() throws Exception {
        RedisLockTemplate locks = direct(Templates.SETTINGS);
        CountDownLatch end = new CountDownLatch(1);
        try (Logs logs = Logs.capture(Level.WARN)) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            holdUntil(end, locks.acquire(leased("old", 20_000).maxHold(Templates.millis(100))));
                        } catch (InterruptedException ex) {
                            throw new IllegalStateException(ex);
                        }
                    },
                    "worker\nWARN nothing");
            thread.start();
            await().atMost(SOON).until(() -> lines(logs, "WARN").size() == 2);
            end.countDown();
            thread.join();

            assertThat(lines(logs, "WARN"))
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line).contains("thread 'worker\\u000AWARN nothing'"));
        }
    }

    private static String holdUntil(CountDownLatch end, LockHandle handle) throws InterruptedException {
        assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        return Thread.currentThread().getName();
    }

    @Test
    void stoppingLogsTheHoldsThatItAwaitsAndThoseThatItRevokes() {
        RedisLockTemplate locks = direct(Templates.settings(Duration.ofSeconds(2), Duration.ofMillis(50)));
        LockHandle hung = locks.acquire(LockRequest.of("hung"));
        try (Logs logs = Logs.capture(Level.INFO)) {
            locks.stop();

            assertThat(logs.of("io.distributedlock"))
                    .contains(
                            "INFO Stopping: waiting up to 50 ms for 1 lock: hung",
                            "WARN Stopped: revoked 1 lock: hung, still held at the end of the shutdown grace");
        }
        assertThatExceptionOfType(LockLostException.class).isThrownBy(hung::close);
    }

    @Test
    void eachLockAndUnlockCanBeFollowed() {
        RedisLockTemplate locks = patient();
        Logger logger = (Logger) LoggerFactory.getLogger("io.distributedlock.engine.LockEngine");
        Level before = logger.getLevel();
        logger.setLevel(Level.DEBUG);
        try (Logs logs = Logs.capture(Level.DEBUG)) {
            LockHandle handle = locks.acquire(LockRequest.of("a"));
            callers.call(() -> locks.tryAcquire(LockRequest.of("a").noWait())).get();
            handle.close();

            assertThat(lines(logs, "DEBUG"))
                    .anyMatch(line ->
                            line.matches("DEBUG Lock 'a' was acquired after \\d+ ms, token " + handle.fencingToken()))
                    .anyMatch(line -> line.matches("DEBUG Lock 'a' was not acquired after \\d+ ms: busy"))
                    .anyMatch(line ->
                            line.matches("DEBUG Lock 'a' was released after \\d+ ms, token " + handle.fencingToken()));
        } finally {
            logger.setLevel(before);
        }
    }
}
