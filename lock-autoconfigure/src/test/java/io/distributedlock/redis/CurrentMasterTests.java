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

/** Searches for the master that fail in an unusual way, and masters at other addresses than the servers name. */
class CurrentMasterTests {

    private static final InetSocketAddress FOUND = InetSocketAddress.createUnresolved("127.0.0.1", 6379);

    private final FailingLocator locator = new FailingLocator();

    private final AtomicInteger closed = new AtomicInteger();

    private final CurrentMaster master =
            new CurrentMaster(locator, CompletableFuture::completedFuture, closed::incrementAndGet, NanoClock.SYSTEM);

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
        CompletableFuture<SocketAddress> first = attempt(master);

        assertThat(first).isCompletedExceptionally();
        assertThat(master.toConnectTo()).isCompletedWithValue(FOUND);
    }

    /** The line is between the search and its outcome. */
    @Test
    void connectionsToTheFormerMasterAreClosedAlthoughTheLoggerFails() {
        attempt(master);
        master.lookAgain();
        locator.found = InetSocketAddress.createUnresolved("127.0.0.1", 6380);
        try (FailingLog log = FailingLog.of(CurrentMaster.class)) {
            master.lookAgain();
            assertThat(log.isStarted()).isTrue();
        }

        assertThat(closed).hasValue(1);
    }

    /** Otherwise, each connection would be closed as soon as it is open. */
    @Test
    void aConnectionToTheTranslatedAddressIsAtTheMaster() {
        InetSocketAddress outside = new InetSocketAddress("127.0.0.2", 7_000);
        CurrentMaster translated = master(outside);
        attempt(translated);
        assertThat(translated.toConnectTo()).isCompletedWithValue(outside);

        assertThat(translated.isAt(outside)).isTrue();
        assertThat(translated.isAt(new InetSocketAddress("127.0.0.2", 6_379))).isFalse();
        assertThat(translated.isAt(new InetSocketAddress("127.0.0.1", 7_000))).isFalse();
    }

    /** Two lookups of the name may have two results. */
    @Test
    void aTranslationToANameLeadsToAnyAddress() {
        CurrentMaster translated = master(InetSocketAddress.createUnresolved("master.invalid", 7_000));
        attempt(translated);
        translated.toConnectTo();

        assertThat(translated.isAt(new InetSocketAddress("127.0.0.2", 7_000))).isTrue();
        assertThat(translated.isAt(new InetSocketAddress("127.0.0.2", 6_379))).isFalse();
    }

    private CurrentMaster master(InetSocketAddress reachable) {
        return new CurrentMaster(
                locator, named -> CompletableFuture.completedFuture(reachable), () -> {}, NanoClock.SYSTEM);
    }

    private static CompletableFuture<SocketAddress> attempt(CurrentMaster master) {
        try {
            return master.toConnectTo();
        } catch (OutOfMemoryError ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }
}
