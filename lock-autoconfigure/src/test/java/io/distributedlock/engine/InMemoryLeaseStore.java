/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The store of one instance: {@link SharedLeases} behind a {@link Network}. */
final class InMemoryLeaseStore implements LeaseStore {

    /** Commands that are no records of the port. */
    record Inspect(String name) {}

    record ReleaseOwner(String name, String owner) {}

    record ForceRelease(String name) {}

    record Renew(List<RenewCommand> leases) {}

    private final SharedLeases leases;

    private final String instance;

    private final Network network;

    InMemoryLeaseStore(SharedLeases leases, String instance, Network network) {
        this.leases = leases;
        this.instance = instance;
        this.network = network;
    }

    private <T> CompletableFuture<T> send(Object command, Supplier<T> execution) {
        SimulatedCall<T> call = new SimulatedCall<>(command, execution);
        network.send(call);
        return call.answer;
    }

    private <T> StoreCall send(Object command, Supplier<T> execution, Reply<T> to) {
        SimulatedCall<T> call = new SimulatedCall<>(command, execution).tell(to);
        network.send(call);
        return call;
    }

    private String id(long number) {
        return SharedLeases.id(instance, number);
    }

    @Override
    public StoreCall acquire(AcquireCommand command, Reply<AcquireReply> to) {
        boolean receivesMessages = receivesMessages(command.name());
        return send(command, () -> leases.acquire(id(command.number()), command, receivesMessages), to);
    }

    @Override
    public StoreCall release(ReleaseCommand command, Reply<ReleaseReply> to) {
        Requeue requeue = command.requeue();
        String again = requeue == null ? null : id(requeue.number());
        return send(command, () -> leases.release(id(command.number()), again, command), to);
    }

    @Override
    public CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
        return send(
                new Renew(commands),
                () -> commands.stream()
                        .map(command -> leases.renew(id(command.number()), command))
                        .toList());
    }

    @Override
    public CompletableFuture<Optional<LockState>> inspect(String name) {
        return send(new Inspect(name), () -> leases.inspect(name));
    }

    @Override
    public CompletableFuture<ReleaseReply> releaseOwner(String name, String owner, long floor) {
        return send(new ReleaseOwner(name, owner), () -> leases.releaseOwner(name, owner, floor));
    }

    @Override
    public CompletableFuture<ReleaseReply> forceRelease(String name, long floor) {
        return send(new ForceRelease(name), () -> leases.forceRelease(name, floor));
    }

    @Override
    public CompletableFuture<Void> ready() {
        return network.ready();
    }

    @Override
    public boolean receivesMessages(String name) {
        return network.isSubscribed();
    }

    @Override
    public boolean isBelowFloor(long token, long floor) {
        return token <= floor && floor > leases.micros();
    }

    @Override
    public boolean isOutOfReach(String name, long number) {
        return network.hasMoved(number);
    }

    @Override
    public void listen(Listener listener) {
        leases.subscribe(instance, network, listener);
    }
}
