/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * Results of controllers that Spring MVC waits for in an asynchronous request: the request reports when they are
 * complete, since the results themselves have only one callback, which belongs to the application. Needs Spring MVC.
 */
final class AsyncRequestContinuation implements Continuation {

    static boolean isFor(Class<?> type) {
        return DeferredResult.class.isAssignableFrom(type) || WebAsyncTask.class.isAssignableFrom(type);
    }

    @Override
    public Object holdUntilDone(Object result, HeldWork work) {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        if (request == null || !(managerOf(request) instanceof WebAsyncManager manager)) {
            throw new IllegalStateException("The lock of a " + result.getClass().getSimpleName()
                    + " is held until its request has ended, but the calling thread handles no request. Call the method"
                    + " from a controller, or lock a method that does the work.");
        }
        if (result instanceof DeferredResult<?>) {
            manager.registerDeferredResultInterceptor(work, new Deferred(work));
        } else {
            manager.registerCallableInterceptor(work, new AsyncTaskInterceptor(work));
        }
        request.registerDestructionCallback(
                ObjectUtils.identityToString(work),
                () -> {
                    if (!manager.isConcurrentHandlingStarted()) {
                        work.endUnlessBegun();
                    }
                },
                RequestAttributes.SCOPE_REQUEST);
        return result;
    }

    /** Spring MVC creates one for each request before it calls a controller. */
    private static @Nullable Object managerOf(RequestAttributes request) {
        return request.getAttribute(WebAsyncUtils.WEB_ASYNC_MANAGER_ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
    }

    /** The lock is checked before the response is written, and released when the request has ended, however it ends. */
    private record Deferred(HeldWork work) implements DeferredResultProcessingInterceptor {

        @Override
        public <T> void postProcess(NativeWebRequest request, DeferredResult<T> deferred, @Nullable Object result) {
            work.throwIfLost();
        }

        @Override
        public <T> void afterCompletion(NativeWebRequest request, DeferredResult<T> deferred) {
            work.endUnlessBegun();
        }
    }
}
