/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LongHoldEvent;
import io.distributedlock.LongWaitEvent;
import io.distributedlock.observation.SlowLockWatch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.EventListener;

/** An application receives events about waits and holds that last too long, with a real Redis. */
@ExtendWith(OutputCaptureExtension.class)
class SlowLockWatchTests extends AbstractRedisApplicationTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final ApplicationContextRunner runner = application().withBean(Events.class);

    static class Events {

        private final List<LockEvent> all = new CopyOnWriteArrayList<>();

        @EventListener
        void add(LockEvent event) {
            all.add(event);
        }

        <T> List<T> of(Class<T> type) {
            return all.stream().filter(type::isInstance).map(type::cast).toList();
        }
    }

    @Test
    void aLongWaitNamesTheInstanceThatHoldsTheLock() {
        runner.withPropertyValues("distributed-lock.warn.waiting=0s", "distributed-lock.warn.holding=300ms")
                .run(holder -> runner.withPropertyValues("distributed-lock.warn.waiting=300ms")
                        .run(waiter -> {
                            LockHandle held =
                                    holder.getBean(LockOperations.class).acquire(LockRequest.of("a"));
                            CompletableFuture<LockHandle> waiting = waiter.getBean(LockOperations.class)
                                    .acquireAsync(LockRequest.of("a").waitForever())
                                    .toCompletableFuture();
                            Events told = waiter.getBean(Events.class);
                            await().atMost(LONG)
                                    .until(() -> !told.of(LongWaitEvent.class).isEmpty());
                            await().atMost(LONG)
                                    .until(() -> !holder.getBean(Events.class)
                                            .of(LongHoldEvent.class)
                                            .isEmpty());
                            held.close();
                            waiting.join().close();

                            assertThat(told.of(LongWaitEvent.class))
                                    .singleElement()
                                    .satisfies(event -> assertThat(event.holder())
                                            .isEqualTo(holder.getBean(LockMonitor.class)
                                                    .activity()
                                                    .instance()));
                            assertThat(holder.getBean(Events.class).of(LongHoldEvent.class))
                                    .singleElement()
                                    .satisfies(event -> assertThat(event.caller())
                                            .isEqualTo(Thread.currentThread().getName()));
                        }));
        assertThat(Thread.getAllStackTraces().keySet()).noneMatch(SlowLockWatchTests::isLookingForLocks);
    }

    private static boolean isLookingForLocks(Thread thread) {
        if (thread.getName().equals("distributed-lock-watch")) {
            await().atMost(LONG).until(() -> !thread.isAlive());
        }
        return thread.isAlive() && thread.getName().equals("distributed-lock-watch");
    }

    @Test
    void nothingLooksIfBothAreZero() {
        runner.withPropertyValues("distributed-lock.warn.waiting=0", "distributed-lock.warn.holding=0")
                .run(context -> assertThat(context.getBean(SlowLockWatch.class).isRunning())
                        .isFalse());
    }

    @Test
    void aHoldThatReachesMaxHoldLogsTheStackOfItsThread(CapturedOutput log) {
        runner.run(context -> {
            LockHandle held = context.getBean(LockOperations.class)
                    .acquire(LockRequest.of("a").maxHold(Duration.ofMillis(200)));
            await().atMost(LONG).until(() -> log.getOut().contains("(maxHold) while thread"));
            assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
        });
        assertThat(log.getOut())
                .contains("while thread '" + Thread.currentThread().getName() + "' was here:\n\tat ")
                .contains(getClass().getName());
    }
}
