/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.Background;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClientShutdownTests {

    /** Its end is that of the future. */
    private static final class SlowClient extends RedisClient {

        private final CompletableFuture<Void> end = new CompletableFuture<>();

        SlowClient() {
            super(StandaloneServer.resources(), RedisURI.create("127.0.0.1", 6379));
        }

        @Override
        public CompletableFuture<Void> shutdownAsync(long quietPeriod, long timeout, TimeUnit unit) {
            return end.thenCompose(done -> super.shutdownAsync(0, 0, unit));
        }
    }

    /** Otherwise what is closed afterwards would stay open. */
    @Test
    void anInterruptedThreadWaitsForTheEndAndKeepsItsFlag() {
        SlowClient client = new SlowClient();
        Thread caller = Thread.currentThread();
        CompletableFuture<Void> other = Background.run(() -> {
            await().until(() -> caller.getState() == Thread.State.TIMED_WAITING);
            client.end.complete(null);
        });

        caller.interrupt();
        LockClientFactory.shutdown(client);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(client.end).isDone();
        other.join();
    }
}
