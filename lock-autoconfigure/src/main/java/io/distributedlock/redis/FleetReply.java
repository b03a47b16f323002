/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The parts of a reply that have arrived. They may arrive in any order, twice, or never. */
final class FleetReply {

    private final CompletableFuture<String> whole = new CompletableFuture<>();

    @GuardedBy("this")
    private @Nullable String @Nullable [] parts;

    @GuardedBy("this")
    private int missing;

    /** Completes when all parts have arrived. */
    CompletableFuture<String> whole() {
        return whole;
    }

    /** Null as long as a part is missing. */
    @Nullable
    String text() {
        return whole.getNow(null);
    }

    /** Called on the network's thread. A message that does not match the others is dropped. */
    synchronized void add(String message) {
        String[] words = message.split(" ", 5);
        int part = words.length < 5 ? -1 : FleetMessage.number(words[2]);
        int of = words.length < 5 ? -1 : FleetMessage.number(words[3]);
        if (of < 1 || of > FleetMessage.PARTS || part < 0 || part >= of) {
            return;
        }
        if (parts == null) {
            parts = new String[of];
            missing = of;
        }
        if (parts.length != of || parts[part] != null) {
            return;
        }
        parts[part] = words[4];
        if (--missing == 0) {
            whole.complete(String.join("", parts));
        }
    }
}
