/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/** One entry into a {@link Hold}, by work that is nested in that of its owner. */
final class NestedWorkHandle extends DefaultLockHandle {

    NestedWorkHandle(Hold hold, HandleAnchor anchor) {
        super(hold, anchor);
    }

    @Override
    boolean isByOwner() {
        return false;
    }
}
