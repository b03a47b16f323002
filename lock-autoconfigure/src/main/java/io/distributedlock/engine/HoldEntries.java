/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/** The entries of a {@link Hold} that was re-entered. Guarded by the {@link NamedLock}. */
final class HoldEntries {

    /** The number of entries that were not left yet; the first one is by the owner. */
    private int open = 1;

    /** The number of these entries by the owner itself, not by work nested in its own. */
    private int own = 1;

    /** Whether an entry was left while others remained. */
    private boolean oneLeft;

    /** The anchor of handles that were created after all earlier ones had been garbage collected. */
    private @Nullable WeakReference<HandleAnchor> laterAnchor;

    void entered(boolean byOwner) {
        open++;
        own += byOwner ? 1 : 0;
    }

    void left(boolean byOwner) {
        oneLeft = true;
        open--;
        own -= byOwner ? 1 : 0;
    }

    /** The earlier handles are gone, so their entries can no longer be closed. */
    void restart(HandleAnchor anchor) {
        laterAnchor = new WeakReference<>(anchor);
        open = 0;
        own = 0;
    }

    int open() {
        return open;
    }

    boolean isOwnerGone() {
        return own == 0;
    }

    boolean wasOneLeft() {
        return oneLeft;
    }

    /** Null if the handles still have the anchor of the first one. */
    @Nullable
    WeakReference<HandleAnchor> laterAnchor() {
        return laterAnchor;
    }
}
