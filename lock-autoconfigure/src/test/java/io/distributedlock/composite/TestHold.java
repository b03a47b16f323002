/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.composite;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A hold whose release the test completes. It records each release in a list that several holds share. */
class TestHold implements LockHandle {

    private final String name;

    private final long token;

    private final List<String> releases;

    private final List<Runnable> callbacks = new ArrayList<>();

    CompletableFuture<Void> reply = CompletableFuture.completedFuture(null);

    Throwable failureOfRelease;

    Duration lease = Duration.ofSeconds(30);

    private boolean lost;

    TestHold(String name, long token, List<String> releases) {
        this.name = name;
        this.token = token;
        this.releases = releases;
    }

    void lose() {
        lost = true;
        callbacks.forEach(Runnable::run);
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
    public boolean isHeld() {
        return !lost;
    }

    @Override
    public Duration remainingLease() {
        return lease;
    }

    @Override
    public void extend(Duration length) {
        lease = length;
    }

    @Override
    public void onLost(Runnable callback) {
        callbacks.add(callback);
    }

    @Override
    public void throwIfLost() {
        if (lost) {
            throw new LockLostException(name, "lost", Duration.ZERO);
        }
    }

    @Override
    public void close() {
        throw new AssertionError("The calling thread must not wait for one hold before it releases the next");
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        return release("close " + name);
    }

    @Override
    public CompletionStage<Void> closeUnused() {
        return release("unused " + name);
    }

    private CompletionStage<Void> release(String how) {
        releases.add(how);
        if (failureOfRelease != null) {
            throw TestHold.<RuntimeException>unchecked(failureOfRelease);
        }
        return reply;
    }

    /** Throws a checked exception without declaring it, as code in Kotlin can. */
    @SuppressWarnings("unchecked")
    static <E extends Throwable> E unchecked(Throwable failure) throws E {
        throw (E) failure;
    }
}
