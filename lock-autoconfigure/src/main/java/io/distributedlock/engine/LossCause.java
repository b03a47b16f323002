/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener.Loss;

/** Why a hold was lost: in words, and as metrics have it. */
enum LossCause {
    EXPIRED(Loss.EXPIRED, "its lease ran out without being renewed"),
    TOO_OLD(Loss.MAX_HOLD, "it reached its greatest age (maxHold)"),
    REVOKED(Loss.REVOKED, "it was taken away by a forced release, or its owner gave it back elsewhere"),
    NOT_RENEWED(Loss.GONE, "Redis has it no longer, or another caller has it"),
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
