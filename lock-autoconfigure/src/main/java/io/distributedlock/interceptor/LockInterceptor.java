/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockOperations;
import java.util.Arrays;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.aop.target.SimpleBeanTargetSource;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;

/** Passes the calls of a proxy to the support class. */
final class LockInterceptor extends LockAspectSupport implements MethodInterceptor {

    private static final boolean COROUTINES =
            ClassUtils.isPresent("kotlinx.coroutines.ThreadContextElement", LockInterceptor.class.getClassLoader());

    LockInterceptor(LockOperationSource source, Supplier<LockOperations> locks) {
        super(source, locks);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object target = call.getThis();
        if (isLockedByProxyInside(target)) {
            return call.proceed();
        }
        // The class that the pointcut has matched, even if the target is itself a proxy.
        Class<?> targetClass = target == null ? call.getMethod().getDeclaringClass() : target.getClass();
        return invokeWithinLock(call.getMethod(), targetClass, target, call.getArguments(), new Rest(call));
    }

    /** The rest of the call inside this advice. */
    private record Rest(MethodInvocation call) implements ReturnTypeAdapter.Body {

        @Override
        public @Nullable Object proceed() throws Throwable {
            return isSuspending() ? proceedWith(call.getArguments()) : call.proceed();
        }

        private boolean isSuspending() {
            return COROUTINES && KotlinDetector.isSuspendingFunction(call.getMethod());
        }

        private @Nullable Object[] within(@Nullable Object[] arguments) {
            return isSuspending() ? Coroutines.inCurrentLock(arguments) : arguments;
        }

        @Override
        public @Nullable Object proceedWith(@Nullable Object[] arguments) throws Throwable {
            if (call instanceof ProxyMethodInvocation proxied) {
                return exposed(proxied.invocableClone(within(arguments)));
            }
            System.arraycopy(arguments, 0, call.getArguments(), 0, arguments.length);
            return call.proceed();
        }

        /** A call can proceed only once, so each time gets a copy of it, with the arguments as they are then. */
        @Override
        public ReturnTypeAdapter.Body repeatable() {
            return call instanceof ProxyMethodInvocation proxied
                    ? () -> exposed(
                            proxied.invocableClone(within(call.getArguments().clone())))
                    : this;
        }

        /** Advice of AspectJ finds its call in a thread-local variable, which another thread does not have. */
        private static @Nullable Object exposed(MethodInvocation copy) throws Throwable {
            return ExposeInvocationInterceptor.INSTANCE.invoke(copy);
        }
    }

    /**
     * With two proxy creators, or with a {@code ProxyFactoryBean} around a bean, there is a proxy around a proxy, and
     * this advice in both, perhaps with other proxies between them. The innermost one locks.
     */
    private boolean isLockedByProxyInside(@Nullable Object target) throws Exception {
        Object inside = target;
        while (inside instanceof Advised proxy) {
            if (Arrays.stream(proxy.getAdvisors()).anyMatch(advisor -> advisor.getAdvice() == this)) {
                return true;
            }
            TargetSource source = proxy.getTargetSource();
            inside = hasSharedTarget(source) ? source.getTarget() : null;
        }
        return false;
    }

    /** Whether a call of the proxy will find the same target, be it in a scope. Asking for another one creates it. */
    private static boolean hasSharedTarget(TargetSource source) {
        return source.isStatic()
                || source instanceof HotSwappableTargetSource
                || (source instanceof SimpleBeanTargetSource ofBean
                        && !ofBean.getBeanFactory().isPrototype(ofBean.getTargetBeanName()));
    }
}
