/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;

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
