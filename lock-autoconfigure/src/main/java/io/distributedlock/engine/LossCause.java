/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener.Loss;

/** Why a hold was lost: as text, and as the value for metrics. */
enum LossCause {
    EXPIRED(Loss.EXPIRED, "its lease ended without a renewal"),
    TOO_OLD(Loss.MAX_HOLD, "it reached its maximum hold time (maxHold)"),
    REVOKED(Loss.REVOKED, "it was taken away by a forced release, or released by the name of its owner"),
    NOT_RENEWED(Loss.GONE, "it no longer exists, or another caller has it"),
    SHUTDOWN(Loss.SHUTDOWN, "the lock template was shut down");

    private final Loss tag;

    private final String words;

    LossCause(Loss tag, String words) {
        this.tag = tag;
        this.words = words;
    }

    Loss tag() {
        return tag;
    }

    String words() {
        return words;
    }
}
