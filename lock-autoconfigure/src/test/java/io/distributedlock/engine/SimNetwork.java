/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStoreException.Effect;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A network by chance: each way has its delays, commands are lost or come late, answers are lost, messages are lost,
 * late or doubled, connections break with commands under way, copies of which may still arrive afterwards.
 */
final class SimNetwork implements Network {

    private static final int COMMANDS = 0;

    private static final int MESSAGES = 1;

    private static final int CONTROL = 2;

    private final Simulation sim;

    private final SimNode node;

    private final Set<SimulatedCall<?>> underWay = new LinkedHashSet<>();

    private boolean connected = true;

    private int connection;

    private long slowUntil;

    private long lastRequest;

    private long lastAnswer;

    private long lastMessage;

    private CompletableFuture<Void> ready = CompletableFuture.completedFuture(null);

    SimNetwork(Simulation sim, SimNode node) {
        this.sim = sim;
        this.node = node;
    }

    // ---- commands

    @Override
    public void send(SimulatedCall<?> call) {
        if (!connected || sim.fault(1)) {
            call.fail(Effect.NOT_EXECUTED);
            return;
        }
        underWay.add(call);
        int through = connection;
        lastRequest = Math.max(lastRequest, sim.elapsed() + delay());
        sim.after(lastRequest - sim.elapsed(), () -> arrive(call, through));
    }

    private void arrive(SimulatedCall<?> call, int through) {
        if (through != connection) {
            arriveLate(call);
        } else if (sim.fault(3)) {
            arriveLate(call);
        } else {
            call.execute();
            lastAnswer = Math.max(lastAnswer, sim.elapsed() + delay());
            if (!sim.fault(2)) {
                sim.after(lastAnswer - sim.elapsed(), node, COMMANDS, () -> answer(call, through));
            }
        }
    }

    /** Its bytes lie in a dead connection, and are read there later or never. */
    private void arriveLate(SimulatedCall<?> call) {
        if (sim.random.nextBoolean()) {
            sim.after(sim.millisUpTo(sim.random.nextBoolean() ? 30 : 800), call::execute);
        }
    }

    private void answer(SimulatedCall<?> call, int through) {
        if (through == connection && underWay.remove(call)) {
            call.answer();
        }
    }

    private long delay() {
        boolean slow = slowUntil > sim.elapsed() && sim.isFaulty();
        return 50_000 + sim.millisUpTo(slow ? 150 : 1);
    }

    // ---- messages

    @Override
    public void deliver(StoreMessage message, Runnable arrival) {
        if (sim.fault(5)) {
            return;
        }
        int through = connection;
        long delay = sim.fault(5) ? sim.millisUpTo(1_500) : delay();
        lastMessage = Math.max(lastMessage, sim.elapsed() + delay);
        schedule(lastMessage, through, arrival);
        if (sim.fault(5)) {
            schedule(lastMessage + sim.millisUpTo(300), through, arrival);
        }
    }

    private void schedule(long time, int through, Runnable arrival) {
        sim.after(time - sim.elapsed(), node, MESSAGES, () -> {
            if (through == connection) {
                arrival.run();
            }
        });
    }

    // ---- connections

    @Override
    public boolean isSubscribed() {
        return connected;
    }

    @Override
    public CompletableFuture<Void> ready() {
        return ready;
    }

    void slowDown(long length) {
        slowUntil = sim.elapsed() + length;
    }

    void disconnect(long length) {
        if (!connected) {
            return;
        }
        connected = false;
        connection++;
        ready = new CompletableFuture<>();
        Set<SimulatedCall<?>> lost = new LinkedHashSet<>(underWay);
        underWay.clear();
        sim.after(sim.millisUpTo(5), node, CONTROL, () -> lost.forEach(call -> call.fail(Effect.UNKNOWN)));
        sim.after(length, this::reconnect);
    }

    private void reconnect() {
        if (connected) {
            return;
        }
        connected = true;
        lastRequest = sim.elapsed();
        lastAnswer = sim.elapsed();
        lastMessage = sim.elapsed();
        ready.complete(null);
        sim.after(sim.millisUpTo(5), node, CONTROL, () -> node.engine.locks().connected());
    }

    void heal() {
        slowUntil = 0;
        reconnect();
    }
}
