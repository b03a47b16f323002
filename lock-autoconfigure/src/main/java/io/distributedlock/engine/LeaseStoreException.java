/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;

/** Why a command to the store has no answer. */
public final class LeaseStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What is known of the command. */
    public enum Effect {

        /** It was not executed and would not be if it were sent again: the store refused it. */
        REFUSED,

        /** It was not executed, but may be when it is sent again: no connection, or the store is not ready. */
        NOT_EXECUTED,

        /** It may have been executed, or may still be. */
        UNKNOWN
    }

    private final Effect effect;

    public LeaseStoreException(Effect effect, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.effect = effect;
    }

    public Effect effect() {
        return effect;
    }
}
