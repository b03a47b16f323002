/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Makes engines for tests. What a test does not name is the default. */
final class TestEngine {

    private final LeaseStore store;

    private EngineSettings settings = EngineSettings.DEFAULTS;

    private Executor callbacks = Runnable::run;

    private Consumer<? super LockEvent> events = event -> {};

    private @Nullable LockListener listener;

    private LongUnaryOperator random = new Random(0)::nextLong;

    private TestEngine(LeaseStore store) {
        this.store = store;
    }

    static TestEngine of(LeaseStore store) {
        return new TestEngine(store);
    }

    TestEngine settings(EngineSettings given) {
        settings = given;
        return this;
    }

    TestEngine callbacks(Executor given) {
        callbacks = given;
        return this;
    }

    TestEngine events(Consumer<? super LockEvent> given) {
        events = given;
        return this;
    }

    TestEngine listener(@Nullable LockListener given) {
        listener = given;
        return this;
    }

    TestEngine random(LongUnaryOperator given) {
        random = given;
        return this;
    }

    /** Its timers run only when the test calls {@link LockEngine#runTimers()}. */
    LockEngine at(NanoClock clock) {
        return new LockEngine(store, settings, clock, callbacks, events, listener, random);
    }

    /** With a timer thread and threads for callbacks, as in an application. */
    LockEngine start() {
        return new LockEngine(store, settings, events, listener);
    }
}
