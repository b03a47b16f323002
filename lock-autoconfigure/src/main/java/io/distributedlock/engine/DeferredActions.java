/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a transition of a {@link NamedLock} wants done outside of its monitor, in order: commands to send, callers to
 * wake. Not thread-safe; lives for one transition.
 */
final class DeferredActions {

    private static final Log log = LogFactory.getLog(DeferredActions.class);

    private @Nullable List<Runnable> actions;

    void add(Runnable effect) {
        if (actions == null) {
            actions = new ArrayList<>(2);
        }
        actions.add(effect);
    }

    /** It counts as under way from now on, as the lock that it comes from may be gone before the effects run. */
    void start(PendingRelease giveBack) {
        giveBack.register();
        add(giveBack::start);
    }

    /** One that fails must not keep the next caller from being told. */
    void run() {
        if (actions == null) {
            return;
        }
        for (Runnable effect : actions) {
            try {
                effect.run();
            } catch (RuntimeException | Error ex) {
                log.error("A step of the lock engine has failed; this is a bug", ex);
            }
        }
    }
}
