/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;

/** Why a command to the store has no reply. */
public final class LeaseStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The known outcome of the command. */
    public enum Effect {

        /** It was not executed, and a retry would not be either: the store refused it. */
        REFUSED,

        /**
         * It was executed, but does not count, and a retry would not count either: too few replicas have confirmed it,
         * or the store refuses the confirmation. What an acquisition acquired has to be released.
         */
        UNCONFIRMED,

        /** It was begun, and has failed. It may have been executed in part, and a retry would fail as well. */
        PARTIAL,

        /** It was not executed, but a retry may be: no connection, or the store is not ready. */
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
