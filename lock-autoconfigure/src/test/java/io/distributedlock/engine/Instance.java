/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockEvent;
import io.distributedlock.LockRequest;
import java.util.ArrayList;
import java.util.List;

/** One engine of an {@link EngineTestSupport}. */
final class Instance {

    final TestNetwork network = new TestNetwork();

    final InMemoryLeaseStore store;

    final LockEngine engine;

    final RecordingListener listener = new RecordingListener();

    final List<LockEvent> events = new ArrayList<>();

    Instance(String id, SharedLeases leases, EngineSettings settings, NanoClock clock) {
        store = new InMemoryLeaseStore(leases, id, network);
        engine = TestEngine.of(store)
                .settings(settings)
                .events(events::add)
                .listener(listener)
                .at(clock);
    }

    AsyncAttempt acquire(LockRequest request) {
        return new AsyncAttempt(engine, request);
    }

    /** With the default lease of 30 s, waiting without limit. */
    AsyncAttempt acquire(String name) {
        return acquire(LockRequest.of(name).waitForever());
    }

    AsyncAttempt tryOnce(String name) {
        return acquire(LockRequest.of(name).noWait());
    }

    void reconnect() {
        network.reconnect();
        engine.locks().connected();
    }
}
