/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNames;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;

/** Held until it is closed, and never lost. */
final class LocalLockHandle implements LockHandle {

    private final String name;

    private final Map<String, Long> tokens;

    private final long token;

    private volatile Duration lease;

    private volatile boolean closed;

    LocalLockHandle(Map<String, Long> tokens, Duration lease) {
        this.tokens = tokens;
        this.name = tokens.keySet().iterator().next();
        this.token = Collections.max(tokens.values());
        this.lease = lease;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long fencingToken() {
        return token;
    }

    @Override
    public Map<String, Long> fencingTokens() {
        return tokens;
    }

    @Override
    public boolean isHeld() {
        return !closed;
    }

    @Override
    public Duration remainingLease() {
        return closed ? Duration.ZERO : lease;
    }

    @Override
    public void extend(Duration lease) {
        LockRequest.requireLease(lease);
        if (closed) {
            throw new LockLostException(name, "Lock '" + name + "': the handle is already closed", Duration.ZERO);
        }
        this.lease = lease;
    }

    @Override
    public void onLost(Runnable callback) {
        Objects.requireNonNull(callback, "callback");
    }

    @Override
    public void throwIfLost() {}

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public String toString() {
        return "LockHandle[name=" + LockNames.show(name) + ", token=" + token + ", held=" + isHeld() + ", local]";
    }
}
