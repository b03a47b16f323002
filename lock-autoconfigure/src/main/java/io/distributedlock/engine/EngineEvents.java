/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockDeadlockEvent;
import io.distributedlock.LockEvent;
import io.distributedlock.LockLostEvent;
import io.distributedlock.LockLostException;
import io.distributedlock.ServerClockSetBackEvent;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Reports events to operators and the application: in the log, to the listener, and as application events. */
final class EngineEvents {

    private final CallbackExecutor callbacks;

    private final LockLog log;

    private final ListenerCalls listening;

    private final Consumer<? super LockEvent> events;

    /** The types of events of which a listener has failed. */
    private final Set<String> failed = ConcurrentHashMap.newKeySet();

    EngineEvents(CallbackExecutor callbacks, LockLog log, ListenerCalls listening, Consumer<? super LockEvent> events) {
        this.callbacks = callbacks;
        this.log = log;
        this.listening = listening;
        this.events = events;
    }

    /** A hold has ended before its release. Runs the callbacks of its handles. */
    void lost(Hold hold, LossCause why) {
        List<Runnable> lossCallbacks = hold.takeCallbacks();
        if (why == LossCause.TOO_OLD
                && hold.isOwnedByThread()
                && hold.owner() instanceof Thread thread
                && thread.isAlive()) {
            callbacks.reaction(() -> lostWhileItHangs(hold, thread, lossCallbacks));
        } else {
            lossCallbacks.forEach(callbacks::lost);
        }
        if (listening.isOn()) {
            callbacks.event(() -> listening.lost(hold, why.tag()));
        }
        LockLostException loss = hold.loss();
        if (loss != null) {
            reportLoss(hold, loss);
        }
    }

    /**
     * Takes the stack before the callbacks, of which one may interrupt the thread: after that, it shows other code. Not
     * on the timer's thread, since a thread may take long to reach the point at which its stack can be read, and the
     * renewals of all locks would wait for it.
     */
    private void lostWhileItHangs(Hold hold, Thread thread, List<Runnable> lossCallbacks) {
        StackTraceElement[] stack;
        try {
            stack = thread.getStackTrace();
        } finally {
            lossCallbacks.forEach(callbacks::lost);
        }
        callbacks.event(() -> log.hangs(hold, thread, stack));
    }

    /** The line in the log and the event of a loss. */
    void reportLoss(Hold hold, LockLostException loss) {
        String reason = String.valueOf(loss.getMessage());
        log.lost(hold, loss);
        publish(new LockLostEvent(loss.lockName(), hold.token, loss.heldFor(), reason));
    }

    void serverClockSetBack(ServerClockSetBackEvent event) {
        log.serverClockSetBack(event);
        publish(event);
    }

    void deadlock(LockDeadlockEvent event) {
        publish(event);
    }

    private void publish(LockEvent event) {
        callbacks.event(() -> listen(event));
    }

    private void listen(LockEvent event) {
        String type = event.getClass().getSimpleName();
        try {
            events.accept(event);
        } catch (Throwable ex) {
            log.listenerFailed(type, failed.add(type), ex);
        }
    }
}
