/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.SmartFactoryBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.Ordered;

/** An annotation on a class does not apply to the methods by which the container manages its beans. */
class ContainerMethodTests {

    private final RecordingLocks locks = new RecordingLocks();

    private final LockedProxies proxies = LockedProxies.by(locks);

    @Test
    void aFactoryOfBeansIsAskedWithoutALock() throws Exception {
        Factory factory = proxies.byClass(new Factory());
        assertThat(factory.getObjectType()).isEqualTo(String.class);
        assertThat(factory.getObject()).isEqualTo("made");
        assertThat(factory.isSingleton()).isTrue();
        assertThat(factory.isEagerInit()).isFalse();
        assertThat(locks.events()).isEmpty();

        factory.work("a");
        assertThat(locks.name()).isEqualTo("a");
    }

    @Test
    void aBeanStartsAndStopsWithoutALock() {
        Service service = proxies.byInterfaces(new DefaultService(), Service.class);
        service.start();
        assertThat(service.isAutoStartup()).isTrue();
        assertThat(service.isRunning()).isTrue();
        assertThat(service.getPhase()).isZero();
        service.stop(() -> {});
        assertThat(locks.events()).isEmpty();

        service.work("a");
        assertThat(locks.name()).isEqualTo("a");
    }

    @Test
    void aMethodOfTheSameNameWithOtherParametersIsLocked() {
        Named named = proxies.byClass(new Named());
        named.setBeanName("a");
        assertThat(named.getOrder()).isZero();
        assertThat(locks.events()).isEmpty();

        named.setBeanName("a", "b");
        assertThat(locks.name()).isEqualTo("b");
    }

    @DistributedLocked("#id")
    static class Factory implements SmartFactoryBean<String> {

        void work(String id) {}

        @Override
        public String getObject() {
            return "made";
        }

        @Override
        public Class<?> getObjectType() {
            return String.class;
        }
    }

    @DistributedLocked("#id")
    interface Service extends SmartLifecycle {

        void work(String id);
    }

    static class DefaultService implements Service {

        @Override
        public void work(String id) {}

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public int getPhase() {
            return 0;
        }

        @Override
        public boolean isRunning() {
            return true;
        }
    }

    @DistributedLocked("#id")
    static class Named implements BeanNameAware, Ordered {

        @Override
        public void setBeanName(String name) {}

        void setBeanName(String name, String id) {}

        @Override
        public int getOrder() {
            return 0;
        }
    }
}
