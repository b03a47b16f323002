/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStore.Listener;

/** What the store tells an instance without being asked. */
sealed interface StoreMessage {

    String name();

    long number();

    void tell(Listener listener);

    record Grant(String name, long number, long token, long leaseMillis, int waiting) implements StoreMessage {
        @Override
        public void tell(Listener listener) {
            listener.granted(name, number, token, leaseMillis, waiting);
        }
    }

    record Near(String name, long number) implements StoreMessage {
        @Override
        public void tell(Listener listener) {
            listener.near(name, number);
        }
    }

    record Recall(String name, long number) implements StoreMessage {
        @Override
        public void tell(Listener listener) {
            listener.recalled(name, number);
        }
    }

    record Revoke(String name, long number) implements StoreMessage {
        @Override
        public void tell(Listener listener) {
            listener.revoked(name, number);
        }
    }
}
