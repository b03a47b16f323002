/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.target.AbstractBeanFactoryBasedTargetSource;
import org.springframework.aop.target.PrototypeTargetSource;
import org.springframework.aop.target.SimpleBeanTargetSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.context.support.SimpleThreadScope;

/** With two proxy creators, the target of the proxy that locks is itself a proxy, which has none of the fields. */
class NestedProxyTests {

    private final RecordingLocks locks = new RecordingLocks().busy();

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void theFallbackIsCalledOnTheBeanItself(int proxies) {
        Object inside = new Work("bean");
        for (int i = 0; i < proxies; i++) {
            inside = proxyOfClass(inside);
        }
        Work work = (Work) LockedProxies.by(locks).byClass(inside);
        assertThat(work.ofPrivate()).isEqualTo("private of bean");
        assertThat(work.ofFinal()).isEqualTo("final of bean");
    }

    /** Annotations on a fallback of the same bean have no effect, so neither have those of the inner proxy. */
    @Test
    void theFallbackHasNoAdviceOfTheInnerProxy() {
        Work work = LockedProxies.by(locks).byClass((Work) proxyOfClass(new Work("bean")));
        assertThat(work.ofPublic()).isEqualTo("public of bean");
    }

    /** As of a repository, whose own methods only its proxy has. */
    @Test
    void aProxyOfInterfacesKeepsItsOwnMethods() {
        ProxyFactory factory = new ProxyFactory(Accounts.class, (MethodInterceptor) call -> "by the proxy");
        factory.setTarget(new Store());
        Accounts accounts = LockedProxies.by(locks).byInterfaces(factory.getProxy(), Accounts.class);
        assertThat(accounts.save()).isEqualTo("by the proxy");
        assertThat(accounts.update()).isEqualTo("by the proxy");
    }

    /** A factory bean for proxies adds one of its own, and Spring's proxy creator advises the bean and the product. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProxyBeanAroundALockedBeanLocksOnce(boolean byClass) {
        GenericApplicationContext context = CheckedContexts.prepare(Store.class, byClass);
        context.registerBean("once", OnceStore.class);
        register("api", "once", byClass, context);
        context.refresh();
        try (context) {
            assertThat(context.getBean("api", Once.class).run()).isEqualTo("run");
            assertThat(context.getBean(RecordingLocks.class).name()).isEqualTo(OnceStore.class.getName() + ".run()");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void soDoesOneAroundAScopedBean(boolean byClass) {
        GenericApplicationContext context = CheckedContexts.prepare(Store.class, byClass);
        context.getBeanFactory().registerScope("thread", new SimpleThreadScope());
        RootBeanDefinition scoped = new RootBeanDefinition(OnceStore.class);
        scoped.setScope("thread");
        BeanDefinitionHolder proxy =
                ScopedProxyUtils.createScopedProxy(new BeanDefinitionHolder(scoped, "once"), context, byClass);
        context.registerBeanDefinition("once", proxy.getBeanDefinition());
        register("api", "once", byClass, context);
        context.refresh();
        try (context) {
            assertThat(context.getBean("api", Once.class).run()).isEqualTo("run");
            assertThat(context.getBean(RecordingLocks.class).requests()).hasSize(1);
        }
    }

    /** To look for another target would create it. */
    @Test
    void aProxyWithANewTargetForEachCallCreatesNoOther() {
        AtomicInteger created = new AtomicInteger();
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        RootBeanDefinition definition = new RootBeanDefinition(OnceStore.class, BeanDefinition.SCOPE_PROTOTYPE, () -> {
            created.incrementAndGet();
            return new OnceStore();
        });
        beans.registerBeanDefinition("once", definition);
        RecordingLocks granting = new RecordingLocks();
        for (AbstractBeanFactoryBasedTargetSource source :
                List.of(new PrototypeTargetSource(), new SimpleBeanTargetSource())) {
            source.setTargetBeanName("once");
            source.setBeanFactory(beans);
            Object inside = new ProxyFactory(Once.class, source).getProxy();
            assertThat(LockedProxies.by(granting)
                            .byInterfaces(inside, Once.class)
                            .run())
                    .isEqualTo("run");
        }
        assertThat(created).hasValue(2);
        assertThat(granting.requests()).hasSize(2);
    }

    private static void register(String name, String target, boolean byClass, GenericApplicationContext context) {
        context.registerBean(name, ProxyFactoryBean.class, definition -> {
            definition.getPropertyValues().add("targetName", target).add("proxyTargetClass", byClass);
            if (!byClass) {
                definition.getPropertyValues().add("proxyInterfaces", Once.class);
            }
        });
    }

    private static Object proxyOfClass(Object target) {
        ProxyFactory factory = new ProxyFactory(target);
        factory.setProxyTargetClass(true);
        factory.addAdvice((MethodInterceptor) call -> "advised " + call.proceed());
        return factory.getProxy();
    }

    interface Repository {

        String save();

        @DistributedLocked(fallback = "find")
        String update();

        String find();
    }

    interface Accounts extends Repository {

        @Override
        @DistributedLocked(fallback = "later")
        String save();

        String later();
    }

    static class Store implements Repository {

        @Override
        public String save() {
            return "saved";
        }

        @Override
        public String update() {
            return "updated";
        }

        @Override
        public String find() {
            return "by the store";
        }
    }

    interface Once {

        @DistributedLocked(reentrant = false)
        String run();
    }

    static class OnceStore implements Once {

        @Override
        public String run() {
            return "run";
        }
    }

    static class Work {

        private final String name;

        Work() {
            this("");
        }

        Work(String name) {
            this.name = name;
        }

        @DistributedLocked(fallback = "hidden")
        public String ofPrivate() {
            return "called";
        }

        @DistributedLocked(fallback = "fixed")
        public String ofFinal() {
            return "called";
        }

        @DistributedLocked(fallback = "open")
        public String ofPublic() {
            return "called";
        }

        private String hidden() {
            return "private of " + name;
        }

        public final String fixed() {
            return "final of " + name;
        }

        public String open() {
            return "public of " + name;
        }
    }
}
