/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockEvent;
import io.distributedlock.LockLostEvent;
import io.distributedlock.LockLostException;
import io.distributedlock.ServerClockSetBackEvent;
import java.util.function.Consumer;

/** Reports events to operators and the application: in the log, to the listener, and as application events. */
final class EngineEvents {

    private final CallbackExecutor callbacks;

    private final LockLog log;

    private final ListenerCalls listening;

    private final Consumer<? super LockEvent> events;

    EngineEvents(CallbackExecutor callbacks, LockLog log, ListenerCalls listening, Consumer<? super LockEvent> events) {
        this.callbacks = callbacks;
        this.log = log;
        this.listening = listening;
        this.events = events;
    }

    /** A hold has ended before its release. Runs the callbacks of its handles. */
    void lost(Hold hold, LossCause why) {
        hold.takeCallbacks().forEach(callbacks::lost);
        if (listening.isOn()) {
            callbacks.event(() -> listening.lost(hold, why.tag()));
        }
        LockLostException loss = hold.loss();
        if (loss != null) {
            reportLoss(hold, loss);
        }
        if (why == LossCause.TOO_OLD) {
            callbacks.event(() -> log.hangs(hold));
        }
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

    private void publish(LockEvent event) {
        callbacks.event(() -> events.accept(event));
    }
}
