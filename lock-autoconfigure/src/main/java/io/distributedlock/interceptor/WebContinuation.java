/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * Results of controllers that write the response later, by themselves or in a {@link ResponseEntity}. Needs Spring MVC.
 */
final class WebContinuation implements ResultContinuation {

    static @Nullable ResultContinuation of(Class<?> type) {
        if (AsyncRequestContinuation.isFor(type)) {
            return new AsyncRequestContinuation();
        }
        if (type == Callable.class) {
            return WebContinuation::holdUntilCalled;
        }
        boolean known = ResponseBodyEmitter.class.isAssignableFrom(type) || type == StreamingResponseBody.class;
        return known ? new WebContinuation() : null;
    }

    /** The same for the body of a {@link ResponseEntity}. */
    static @Nullable ResultContinuation ofContent(Class<?> type) {
        boolean future = type == CompletableFuture.class || type == CompletionStage.class;
        return future ? new WebContinuation() : AsyncRequestContinuation.isFor(type) ? null : of(type);
    }

    private static @Nullable Object holdUntilCalled(Object result, ContinuedWork work) {
        Object held = ResultContinuation.holdUntilCalled(result, work);
        if (held != null) {
            MvcRequest.endWithTask(work);
        }
        return held;
    }

    @Override
    public @Nullable Object holdUntilDone(Object result, ContinuedWork work) {
        if (result instanceof ResponseEntity<?> response) {
            Object body = response.getBody();
            Object held = body == null ? null : holdUntilDone(body, work);
            return held == null || held == body
                    ? held == null ? null : response
                    : new ResponseEntity<>(held, response.getHeaders(), response.getStatusCode());
        }
        if (result instanceof ResponseBodyEmitter emitter) {
            emitter.onCompletion(work::endUnlessBegun);
            MvcRequest.endWithEmitter(work);
            return emitter;
        }
        if (result instanceof CompletionStage<?> stage) {
            return work.endWith(stage);
        }
        return result instanceof StreamingResponseBody writer ? holdUntilWritten(writer, work) : null;
    }

    private static StreamingResponseBody holdUntilWritten(StreamingResponseBody writer, ContinuedWork work) {
        MvcRequest.endWithWriter(work);
        return out -> work.<IOException>finish(() -> {
            writer.writeTo(out);
            return true;
        });
    }
}
