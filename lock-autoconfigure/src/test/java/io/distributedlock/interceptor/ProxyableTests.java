/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static io.distributedlock.interceptor.CheckedContexts.NONE;
import static io.distributedlock.interceptor.CheckedContexts.prepare;
import static io.distributedlock.interceptor.CheckedContexts.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.context.support.GenericApplicationContext;

/** A bean may choose its kind of proxy, whatever the application prefers. */
class ProxyableTests {

    @ParameterizedTest
    @ValueSource(classes = {OfInterfaces.class, OfOneInterface.class})
    void aClosedClassIsLockedByAProxyOfInterfaces(Class<?> type) {
        try (GenericApplicationContext context = start(type, true)) {
            Api bean = context.getBean(Api.class);
            assertThat(Proxy.isProxyClass(bean.getClass())).isTrue();
            bean.run();
            assertThat(context.getBean(RecordingLocks.class).requests()).hasSize(1);
        }
    }

    @Test
    void aProxyOfTheClassIsForOneBeanOnly() {
        assertThat(refusal(() -> start(OfClass.class, false)).description())
                .contains("a proxy cannot override a final method");
    }

    @Test
    void beansOfOneClassMayHaveDifferentProxies() {
        assertThat(refusal(() -> {
                            GenericApplicationContext context = prepare(Object.class, true, NONE);
                            new AnnotatedBeanDefinitionReader(context).registerBean(OfInterfaces.class, "proxyable");
                            context.registerBean("plain", OfInterfaces.class, () -> new OfInterfaces());
                            context.refresh();
                            return context;
                        })
                        .description())
                .contains("its class is final or sealed");
    }

    private static GenericApplicationContext start(Class<?> type, boolean byClass) {
        GenericApplicationContext context = prepare(Object.class, byClass, NONE);
        new AnnotatedBeanDefinitionReader(context).registerBean(type);
        context.refresh();
        return context;
    }

    interface Api {

        @DistributedLocked
        void run();
    }

    @Proxyable(ProxyType.INTERFACES)
    record OfInterfaces() implements Api {

        @Override
        public void run() {}
    }

    @Proxyable(interfaces = Api.class)
    record OfOneInterface() implements Api {

        @Override
        public void run() {}
    }

    @Proxyable(ProxyType.TARGET_CLASS)
    static class OfClass implements Api {

        @Override
        public final void run() {}
    }
}
