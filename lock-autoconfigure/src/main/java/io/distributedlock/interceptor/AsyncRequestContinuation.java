/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockLostException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncTask;

/**
 * Results of controllers that Spring MVC waits for in an asynchronous request: the request reports when they are
 * complete, since the results themselves have only one callback, which belongs to the application. Needs Spring MVC.
 */
final class AsyncRequestContinuation implements ResultContinuation {

    static boolean isFor(Class<?> type) {
        return DeferredResult.class.isAssignableFrom(type) || WebAsyncTask.class.isAssignableFrom(type);
    }

    /** @throws IllegalStateException on a thread that handles no request */
    @Override
    public void requireCaller() {
        requireRequest();
    }

    private static MvcRequest requireRequest() {
        MvcRequest request = MvcRequest.current();
        if (request == null) {
            throw new IllegalStateException("The lock of a DeferredResult or WebAsyncTask is held until its"
                    + " request has ended, but the calling thread handles no request. Call the method from a"
                    + " controller, or lock a method that does the work.");
        }
        return request;
    }

    @Override
    public Object holdUntilDone(Object result, ContinuedWork work) {
        MvcRequest request = requireRequest();
        if (result instanceof DeferredResult<?> deferred) {
            request.manager().registerDeferredResultInterceptor(work, new Deferred(work));
            // No thread of the work is known. Whatever it sets later is ignored.
            work.onInterruptingLoss(deferred::setErrorResult);
        } else {
            request.manager().registerCallableInterceptor(work, new AsyncTaskInterceptor(work));
        }
        request.onEndWithoutContinuation(work, work::endUnlessBegun);
        return result;
    }

    /** The lock is checked before the response is written, and released when the request has ended, however it ends. */
    private record Deferred(ContinuedWork work) implements DeferredResultProcessingInterceptor {

        @Override
        public <T> void postProcess(NativeWebRequest request, DeferredResult<T> deferred, @Nullable Object result) {
            if (!(result instanceof LockLostException)) {
                work.throwIfLost();
            }
        }

        @Override
        public <T> void afterCompletion(NativeWebRequest request, DeferredResult<T> deferred) {
            work.endUnlessBegun();
        }
    }
}
