/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A method whose thread is interrupted when its lock is lost. */
class InterruptedByLossTests {

    private static final Duration SOON = Noise.patience().multipliedBy(2);

    private static EmbeddedRedis redis;

    private final CountDownLatch never = new CountDownLatch(1);

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    private static void run(BiConsumer<Work, LockOperations> test) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class))
                .withPropertyValues("spring.data.redis.port=" + redis.port(), TestRedis.PATIENT)
                .withBean(Work.class)
                .run(context -> {
                    test.accept(context.getBean(Work.class), context.getBean(LockOperations.class));
                    assertThat(Thread.currentThread().isInterrupted())
                            .as("the flag after the call")
                            .isFalse();
                });
    }

    private boolean waitInVain() throws InterruptedException {
        return never.await(SOON.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** By another thread, as this one may be interrupted before it hears the answer. */
    private static void takeAway(LockOperations locks) {
        Background.run(() -> locks.forceRelease("work"));
    }

    @Test
    void theCallerSeesTheLossAndNotTheInterrupt() {
        run((work, locks) -> assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> work.run(() -> {
                    takeAway(locks);
                    return waitInVain();
                }))
                .satisfies(ex -> assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(InterruptedException.class))
                .satisfies(ex -> assertThat(ex.heldFor()).isLessThan(SOON)));
    }

    @Test
    void theCallerSeesTheLossIfTheMethodReturnsInSpiteOfTheInterrupt() {
        run((work, locks) -> assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> work.run(() -> {
                    takeAway(locks);
                    try {
                        return waitInVain();
                    } catch (InterruptedException ex) {
                        Thread.currentThread().interrupt();
                        return "done";
                    }
                })));
    }

    @Test
    void anotherFailureOfTheMethodIsThrown() {
        run((work, locks) -> assertThatIllegalStateException()
                .isThrownBy(() -> work.run(() -> {
                    takeAway(locks);
                    try {
                        return waitInVain();
                    } catch (InterruptedException ex) {
                        throw new IllegalStateException("its own");
                    }
                }))
                .withMessage("its own")
                .satisfies(ex -> assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(LockLostException.class)));
    }

    /** The caller, and the next task of the thread, must not see the flag that the method has set again. */
    @Test
    void theInterruptEndsWithAMethodThatRestoresItsFlagAndFails() {
        run((work, locks) -> assertThatIllegalStateException()
                .isThrownBy(() -> work.run(() -> {
                    takeAway(locks);
                    try {
                        return waitInVain();
                    } catch (InterruptedException ex) {
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException("its own");
                    }
                }))
                .withMessage("its own"));
    }

    @Test
    void anInterruptThatHasNothingToDoWithTheLockIsKept() {
        run((work, locks) -> {
            work.run(() -> {
                Thread.currentThread().interrupt();
                return "done";
            });
            assertThat(Thread.interrupted()).isTrue();
        });
    }

    @Test
    void aMethodThatOnlyThrowsIsNotInterrupted() {
        run((work, locks) -> assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> work.runWithoutInterrupt(() -> {
                    takeAway(locks);
                    LockHandle handle = LockHandle.current().orElseThrow();
                    await().until(() -> !handle.isHeld());
                    assertThat(never.await(100, TimeUnit.MILLISECONDS)).isFalse();
                    return "done";
                })));
    }

    @Test
    void anInterruptThatAnInnerMethodClearsIsRestoredForTheOuterOne() {
        run((work, locks) -> assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> work.run(() -> {
                    assertThatExceptionOfType(LockLostException.class)
                            .isThrownBy(() -> work.run(() -> {
                                takeAway(locks);
                                return waitInVain();
                            }));
                    return waitInVain();
                }))
                .satisfies(ex -> assertThat(ex.heldFor()).isLessThan(SOON)));
    }

    static class Work {

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        @Nullable
        Object run(Callable<?> body) {
            return call(body);
        }

        @DistributedLocked("'work'")
        @Nullable
        Object runWithoutInterrupt(Callable<?> body) {
            return call(body);
        }

        private static @Nullable Object call(Callable<?> body) {
            try {
                return body.call();
            } catch (Exception ex) {
                throw Work.<RuntimeException>asIs(ex);
            }
        }

        @SuppressWarnings("unchecked")
        private static <E extends Throwable> E asIs(Throwable failure) throws E {
            throw (E) failure;
        }
    }
}
