/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockScope;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;

/**
 * Runs the task of one asynchronous request of Spring MVC as a part of the work under a lock, and releases the lock
 * when the task has run, or when the request has ended without it. Spring calls {@link #preProcess} and
 * {@link #postProcess} in the thread that runs the task. Needs Spring MVC.
 */
final class AsyncTaskInterceptor implements CallableProcessingInterceptor {

    private final ContinuedWork work;

    private @Nullable LockScope scope;

    private @Nullable InterruptOnLoss interrupt;

    AsyncTaskInterceptor(ContinuedWork work) {
        this.work = work;
    }

    @Override
    public <T> void preProcess(NativeWebRequest request, Callable<T> task) throws Exception {
        work.begin();
        interrupt = work.interruptOnLoss();
        scope = work.openScope();
    }

    @Override
    public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) throws Exception {
        LockScope opened = scope;
        if (opened != null) {
            opened.close();
        }
        InterruptOnLoss ended = interrupt;
        if (ended != null) {
            ended.end();
        }
        if (!(result instanceof Throwable failure)) {
            work.end();
            return;
        }
        Throwable thrown = work.end(failure);
        if (thrown != failure && thrown instanceof Exception other) {
            throw other;
        }
    }

    @Override
    public <T> void afterCompletion(NativeWebRequest request, Callable<T> task) {
        work.endUnlessBegun();
    }
}
