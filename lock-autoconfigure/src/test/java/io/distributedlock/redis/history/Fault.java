/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

/** Something that is broken on purpose, from when that begins until it is whole again or gone for good. */
public final class Fault {

    /** The kind of a fault that ends a JVM: of its calls no answer is expected any more. */
    public static final String KILL = "SIGKILL";

    /** The same, but it has a moment to end in order. */
    public static final String TERMINATE = "SIGTERM";

    /** The kind of one that takes a lock away from who has it; the lock is what it hits. */
    static final String FORCE = "forceRelease";

    /** Said of a fault that may make Redis forget what it has confirmed. */
    static final long LOSES_DATA = 1;

    private final History history;

    private final Event begun;

    static boolean endsJvm(Call fault) {
        return fault.lock().equals(KILL) || fault.lock().equals(TERMINATE);
    }

    static boolean takesLock(Call fault) {
        return fault.lock().equals(FORCE);
    }

    static boolean losesData(Call fault) {
        return fault.asked().token() == LOSES_DATA;
    }

    Fault(History history, Event begun) {
        this.history = history;
        this.begun = begun;
        history.write(begun);
    }

    /** It is over, and it hit what it was meant to hit. */
    public void hit() {
        end(true);
    }

    /** It is over, and there was nothing to hit. */
    public void missed() {
        end(false);
    }

    void end(boolean hit) {
        end(hit ? Event.Phase.OK : Event.Phase.FAIL);
    }

    void end(Event.Phase how) {
        history.write(begun.then(Event.Operation.FAULT, how, System.nanoTime(), Event.NONE));
    }
}
