/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockListener;
import io.distributedlock.LockListener.Attempt;
import io.distributedlock.LockLostException;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.StopSignal;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Starting and stopping the template. */
class TemplateLifecycleTests {

    private static StandaloneServer server;

    private static final EngineSettings PATIENT = Templates.settings(millis(2_000), millis(3_000));

    private static final LockRequest REQUEST = LockRequest.of("cycled");

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, server.redis());

    private final Templates templates = new Templates();

    private final TestCallers callers = new TestCallers();

    @AfterEach
    void close() {
        callers.close();
        templates.close();
    }

    @BeforeAll
    static void start() {
        Templates.warmUpThisJvm();
        server = new StandaloneServer();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void startsAgain() {
        RedisLockTemplate locks = template(PATIENT);
        for (int i = 0; i < 3; i++) {
            assertThat(locks.isRunning()).isTrue();
            locks.acquire(REQUEST).close();
            locks.stop();
            assertThat(locks.isRunning()).isFalse();
            assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.acquire(REQUEST));
            assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.tryAcquire(REQUEST));
            assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.inspect("cycled"));
            assertThat(locks.acquireAsync(REQUEST))
                    .failsWithin(Noise.LATEST)
                    .withThrowableThat()
                    .withCauseInstanceOf(LockUnavailableException.class);
            assertThatIllegalArgumentException().isThrownBy(() -> locks.inspect(" "));
            assertThatIllegalArgumentException().isThrownBy(() -> locks.forceRelease(" "));
            leakCheck.verify();
            locks.start();
        }
    }

    /** Records the outcomes of acquisitions. */
    private static LockListener recording(List<String> outcomes) {
        InvocationHandler attempt = (proxy, method, arguments) -> {
            if (arguments != null) {
                outcomes.add(method.getName() + " " + arguments[0]);
            }
            return null;
        };
        Object attempts =
                Proxy.newProxyInstance(Attempt.class.getClassLoader(), new Class<?>[] {Attempt.class}, attempt);
        return (LockListener) Proxy.newProxyInstance(
                LockListener.class.getClassLoader(),
                new Class<?>[] {LockListener.class},
                (proxy, method, arguments) -> method.getName().equals("requested") ? attempts : null);
    }

    /** An application that shuts down in the wrong order is visible in the meters. */
    @Test
    void theListenerReceivesTheRequestsThatComeAfterTheStop() {
        List<String> outcomes = Collections.synchronizedList(new ArrayList<>());
        LettuceConnectionFactory factory = server.newConnectionFactory();
        RedisLockTemplate locks = templates.started(
                new RedisLockTemplate(factory, Templates.PREFIX, PATIENT, event -> {}, true, () -> recording(outcomes)),
                factory);
        locks.stop();

        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> locks.acquire(REQUEST))
                .withMessageContaining("Lock 'cycled' is unavailable: the lock template is shutting down");
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.tryAcquire(REQUEST));
        assertThat(locks.acquireAsync(REQUEST)).isCompletedExceptionally();
        assertThat(outcomes).containsExactly("refused UNAVAILABLE", "refused UNAVAILABLE", "refused UNAVAILABLE");
    }

    @Test
    void mayBeStartedAndStoppedTwice() {
        RedisLockTemplate locks = template(PATIENT);
        locks.start();
        locks.acquire(REQUEST).close();
        locks.stop();
        locks.stop();
        locks.close();
        assertThat(locks.isRunning()).isFalse();
    }

    /** As if no further thread could be created, which the operating system may refuse at any step. */
    @Test
    void aStartThatFailsHalfWayLeavesNothingBehind() {
        AtomicBoolean fails = new AtomicBoolean(true);
        ClientResources resources = DefaultClientResources.create();
        ClientResources failing = (ClientResources) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ClientResources.class}, (proxy, method, arguments) -> {
                    if (fails.get() && method.getName().equals("eventExecutorGroup") && isCalledByLastStep()) {
                        throw new OutOfMemoryError("for the test");
                    }
                    return method.invoke(resources, arguments);
                });
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", server.redis().port()),
                LettuceClientConfiguration.builder().clientResources(failing).build());
        factory.afterPropertiesSet();
        try (RedisLockTemplate locks = new RedisLockTemplate(factory, Templates.PREFIX, PATIENT)) {
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(locks::start);
            assertThat(locks.isRunning()).isFalse();
            leakCheck.verify();

            fails.set(false);
            locks.acquire(REQUEST).close();
        } finally {
            factory.destroy();
            resources.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    private static boolean isCalledByLastStep() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith("InstanceLabelKey")));
    }

    @Test
    void worksBeforeItIsStarted() {
        LettuceConnectionFactory factory = server.newConnectionFactory();
        try (RedisLockTemplate locks = new RedisLockTemplate(factory, Templates.PREFIX, PATIENT)) {
            assertThat(locks.isRunning()).isFalse();
            locks.acquire(REQUEST).close();
            assertThat(locks.isRunning()).isTrue();
        } finally {
            factory.destroy();
        }
    }

    /** As when a context whose start takes long is closed: no connection may remain that nothing closes. */
    @Test
    void aCallThatCameBeforeTheStopDoesNotStartItAgain() {
        LettuceConnectionFactory factory = server.newConnectionFactory();
        CompletableFuture<Boolean> mayStart = new CompletableFuture<>();
        RedisLockTemplate locks = new RedisLockTemplate(factory, Templates.PREFIX, PATIENT, event -> {}, true, () -> {
            mayStart.join();
            return null;
        });
        try {
            TestCallers.Call<?> start = waiting(locks::start);
            TestCallers.Call<?> stop = waiting(locks::close);
            TestCallers.Call<?> call = waiting(() -> locks.acquire(REQUEST));
            mayStart.complete(true);
            assertThat(call.failure()).isInstanceOf(LockUnavailableException.class);
            start.get();
            stop.get();
            assertThat(locks.isRunning()).isFalse();
        } finally {
            mayStart.complete(true);
            locks.close();
            factory.destroy();
        }
    }

    private TestCallers.Call<?> waiting(Runnable task) {
        TestCallers.Call<?> call = callers.call(() -> {
            task.run();
            return true;
        });
        await().until(() -> call.thread().getState() == Thread.State.WAITING);
        return call;
    }

    @Test
    void letsHoldsContinueWhileItStops() {
        RedisLockTemplate locks = template(Templates.settings(millis(2_000), Noise.LATEST));
        LockHandle handle = locks.acquire(leased("cycled", 3_000));
        CompletableFuture<Stopwatch> stopping = new CompletableFuture<>();
        TestCallers.Call<Duration> stop = callers.call(() -> {
            Stopwatch watch = Stopwatch.start();
            stopping.complete(watch);
            locks.stop();
            return watch.elapsed();
        });
        Stopwatch watch = TestCallers.get(stopping);
        HoldAssertions.awaitRenewals(handle, 1, () -> assertThat(stop.isDone()).isFalse());
        Duration held = watch.elapsed();
        handle.close();
        Duration closed = watch.elapsed();
        assertThat(stop.get()).isBetween(held, closed.plus(Noise.now()));
        assertThat(server.keys(Templates.PREFIX)).isEmpty();
    }

    @Test
    void revokesHoldsAtTheEndOfTheGrace() {
        RedisLockTemplate locks = template(Templates.settings(millis(2_000), millis(300)));
        LockHandle handle = locks.acquire(REQUEST);
        CompletableFuture<Boolean> lost = new CompletableFuture<>();
        handle.onLost(() -> lost.complete(true));
        assertThat(Stopwatch.time(locks::stop))
                .isBetween(millis(300), millis(300).plus(Noise.now()).plus(Noise.now()));
        assertThat(TestCallers.get(lost)).isTrue();
        assertThat(server.keys(Templates.PREFIX)).isEmpty();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    @Test
    void endsWaitsAtOnce() {
        RedisLockTemplate holder = template(PATIENT);
        RedisLockTemplate locks = template(PATIENT);
        try (LockHandle handle = holder.acquire(REQUEST)) {
            TestCallers.Call<?> waiter = callers.call(() -> locks.acquire(REQUEST.waitForever()));
            CompletableFuture<LockHandle> later =
                    locks.acquireAsync(REQUEST.waitForever()).toCompletableFuture();
            await().until(() -> holder.inspect("cycled").orElseThrow().waitingInstances() == 1);
            assertThat(Stopwatch.time(locks::stop))
                    .as("less than the grace")
                    .isLessThan(millis(1_500).plus(Noise.now()));
            assertThat(waiter.failure()).isInstanceOf(LockUnavailableException.class);
            assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> TestCallers.get(later));
            assertThat(holder.inspect("cycled").orElseThrow().waitingInstances())
                    .isZero();
            assertThat(handle.isHeld()).isTrue();
        }
    }

    /** Its connections are its own: what the application does with its factory is none of its business. */
    @Test
    void survivesTheStopOfTheConnectionFactory() {
        LettuceConnectionFactory factory = server.newConnectionFactory();
        RedisLockTemplate locks = templates.on(factory, PATIENT);
        try (LockHandle handle = locks.acquire(leased("cycled", 3_000))) {
            factory.stop();
            HoldAssertions.awaitRenewals(handle, 1);
            factory.start();
            locks.acquire(LockRequest.of("other")).close();
        }
    }

    /** A caller during its stop and start is served or refused, and nothing else. */
    @Test
    void stopsAndStartsUnderLoad() {
        RedisLockTemplate locks = template(Templates.settings(millis(2_000), millis(50)));
        StopSignal stop = new StopSignal();
        List<TestCallers.Call<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            calls.add(callers.call(() -> {
                int served = 0;
                while (!stop.isSet()) {
                    try (LockHandle handle = locks.acquire(REQUEST.lease(millis(2_000)))) {
                        served += handle.fencingToken() > 0 ? 1 : 0;
                    } catch (LockUnavailableException | LockReleaseUnconfirmedException | LockLostException e) {
                        stop.isSetWithin(100_000);
                    }
                }
                return served;
            }));
        }
        try {
            for (int i = 0; i < 15; i++) {
                locks.acquire(LockRequest.of("between")).close();
                locks.stop();
                assertThat(server.keys(Templates.PREFIX))
                        .filteredOn(key -> key.endsWith("}"))
                        .as("locks left behind by stop %d", i)
                        .isEmpty();
                locks.start();
            }
        } finally {
            stop.set();
        }
        assertThat(calls.stream().mapToInt(TestCallers.Call::get).sum()).isPositive();
    }

    private RedisLockTemplate template(EngineSettings settings) {
        return templates.on(server.newConnectionFactory(), settings);
    }
}
