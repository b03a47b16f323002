/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.Noise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Asynchronous callers of a template that was not started. */
class FirstAsyncCallTests {

    private static StandaloneServer server;

    private static final LockRequest REQUEST = LockRequest.of("first");

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, server.redis());

    private final List<Thread> starters = new CopyOnWriteArrayList<>();

    private final CountDownLatch mayStart = new CountDownLatch(1);

    private final LettuceConnectionFactory connections = new SlowFactory();

    private final RedisLockTemplate template = new RedisLockTemplate(connections, Templates.PREFIX, Templates.SETTINGS);

    @AfterEach
    void close() {
        mayStart.countDown();
        template.close();
        connections.destroy();
    }

    @BeforeAll
    static void start() {
        server = new StandaloneServer();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void areNotBlockedByTheStart() {
        List<CompletableFuture<LockHandle>> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(template.acquireAsync(LockRequest.of("first-" + i)).toCompletableFuture());
        }
        assertThat(template.isRunning()).isFalse();
        mayStart.countDown();
        for (CompletableFuture<LockHandle> each : all) {
            assertThat(each).succeedsWithin(Noise.LATEST);
            each.join().close();
        }
        assertThat(starters).isNotEmpty().doesNotContain(Thread.currentThread()).allMatch(starters.get(0)::equals);
    }

    /** As with {@code @MockitoSpyBean}: a spy has copies of the fields, and must not start the original. */
    @Test
    void startTheTemplateThatTheyCall() {
        mayStart.countDown();
        RedisLockTemplate spied = spy(template);
        try {
            CompletableFuture<LockHandle> acquiring =
                    spied.acquireAsync(REQUEST).toCompletableFuture();
            assertThat(acquiring).succeedsWithin(Noise.LATEST);
            acquiring.join().close();
            assertThat(spied.isRunning()).isTrue();
            assertThat(template.isRunning()).isFalse();
        } finally {
            spied.close();
        }
    }

    @Test
    void mayCancelBeforeTheStart() {
        CompletableFuture<LockHandle> cancelled = template.acquireAsync(REQUEST).toCompletableFuture();
        cancelled.cancel(true);
        CompletableFuture<LockHandle> next = template.acquireAsync(REQUEST).toCompletableFuture();
        mayStart.countDown();
        assertThat(next).succeedsWithin(Noise.LATEST);
        next.join().close();
    }

    /** No work was done under it, so a minimum of the hold must not keep the lock. */
    @Test
    void aGrantThatCrossesTheCancellationIsReleasedAsUnused() {
        CompletableFuture<Boolean> requested = new CompletableFuture<>();
        CompletableFuture<LockHandle> granting = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false;
            }
        };
        CompletableFuture<LockHandle> caller = new StartOnDemand()
                .thenAcquire(() -> {}, () -> {
                    requested.complete(true);
                    return granting;
                })
                .toCompletableFuture();
        assertThat(requested).succeedsWithin(Noise.LATEST);
        caller.cancel(true);
        LockHandle granted = mock();
        granting.complete(granted);
        verify(granted, timeout(Noise.LATEST.toMillis())).closeUnused();
        verifyNoMoreInteractions(granted);
    }

    @Test
    void failBecauseTheEngineHasStoppedMeanwhile() {
        template.stop();
        assertThat(template.acquireAsync(REQUEST))
                .failsWithin(Noise.LATEST)
                .withThrowableThat()
                .withCauseInstanceOf(LockUnavailableException.class);
        assertThat(starters).isEmpty();
    }

    /** Its settings cannot be read before the test allows it. */
    private final class SlowFactory extends LettuceConnectionFactory {

        private boolean made;

        SlowFactory() {
            super(new RedisStandaloneConfiguration("127.0.0.1", server.redis().port()));
            afterPropertiesSet();
            made = true;
        }

        @Override
        public LettuceClientConfiguration getClientConfiguration() {
            if (made && isOpening()) {
                starters.add(Thread.currentThread());
                await();
            }
            return super.getClientConfiguration();
        }

        private boolean isOpening() {
            return StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getClassName().endsWith("RunningInstance")));
        }

        private void await() {
            try {
                mayStart.await();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
