/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStoreException.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A network that does at once what it is asked, unless the test tells it to hold commands or messages back; then they
 * lie in lists for the test to execute, answer, fail, deliver or forget in any order.
 */
final class TestNetwork implements Network {

    /** A message on its way. */
    record Arrival(StoreMessage message, Runnable delivery) {

        void arrive() {
            delivery.run();
        }
    }

    private final List<SimulatedCall<?>> held = new ArrayList<>();

    private final List<Object> sent = new ArrayList<>();

    private final List<Arrival> arrivals = new ArrayList<>();

    private final List<StoreMessage> told = new ArrayList<>();

    private boolean holdsCommands;

    private volatile long movedUpTo;

    private boolean holdsMessages;

    private boolean down;

    private boolean deaf;

    private @Nullable Effect failure;

    private boolean executesFailing;

    private int failing;

    private @Nullable Error ofSending;

    private volatile CompletableFuture<Void> ready = CompletableFuture.completedFuture(null);

    /** The next command is not even sent. */
    synchronized void failSending(Error error) {
        ofSending = error;
    }

    private synchronized @Nullable Error takeErrorOfSending() {
        Error error = ofSending;
        ofSending = null;
        return error;
    }

    @Override
    public void send(SimulatedCall<?> call) {
        Error error = takeErrorOfSending();
        if (error != null) {
            throw error;
        }
        Runnable fate = fateOf(call);
        fate.run();
    }

    /** What happens to it, outside of the monitor, as an answer may lead to the next command. */
    private synchronized Runnable fateOf(SimulatedCall<?> call) {
        sent.add(call.command);
        if (down) {
            return () -> call.fail(Effect.NOT_EXECUTED);
        }
        if (failing > 0 && failure != null) {
            failing--;
            Effect effect = failure;
            boolean executes = executesFailing;
            return () -> fail(call, executes, effect);
        }
        if (holdsCommands) {
            held.add(call);
            return () -> {};
        }
        return call::run;
    }

    private static void fail(SimulatedCall<?> call, boolean executes, Effect effect) {
        if (executes) {
            call.execute();
        }
        call.fail(effect);
    }

    @Override
    public void deliver(StoreMessage message, Runnable arrival) {
        if (keeps(message, arrival)) {
            return;
        }
        arrival.run();
    }

    private synchronized boolean keeps(StoreMessage message, Runnable arrival) {
        told.add(message);
        if (holdsMessages) {
            arrivals.add(new Arrival(message, arrival));
        }
        return holdsMessages;
    }

    /** Every acquisition needs a new number from now on, or none does. */
    void move(boolean toAnotherPart) {
        moveUpTo(toAnotherPart ? Long.MAX_VALUE : 0);
    }

    /** Acquisitions with this number or a lower one need a new one. */
    void moveUpTo(long number) {
        movedUpTo = number;
    }

    @Override
    public boolean hasMoved(long number) {
        return number <= movedUpTo;
    }

    @Override
    public boolean isSubscribed() {
        return !down && !deaf;
    }

    @Override
    public CompletableFuture<Void> ready() {
        return ready;
    }

    // ---- what the test wants

    void holdCommands() {
        holdsCommands = true;
    }

    void holdMessages() {
        holdsMessages = true;
    }

    /** From now on everything goes through again; what is held stays held. */
    void flow() {
        holdsCommands = false;
        holdsMessages = false;
    }

    /** The next commands fail; the store does nothing. */
    void failNext(int commands, Effect effect) {
        failing = commands;
        failure = effect;
        executesFailing = false;
    }

    /** The next commands are executed, but the answers are lost. */
    void loseAnswers(int commands) {
        failing = commands;
        failure = Effect.UNKNOWN;
        executesFailing = true;
    }

    /** The next commands are executed, but too few replicas confirm them. */
    void confirmNone(int commands) {
        failing = commands;
        failure = Effect.UNCONFIRMED;
        executesFailing = true;
    }

    void disconnect() {
        down = true;
        ready = new CompletableFuture<>();
    }

    /** What waits for a connection waits until the next {@link #reconnect()}; everything else goes through. */
    void beginConnecting() {
        ready = new CompletableFuture<>();
    }

    /** Commands go through, and no messages come. */
    void goDeaf() {
        deaf = true;
    }

    void reconnect() {
        down = false;
        ready.complete(null);
    }

    /** All commands so far, oldest first. */
    synchronized List<Object> sent() {
        return List.copyOf(sent);
    }

    synchronized <T> List<T> sent(Class<T> type) {
        return sent.stream().filter(type::isInstance).map(type::cast).toList();
    }

    void forgetSent() {
        sent.clear();
    }

    /** Commands that the test has to deal with, oldest first. */
    List<SimulatedCall<?>> held() {
        return List.copyOf(held);
    }

    /** Takes the oldest command that was held back. */
    SimulatedCall<?> take() {
        return held.remove(0);
    }

    /** Takes the oldest message that was held back. */
    Arrival takeMessage() {
        return arrivals.remove(0);
    }

    int heldMessages() {
        return arrivals.size();
    }

    /** All messages so far, held or not. */
    <T extends StoreMessage> List<T> told(Class<T> type) {
        return told.stream().filter(type::isInstance).map(type::cast).toList();
    }
}
