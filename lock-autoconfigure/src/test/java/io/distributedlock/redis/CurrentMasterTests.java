/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.engine.NanoClock;
import io.distributedlock.logging.FailingLog;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Searches for the master that fail in an unusual way. */
class CurrentMasterTests {

    private static final InetSocketAddress FOUND = InetSocketAddress.createUnresolved("127.0.0.1", 6379);

    private final FailingLocator locator = new FailingLocator();

    private final AtomicInteger closed = new AtomicInteger();

    private final CurrentMaster master = new CurrentMaster(locator, closed::incrementAndGet, NanoClock.SYSTEM);

    /** Throws at the first request, as if no thread could be created. */
    private static final class FailingLocator implements MasterLocator {

        private final AtomicInteger requests = new AtomicInteger();

        private InetSocketAddress found = FOUND;

        @Override
        public void open(Runnable hint) {}

        @Override
        public CompletableFuture<InetSocketAddress> locate() {
            if (requests.getAndIncrement() == 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return CompletableFuture.completedFuture(found);
        }

        @Override
        public CompletableFuture<List<Long>> clocks() {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public String description() {
            return "a test";
        }

        @Override
        public void close() {}
    }

    @AfterEach
    void close() {
        master.close();
    }

    @Test
    void aConnectionAfterASearchThatHasThrownAnErrorGetsTheAddress() {
        CompletableFuture<SocketAddress> first = attempt();

        assertThat(first).isCompletedExceptionally();
        assertThat(master.toConnectTo()).isCompletedWithValue(FOUND);
    }

    /** The line is between the search and its outcome. */
    @Test
    void connectionsToTheFormerMasterAreClosedAlthoughTheLoggerFails() {
        attempt();
        master.lookAgain();
        locator.found = InetSocketAddress.createUnresolved("127.0.0.1", 6380);
        try (FailingLog log = FailingLog.of(CurrentMaster.class)) {
            master.lookAgain();
            assertThat(log.isStarted()).isTrue();
        }

        assertThat(closed).hasValue(1);
    }

    private CompletableFuture<SocketAddress> attempt() {
        try {
            return master.toConnectTo();
        } catch (OutOfMemoryError ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }
}
