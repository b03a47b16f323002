/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The releases of the locks that one reactive transaction keeps, which are sent together. Spring calls a registration
 * when the one before has ended, in the order of their registration. So all but the last one end at once, and the last
 * one waits for all replies.
 */
final class TransactionReleases {

    @GuardedBy("this")
    private final List<CompletableFuture<?>> sent = new ArrayList<>();

    @GuardedBy("this")
    private @Nullable TransactionRegistration last;

    synchronized void add(TransactionRegistration registration) {
        last = registration;
    }

    synchronized void sent(CompletableFuture<?> release) {
        sent.add(release);
    }

    /** {@return the end of the registration} */
    synchronized Mono<Void> endOf(TransactionRegistration registration) {
        return registration == last
                ? Mono.fromFuture(CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)), true)
                : Mono.empty();
    }
}
