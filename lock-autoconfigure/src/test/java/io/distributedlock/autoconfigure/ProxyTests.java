/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distributedlock.LockAssert;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.interceptor.RecordingLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Beans are locked with and without AspectJ, by proxies of their interfaces and of their classes. */
class ProxyTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
            .withBean(RecordingLocks.class, RecordingLocks::new)
            .withBean(Shop.class);

    @ParameterizedTest
    @CsvSource({
        "true, true, true",
        "true, true, false",
        "true, false, true",
        "true, false, false",
        "false, true, true",
        "false, true, false",
        "false, false, true",
        "false, false, false"
    })
    void locksWhateverKindOfProxyThereIs(boolean aspectj, boolean proxyTargetClass, boolean autoProxy) {
        runner(aspectj)
                .withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass, "spring.aop.auto=" + autoProxy)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Orders orders = context.getBean(Orders.class);
                    boolean byClass = proxyTargetClass && autoProxy;
                    assertThat(AopUtils.isCglibProxy(orders)).isEqualTo(byClass);
                    assertThat(AopUtils.isJdkDynamicProxy(orders)).isEqualTo(!byClass);

                    assertThat(orders.pay("a")).isEqualTo("paid under order:a");
                    assertThat(orders.unlocked()).isEqualTo("unlocked");
                    assertThat(context.getBean(RecordingLocks.class).events()).containsExactly("acquire", "close");
                });
    }

    private ApplicationContextRunner runner(boolean aspectj) {
        return aspectj ? runner : runner.withClassLoader(new FilteredClassLoader("org.aspectj"));
    }

    @Test
    void locksAllMethodsThatAClassProxyReaches() {
        runner.withBean(Reachable.class).run(context -> {
            Reachable bean = context.getBean(Reachable.class);
            bean.publicMethod();
            bean.protectedMethod();
            bean.packagePrivateMethod();
            assertThat(context.getBean(RecordingLocks.class).requests())
                    .extracting(request -> request.name())
                    .containsExactly("public", "protected", "package-private");
        });
    }

    /** Some applications have a proxy creator of their own beside Spring's: a proxy around a proxy, with one lock. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void locksOnceIfThereAreTwoProxyCreators(boolean proxyTargetClass) {
        runner.withBean(DefaultAdvisorAutoProxyCreator.class, () -> {
                    DefaultAdvisorAutoProxyCreator second = new DefaultAdvisorAutoProxyCreator();
                    second.setProxyTargetClass(proxyTargetClass);
                    return second;
                })
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);
                    Object inside = ((Advised) orders).getTargetSource().getTarget();
                    assertThat(AopUtils.isAopProxy(inside)).as("two proxies").isTrue();

                    assertThat(orders.pay("a")).isEqualTo("paid under order:a");
                    assertThat(context.getBean(RecordingLocks.class).events()).containsExactly("acquire", "close");
                });
    }

    @Test
    void noticesACallPastTheProxy() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThatIllegalStateException()
                    .isThrownBy(shop::callsItself)
                    .withMessageContaining("called past its Spring proxy");
            assertThat(context.getBean(RecordingLocks.class).events()).isEmpty();
        });
    }

    /** The method of the generic interface has other parameter types. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @SuppressWarnings("unchecked")
    void locksTheMethodOfAGenericInterfaceThatIsAnnotatedInTheClass(boolean proxyTargetClass) {
        runner.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
                .withBean(OfText.class)
                .withBean(InheritingHandler.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBeansOfType(Handler.class)
                            .values()
                            .forEach(handler -> ((Handler<String>) handler).handle("a"));
                    assertThat(context.getBean(RecordingLocks.class).events())
                            .containsExactly("acquire", "close", "acquire", "close");
                });
    }

    interface Handler<T> {

        void handle(T item);
    }

    static class OfText implements Handler<String> {

        @Override
        @DistributedLocked("#text")
        public void handle(String text) {
            LockAssert.assertLocked();
        }
    }

    static class WithoutInterface {

        @DistributedLocked("#text")
        public void handle(String text) {
            LockAssert.assertLocked();
        }
    }

    static class InheritingHandler extends WithoutInterface implements Handler<String> {}

    public interface Orders {

        @DistributedLocked("'order:' + #id")
        String pay(String id);

        String unlocked();
    }

    public static class Shop implements Orders {

        @Override
        public String pay(String id) {
            LockAssert.assertLocked();
            return "paid under " + LockHandle.current().orElseThrow().name();
        }

        @Override
        public String unlocked() {
            return "unlocked";
        }

        public String callsItself() {
            return pay("b");
        }
    }

    static class Reachable {

        @DistributedLocked("'public'")
        public void publicMethod() {
            LockAssert.assertLocked();
        }

        @DistributedLocked("'protected'")
        protected void protectedMethod() {
            LockAssert.assertLocked();
        }

        @DistributedLocked("'package-private'")
        void packagePrivateMethod() {
            LockAssert.assertLocked();
        }
    }
}
