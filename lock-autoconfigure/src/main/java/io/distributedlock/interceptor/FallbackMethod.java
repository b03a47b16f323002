/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockNotAcquiredException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * The method that is called instead of one whose lock is busy.
 *
 * @param takesFailure whether its last parameter is the exception
 * @param bean whose method it is; null for the bean of the locked method, without its proxy
 */
record FallbackMethod(
        Method method, boolean takesFailure, @Nullable FallbackBean bean) {

    @Nullable
    Object call(@Nullable Object target, @Nullable Object[] arguments, LockNotAcquiredException busy) throws Throwable {
        Object[] given = takesFailure ? Arrays.copyOf(arguments, arguments.length + 1) : arguments;
        if (takesFailure) {
            given[arguments.length] = busy;
        }
        Object receiver = bean == null ? target : bean.get();
        Method callable = bean == null || receiver == null ? method : bean.callable(method, receiver);
        try {
            ReflectionUtils.makeAccessible(callable);
            return callable.invoke(receiver, given);
        } catch (InvocationTargetException ex) {
            throw ex.getTargetException();
        }
    }
}
