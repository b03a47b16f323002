/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * A publisher in a response of Spring MVC, which subscribes to it after the method has returned. If it does not, the
 * lock is released when the request has ended. Needs Spring MVC and Reactor.
 */
final class PublisherContinuation implements ResultContinuation {

    /** @throws IllegalStateException on a thread that must not wait for a lock, such as those of WebFlux */
    @Override
    public void requireCaller() {
        if (Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException("The lock of a publisher in a ResponseEntity is acquired by the calling"
                    + " thread, which may have to wait, but the thread '"
                    + Thread.currentThread().getName()
                    + "' must not block. Return a Mono<ResponseEntity<...>>, whose lock is acquired without a thread.");
        }
    }

    @Override
    public @Nullable Object holdUntilDone(Object result, ContinuedWork work) {
        LockedResponseBody[] held = new LockedResponseBody[1];
        Object response = ResponseBodies.hold(result, body -> held[0] = work.continuedBy(body));
        if (held[0] == null) {
            return null;
        }
        endWithRequest(held[0]);
        return response;
    }

    private static void endWithRequest(LockedResponseBody body) {
        MvcRequest request = MvcRequest.current();
        if (request != null) {
            request.onEndWithoutContinuation(body, body::endUnlessBegun);
        }
    }
}
