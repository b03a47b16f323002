/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Locks by the interface of the JDK. */
class LockViewTests extends AbstractLockContract {

    private static StandaloneServer server;

    LockViewTests() {
        super(server);
    }

    @BeforeAll
    static void start() {
        server = new StandaloneServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void locksAndUnlocksAsOftenAsItWasLocked() throws InterruptedException {
        Lock lock = first.asLock(LockRequest.ofAll(List.of("a", "b")).noWait());
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        lock.lockInterruptibly();
        Lock other = second.asLock(LockRequest.of("b"));
        assertThat(other.tryLock()).isFalse();
        assertThat(other.tryLock(20, TimeUnit.MILLISECONDS)).isFalse();
        lock.unlock();
        lock.unlock();
        assertThat(isBusy(second, "a")).isTrue();
        lock.unlock();
        assertThat(keys()).isEmpty();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition);
    }

    @Test
    void aNameWithALineBreakIsOnOneLineOfTheMessage() {
        Lock lock = first.asLock(LockRequest.of("a\nb"));

        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageStartingWith("Lock 'a\\u000Ab' is not held");
    }

    @Test
    void waitsAsLongAsItTakes() {
        Lock lock = first.asLock(LockRequest.of("a"));
        lock.lock();
        TestCallers.Call<Boolean> waiting = callers.call(() -> {
            Lock same = second.asLock(LockRequest.of("a").noWait());
            same.lock();
            same.unlock();
            return true;
        });
        waiting.awaitBlocked();
        lock.unlock();
        assertThat(waiting.get()).isTrue();
        assertThat(keys()).isEmpty();
    }

    /** A view is used again and again. */
    @Test
    void theTimeThatItsRequestHasWaitedDoesNotCount() {
        Lock lock = first.asLock(LockRequest.of("a"));
        lock.lock();
        TestCallers.Call<Boolean> waiting = callers.call(() -> {
            Lock same = second.asLock(LockRequest.of("a").waited(Duration.ofMinutes(2)));
            boolean locked = same.tryLock(1, TimeUnit.MINUTES);
            same.unlock();
            return locked;
        });
        waiting.awaitBlocked();
        lock.unlock();
        assertThat(waiting.get()).isTrue();
    }

    @Test
    void obeysInterruptsWhereTheInterfaceRequiresIt() {
        Lock lock = first.asLock(LockRequest.of("a"));
        Thread.currentThread().interrupt();
        lock.lock();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        lock.unlock();
        assertThat(keys()).isEmpty();
    }

    @Test
    void theLeaseOfAViewThatWasGarbageCollectedEnds() {
        first.asLock(leased("a", 500)).lock();

        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return keys().isEmpty();
        });
    }

    /** Of an explicit owner, which is not the thread. */
    @Test
    void theLeaseOfAThreadThatHasEndedEndsAlthoughTheViewExists() throws InterruptedException {
        Lock lock = first.asLock(leased("a", 500).owner("job"));
        Thread thread = new Thread(lock::lock);
        thread.start();
        thread.join();

        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return keys().isEmpty();
        });
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void reportsALoss() {
        Lock lock = first.asLock(LockRequest.of("a"));
        lock.lock();
        delete(onlyKey());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
    }
}
