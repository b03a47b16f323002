/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockState;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.distributedlock.engine.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What the engine gets for a grant, with confirmations that the test controls. */
class AcknowledgedLeaseStoreTests {

    private static final long LONG_LEASE = Duration.ofHours(1).toMillis();

    private static final EngineSettings SETTINGS = Templates.settings(Duration.ofMinutes(10), Duration.ZERO);

    private final GrantingStore redis = new GrantingStore();

    private final List<CompletableFuture<List<RenewReply>>> confirmations = new CopyOnWriteArrayList<>();

    private final LeaseStore store = new AcknowledgedLeaseStore(
            redis, new ConfirmationTimeout(NanoClock.SYSTEM, SETTINGS::replyTimeout, 1), new Confirmations());

    private final List<String> requested = new CopyOnWriteArrayList<>();

    private final List<Object> answers = Collections.synchronizedList(new ArrayList<>());

    private final class Confirmations implements ConfirmedRenewals {

        @Override
        public CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
            CompletableFuture<List<RenewReply>> confirmation = new CompletableFuture<>();
            confirmations.add(confirmation);
            return confirmation;
        }

        @Override
        public CompletableFuture<List<RenewReply>> renewUnconfirmed(RenewCommand command) {
            return CompletableFuture.completedFuture(List.of(new RenewReply(true, command.token(), 0)));
        }
    }

    private void acquire(long number, long leaseMillis) {
        store.acquire(
                new AcquireCommand("name", number, leaseMillis, 0, true, null, true, 0),
                (reply, failure) -> answers.add(reply == null ? String.valueOf(effect(failure)) : reply));
    }

    private static Effect effect(Throwable failure) {
        assertThat(failure).isInstanceOf(LeaseStoreException.class);
        return ((LeaseStoreException) failure).effect();
    }

    private static AcknowledgedRenewal.ShortfallException shortfall() {
        return new AcknowledgedRenewal.ShortfallException(0, 1);
    }

    @Test
    void aConfirmedGrantIsPassedOn() {
        acquire(1, LONG_LEASE);
        assertThat(answers).isEmpty();
        confirmations.get(0).complete(List.of(new RenewReply(true, 7, 0)));

        assertThat(answers).containsExactly(new AcquireReply.Granted(7, 0));
    }

    /** The engine may have repeated the request meanwhile, and holds the lock by the second grant. */
    @Test
    void aShortfallReleasesNothingByItself() {
        acquire(1, LONG_LEASE);
        acquire(1, LONG_LEASE);
        confirmations.get(1).complete(List.of(new RenewReply(true, 7, 0)));
        confirmations.get(0).completeExceptionally(shortfall());

        assertThat(answers).containsExactly(new AcquireReply.Granted(7, 0), "UNCONFIRMED");
        assertThat(redis.releases).isEmpty();
    }

    @Test
    void aRefusedConfirmationIsFinalAndABrokenOneIsNot() {
        acquire(1, LONG_LEASE);
        acquire(2, LONG_LEASE);
        confirmations.get(0).completeExceptionally(new LeaseStoreException(Effect.REFUSED, "NOPERM", null));
        confirmations.get(1).completeExceptionally(new LeaseStoreException(Effect.NOT_EXECUTED, "LOADING", null));
        acquire(3, LONG_LEASE);
        acquire(4, LONG_LEASE);
        confirmations.get(2).completeExceptionally(new LeaseStoreException(Effect.UNCONFIRMED, "NOPERM", null));
        confirmations.get(3).completeExceptionally(new LeaseStoreException(Effect.PARTIAL, "NOPERM", null));

        assertThat(answers).containsExactly("UNCONFIRMED", "UNKNOWN", "UNCONFIRMED", "UNCONFIRMED");
    }

    /**
     * The engine would take the missing reply for an unknown outcome, and repeat the request until the wait is over.
     */
    @Test
    void aGrantWithoutConfirmationFailsBeforeTheEngineStopsWaiting() {
        acquire(1, 600);

        await().untilAsserted(() -> assertThat(answers).containsExactly("UNCONFIRMED"));
    }

    @Test
    void aRepeatedRequestFailsTogetherWithTheHandOverThatIsBeingConfirmed() {
        List<Long> granted = listen();
        redis.listener().granted("name", 1, 7, LONG_LEASE, 0);
        acquire(1, LONG_LEASE);
        confirmations.get(0).completeExceptionally(shortfall());

        assertThat(answers).containsExactly("UNCONFIRMED");
        assertThat(granted).isEmpty();
    }

    /** The request has made the lease longer, and the replicas may not have that yet. */
    @Test
    void aConfirmedHandOverDoesNotConfirmTheRepeatedRequest() {
        List<Long> granted = listen();
        redis.listener().granted("name", 1, 7, LONG_LEASE, 0);
        acquire(1, LONG_LEASE);
        confirmations.get(0).complete(List.of(new RenewReply(true, 7, 0)));
        assertThat(granted).containsExactly(1L);
        assertThat(answers).isEmpty();
        confirmations.get(1).complete(List.of(new RenewReply(true, 7, 0)));

        assertThat(answers).containsExactly(new AcquireReply.Granted(7, 0));
    }

    @Test
    void anEarlierHandOverDoesNotAffectALaterRequest() {
        listen();
        redis.listener().granted("name", 1, 7, LONG_LEASE, 0);
        confirmations.get(0).completeExceptionally(shortfall());
        acquire(1, LONG_LEASE);
        confirmations.get(1).complete(List.of(new RenewReply(true, 7, 0)));

        assertThat(answers).containsExactly(new AcquireReply.Granted(7, 0));
    }

    /** The waiter is refused by the reply to that request. */
    @Test
    void aHandOverWhoseConfirmationFailsFinallyIsRequestedAtOnce() {
        List<Long> granted = listen();
        redis.listener().granted("name", 1, 7, LONG_LEASE, 0);
        redis.listener().granted("broken", 2, 8, LONG_LEASE, 0);
        confirmations.get(0).completeExceptionally(shortfall());
        confirmations.get(1).completeExceptionally(new LeaseStoreException(Effect.UNKNOWN, "broken", null));

        assertThat(granted).isEmpty();
        assertThat(requested).containsExactly("name");
    }

    private List<Long> listen() {
        List<Long> granted = new CopyOnWriteArrayList<>();
        store.listen(new GrantedOnly(granted, requested));
        return granted;
    }

    /** The numbers of the grants, and the names that have to be requested again. */
    private record GrantedOnly(List<Long> numbers, List<String> requested) implements LeaseStore.Listener {

        @Override
        public void granted(String name, long number, long token, long leaseMillis, int waiting) {
            numbers.add(number);
        }

        @Override
        public void near(String name, long number) {}

        @Override
        public void recalled(String name, long number) {}

        @Override
        public void revoked(String name, long number) {}

        @Override
        public void serverClockSetBack(String name, Duration by) {}

        @Override
        public void connected() {}

        @Override
        public void requestAgain(String name, long number) {
            requested.add(name);
        }

        @Override
        public Iterable<String> names() {
            return List.of();
        }
    }

    /** Grants everything. */
    private static final class GrantingStore implements LeaseStore {

        private final List<ReleaseCommand> releases = new ArrayList<>();

        private final CompletableFuture<Listener> listener = new CompletableFuture<>();

        Listener listener() {
            return listener.join();
        }

        @Override
        public StoreCall acquire(AcquireCommand command, Reply<AcquireReply> to) {
            to.replied(new AcquireReply.Granted(7, 0), null);
            return () -> {};
        }

        @Override
        public StoreCall release(ReleaseCommand command, Reply<ReleaseReply> to) {
            releases.add(command);
            return () -> {};
        }

        @Override
        public CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Optional<LockState>> inspect(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<ReleaseReply> releaseOwner(String name, String owner, long floor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<ReleaseReply> forceRelease(String name, long floor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> ready() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void listen(Listener engine) {
            listener.complete(engine);
        }
    }
}
