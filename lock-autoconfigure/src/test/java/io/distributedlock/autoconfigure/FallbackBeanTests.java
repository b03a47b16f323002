/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.interceptor.InvalidLockedMethodException;
import io.distributedlock.interceptor.RecordingLocks;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** Fallbacks of other beans, whatever proxies these have and wherever they are. */
class FallbackBeanTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
            .withPropertyValues("spring.aop.proxy-target-class=false")
            .withBean(RecordingLocks.class, () -> new RecordingLocks().busy());

    @ParameterizedTest
    @ValueSource(classes = {CreatedBefore.class, CreatedAfter.class})
    void aMethodOfTheInterfaceOfAJdkProxyIsCalled(Class<?> beans) {
        runner.withUserConfiguration(beans).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(AopUtils.isJdkDynamicProxy(context.getBean("substitute")))
                    .isTrue();
            assertThat(context.getBean(Shop.class).pay("a")).isEqualTo("later a: k:a");
            assertThat(context.getBean(Shop.class).inherited("a")).isEqualTo("by default a");
        });
    }

    /** Its class does not have the interface, whose method has other parameter types. */
    @Test
    void aMethodThatTheTargetOfAJdkProxyInheritsIsCalled() {
        runner.withUserConfiguration(Inherited.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(AopUtils.isJdkDynamicProxy(context.getBean("substitute")))
                    .isTrue();
            assertThat(context.getBean(Shop.class).pay("a")).isEqualTo("inherited a");
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {CreatedBefore.class, CreatedAfter.class})
    void aMethodThatTheJdkProxyDoesNotHaveFailsTheStart(Class<?> beans) {
        runner.withUserConfiguration(beans).withBean("wrong", WrongShop.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(refusalOf(context))
                    .contains("WrongShop#pay(String)", "substitute::onlyInClass")
                    .containsAnyOf("none of the interfaces has the method", "has no method onlyInClass");
        });
    }

    /** It would run on the proxy, whose fields are empty. */
    @Test
    void aFinalMethodOfABeanThatIsProxiedByItsClassFailsTheStart() {
        runner.withUserConfiguration(ProxiedByClass.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(refusalOf(context))
                    .contains("CallingFinal#pay(String)", "later::pay", "cannot override a final method");
        });
    }

    @Test
    void aFinalMethodOfABeanWithoutAProxyIsCalled() {
        runner.withBean("later", FinalFallback.class)
                .withBean(CallingFinal.class)
                .run(context ->
                        assertThat(context.getBean(CallingFinal.class).pay("a")).isEqualTo("later a"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(proxyTargetClass = true)
    @Import({CallingFinal.class})
    static class ProxiedByClass {

        @Bean
        FinalFallback later() {
            return new AsynchronousFallback();
        }
    }

    static class FinalFallback {

        private final String text = "later ";

        public final String pay(String order) {
            return text + order;
        }
    }

    static class AsynchronousFallback extends FinalFallback {

        @Async
        public void other() {}
    }

    static class CallingFinal {

        @DistributedLocked(key = "#order", fallback = "later::pay")
        public String pay(String order) {
            throw new AssertionError("called without the lock");
        }
    }

    @Test
    void aBeanOfTheParentContextIsCalled() {
        runner.withUserConfiguration(CreatedBeforeAlone.class)
                .run(parent -> new ApplicationContextRunner()
                        .withParent(parent)
                        .withConfiguration(AutoConfigurations.of(
                                AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
                        .withBean("shop", JdkShop.class)
                        .run(context -> {
                            assertThat(context).hasNotFailed();
                            assertThat(context.getBean(Shop.class).pay("a")).isEqualTo("later a: k:a");
                        }));
    }

    @Test
    void aDefaultMethodOfTheBeansOwnInterfaceIsCalled() {
        runner.withBean("shop", OwnFallback.class).run(context -> {
            assertThat(AopUtils.isJdkDynamicProxy(context.getBean("shop"))).isTrue();
            assertThat(context.getBean(WithFallback.class).pay("a")).isEqualTo("default a");
        });
    }

    /** Its definition names an interface without the method; the class is known when it is there. */
    @ParameterizedTest
    @ValueSource(classes = {OfInterface.class, LazyOfInterface.class, ProductOfInterface.class})
    void aMethodThatOnlyTheClassOfALaterBeanHasIsCalled(Class<?> beans) {
        runner.withUserConfiguration(beans).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(CallingLater.class).pay("a")).isEqualTo("later a");
        });
    }

    @Test
    void oneThatTheClassOfALaterBeanDoesNotHaveFailsTheStart() {
        runner.withUserConfiguration(OfInterface.class)
                .withBean(CallingMissing.class)
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(refusalOf(context))
                            .contains(
                                    "CallingMissing#pay(String)",
                                    LaterInClass.class.getName() + " has no method absent");
                });
    }

    @Test
    void oneThatTheClassOfABeanAfterTheStartDoesNotHaveFailsTheCall() {
        runner.withUserConfiguration(LazyOfInterface.class)
                .withBean(CallingMissing.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThatExceptionOfType(InvalidLockedMethodException.class)
                            .isThrownBy(
                                    () -> context.getBean(CallingMissing.class).pay("a"))
                            .withMessageContaining(LaterInClass.class.getName() + " has no method absent");
                });
    }

    interface Marker {}

    static class LaterInClass implements Marker {

        public String pay(String order) {
            return "later " + order;
        }
    }

    static class CallingLater {

        @DistributedLocked(key = "#order", fallback = "later::pay")
        public String pay(String order) {
            throw new AssertionError("called without the lock");
        }
    }

    static class CallingMissing {

        @DistributedLocked(key = "#order", fallback = "later::absent")
        public String pay(String order) {
            throw new AssertionError("called without the lock");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfInterface {

        @Bean
        CallingLater shop() {
            return new CallingLater();
        }

        @Bean
        @DependsOn("shop")
        Marker later() {
            return new LaterInClass();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(CallingLater.class)
    static class LazyOfInterface {

        @Bean
        @Lazy
        Marker later() {
            return new LaterInClass();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ProductOfInterface {

        @Bean
        FactoryBean<Marker> later() {
            return new FactoryBean<>() {
                @Override
                public Marker getObject() {
                    return new LaterInClass();
                }

                @Override
                public Class<?> getObjectType() {
                    return Marker.class;
                }
            };
        }

        @Bean
        @DependsOn("later")
        CallingLater shop() {
            return new CallingLater();
        }
    }

    private static String refusalOf(AssertableApplicationContext context) {
        Throwable failure = context.getStartupFailure();
        while (!(failure instanceof InvalidLockedMethodException refusal)) {
            failure = failure.getCause();
        }
        return refusal.getMessage();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class CreatedBeforeAlone {

        @Bean
        Substitute<String> substitute() {
            return new DefaultSubstitute();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class CreatedBefore extends CreatedBeforeAlone {

        @Bean
        @DependsOn("substitute")
        Shop shop() {
            return new JdkShop();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class CreatedAfter {

        @Bean
        Shop shop() {
            return new JdkShop();
        }

        @Bean
        @DependsOn("shop")
        DefaultSubstitute substitute() {
            return new DefaultSubstitute();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Inherited {

        @Bean
        Substitute<String> substitute() {
            return new InheritingSubstitute();
        }

        @Bean
        Shop shop() {
            return new JdkShop();
        }
    }

    public static class WithoutInterface {

        public String later(String order, LockNotAcquiredException busy) {
            return "inherited " + order;
        }
    }

    public static class InheritingSubstitute extends WithoutInterface implements Substitute<String> {

        @Override
        @Async
        public CompletableFuture<String> background() {
            return CompletableFuture.completedFuture("done");
        }
    }

    public interface Substitute<T> {

        T later(T order, LockNotAcquiredException busy);

        default T byDefault(T order) {
            @SuppressWarnings("unchecked")
            T result = (T) ("by default " + order);
            return result;
        }

        CompletableFuture<String> background();
    }

    public static class DefaultSubstitute implements Substitute<String> {

        @Override
        public String later(String order, LockNotAcquiredException busy) {
            return "later " + order + ": " + busy.lockName();
        }

        /** It is proxied for the sake of this one. */
        @Override
        @Async
        public CompletableFuture<String> background() {
            return CompletableFuture.completedFuture("done");
        }

        public String onlyInClass(String order) {
            return "unreachable";
        }
    }

    public interface Shop {

        String pay(String order);

        String inherited(String order);
    }

    public static class JdkShop implements Shop {

        @Override
        @DistributedLocked(name = "k", key = "#order", fallback = "substitute::later")
        public String pay(String order) {
            return "paid";
        }

        @Override
        @DistributedLocked(name = "k", key = "#order", fallback = "substitute::byDefault")
        public String inherited(String order) {
            return "paid";
        }
    }

    public static class WrongShop {

        @DistributedLocked(name = "k", key = "#order", fallback = "substitute::onlyInClass")
        public String pay(String order) {
            return "paid";
        }
    }

    public interface WithFallback {

        @DistributedLocked(name = "k", key = "#order", fallback = "instead")
        String pay(String order);

        default String instead(String order) {
            return "default " + order;
        }
    }

    public static class OwnFallback implements WithFallback {

        @Override
        public String pay(String order) {
            return "paid";
        }
    }
}
