/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

/** The request of Spring MVC that the calling thread handles. Needs Spring MVC. */
record MvcRequest(RequestAttributes attributes, WebAsyncManager manager) {

    /** Null if the calling thread handles no request. */
    static @Nullable MvcRequest current() {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        return request != null && managerOf(request) instanceof WebAsyncManager manager
                ? new MvcRequest(request, manager)
                : null;
    }

    /** Spring MVC creates one for each request before it calls a controller. */
    private static @Nullable Object managerOf(RequestAttributes request) {
        try {
            return request.getAttribute(WebAsyncUtils.WEB_ASYNC_MANAGER_ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
        } catch (IllegalStateException ended) {
            // The thread has the attributes of a request that has ended.
            return null;
        }
    }

    /** The request has ended without an asynchronous part. */
    void onEndWithoutContinuation(Object key, Runnable end) {
        attributes.registerDestructionCallback(
                ObjectUtils.identityToString(key),
                () -> {
                    if (!manager.isConcurrentHandlingStarted()) {
                        end.run();
                    }
                },
                RequestAttributes.SCOPE_REQUEST);
    }

    /** The request has ended, however it has: an emitter that is complete before it is initialized reports no end. */
    static void endWithEmitter(ContinuedWork work) {
        MvcRequest request = current();
        if (request != null) {
            request.manager.registerDeferredResultInterceptor(work, new EndOfResult(work));
            request.onEndWithoutContinuation(work, work::endUnlessBegun);
        }
    }

    /** The same for work that a thread begins later, or never, as after a time-out. */
    static void endWithWriter(ContinuedWork work) {
        MvcRequest request = current();
        if (request != null) {
            request.manager.registerCallableInterceptor(work, new EndOfTask(work));
            request.onEndWithoutContinuation(work, work::endUnlessBegun);
        }
    }

    /** The same for a task, which need not be for Spring MVC: the request may end without it. */
    static void endWithTask(ContinuedWork work) {
        MvcRequest request = current();
        if (request != null) {
            request.manager.registerCallableInterceptor(work, new EndOfTask(work));
        }
    }

    /**
     * The emitter has a result when it is complete. After a failure at the first send, Tomcat reports no completion.
     */
    private record EndOfResult(ContinuedWork work) implements DeferredResultProcessingInterceptor {

        @Override
        public <T> void postProcess(NativeWebRequest request, DeferredResult<T> result, @Nullable Object complete) {
            work.endUnlessBegun();
        }

        @Override
        public <T> void afterCompletion(NativeWebRequest request, DeferredResult<T> result) {
            work.endUnlessBegun();
        }
    }

    private record EndOfTask(ContinuedWork work) implements CallableProcessingInterceptor {

        @Override
        public <T> void afterCompletion(NativeWebRequest request, Callable<T> task) {
            work.endUnlessBegun();
        }
    }
}
