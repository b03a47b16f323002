/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static io.distributedlock.interceptor.CheckedContexts.NONE;
import static io.distributedlock.interceptor.CheckedContexts.prepare;
import static io.distributedlock.interceptor.CheckedContexts.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Lookup;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.support.GenericApplicationContext;

/** Of a bean that the start does not create, often only an interface or a superclass is known. */
class UncreatedBeanTests {

    @ParameterizedTest
    @EnumSource
    void aFallbackMayBeAMethodOfTheClassOnly(Creation creation) {
        try (GenericApplicationContext context = start(creation, Payments.class, CardPayments::new)) {
            context.getBean(RecordingLocks.class).busy();
            assertThat(context.getBean("bean", Payments.class).pay("order")).isEqualTo("later");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFallbackMayBeAMethodOfTheClassOfAnAbstractOne(Creation creation) {
        try (GenericApplicationContext context = start(creation, BasePayments.class, LatePayments::new)) {
            context.getBean(RecordingLocks.class).busy();
            assertThat(context.getBean("bean", BasePayments.class).pay("order")).isEqualTo("late");
        }
    }

    /** Spring generates a subclass of it, which has no methods of its own. */
    @Test
    void anAbstractClassWithLookUpMethodsIsTheClassOfItsBean() {
        assertThat(LockedMethod.isClassOfBean(LookingUp.class)).isTrue();
        assertThat(LockedMethod.isClassOfBean(BasePayments.class)).isFalse();
        assertThat(LockedMethod.isClassOfBean(Payments.class)).isFalse();
    }

    abstract static class LookingUp {

        @Lookup
        abstract Object command();
    }

    /** Not with a scoped proxy, which the JDK does not create for such an interface. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SCOPED")
    void theClassOfASealedInterfaceMayBeOpen(Creation creation) {
        try (GenericApplicationContext context = start(creation, Closed.class, Permitted::new)) {
            context.getBean("bean", Closed.class).run();
            assertThat(context.getBean(RecordingLocks.class).name()).isEqualTo(Permitted.class.getName() + ".run()");
        }
    }

    @ParameterizedTest
    @EnumSource
    void theClassMayReturnAFutureThatCanBeLocked(Creation creation) {
        try (GenericApplicationContext context = start(creation, Work.class, CompletableWork::new)) {
            assertThat(context.getBean("bean", Work.class).begin()).isNotNull();
            assertThat(context.getBean(RecordingLocks.class).requests()).hasSize(1);
        }
    }

    /** The container then calls only that. */
    @Test
    void theClassMayHaveACloseMethodInsteadOfTheShutdownMethod() {
        try (GenericApplicationContext context = prepare(Object.class, true, NONE)) {
            context.registerBean("bean", Service.class, ClosedService::new, definition -> {
                definition.setLazyInit(true);
                definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
            });
            context.refresh();
            context.getBean(Service.class).shutdown();
            assertThat(context.getBean(RecordingLocks.class).requests()).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theClassIsCheckedWhenItIsCreated(Creation creation) {
        try (GenericApplicationContext context = start(creation, Payments.class, WithoutFallback::new)) {
            assertThatExceptionOfType(BeanCreationException.class)
                    .isThrownBy(() -> context.getBean("bean", Payments.class).pay("order"))
                    .havingRootCause()
                    .isInstanceOf(InvalidLockedMethodException.class)
                    .withMessageContaining(WithoutFallback.class.getName() + " has no other method later");
        }
        try (GenericApplicationContext context = start(creation, Work.class, () -> () -> null)) {
            assertThatExceptionOfType(BeanCreationException.class)
                    .isThrownBy(() -> context.getBean("bean", Work.class).begin())
                    .havingRootCause()
                    .isInstanceOf(InvalidLockedMethodException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatNoClassCorrectsFailsTheStart(Creation creation) {
        assertThat(refusal(() -> start(creation, WrongKey.class, () -> text -> {}))
                        .description())
                .contains("#idd is unknown");
        assertThat(refusal(() -> start(creation, FinalMethod.class, () -> new FinalMethod() {}))
                        .description())
                .contains("a proxy cannot override a final method");
        assertThat(refusal(() -> start(creation, SkippingWithFallback.class, () -> () -> ""))
                        .description())
                .contains("a call that is skipped has no fallback");
    }

    @Test
    void aBeanThatTheStartCreatesIsCheckedByItsClass() {
        GenericApplicationContext context = prepare(Object.class, true, NONE);
        context.registerBean("bean", Payments.class, WithoutFallback::new);
        assertThat(refusal(() -> {
                            context.refresh();
                            return context;
                        })
                        .description())
                .contains(WithoutFallback.class.getName() + " has no other method later");
    }

    private static <T> GenericApplicationContext start(Creation creation, Class<T> type, Supplier<T> bean) {
        GenericApplicationContext context = prepare(Object.class, true, NONE);
        creation.register(context, type, bean);
        context.refresh();
        return context;
    }

    enum Creation {
        LAZY {
            @Override
            <T> void register(GenericApplicationContext context, Class<T> type, Supplier<T> bean) {
                context.registerBean("bean", type, bean, definition -> definition.setLazyInit(true));
            }
        },
        PROTOTYPE {
            @Override
            <T> void register(GenericApplicationContext context, Class<T> type, Supplier<T> bean) {
                context.registerBean(
                        "bean", type, bean, definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE));
            }
        },
        SCOPED {
            @Override
            <T> void register(GenericApplicationContext context, Class<T> type, Supplier<T> bean) {
                RootBeanDefinition definition = new RootBeanDefinition(type, BeanDefinition.SCOPE_PROTOTYPE, bean);
                BeanDefinitionHolder proxy =
                        ScopedProxyUtils.createScopedProxy(new BeanDefinitionHolder(definition, "bean"), context, true);
                context.registerBeanDefinition(proxy.getBeanName(), proxy.getBeanDefinition());
            }
        },
        PRODUCT {
            @Override
            <T> void register(GenericApplicationContext context, Class<T> type, Supplier<T> bean) {
                context.registerBean("bean", Product.class, () -> new Product<>(type, bean));
            }
        };

        abstract <T> void register(GenericApplicationContext context, Class<T> type, Supplier<T> bean);
    }

    record Product<T>(Class<T> type, Supplier<T> bean) implements FactoryBean<T> {

        @Override
        public T getObject() {
            return bean.get();
        }

        @Override
        public Class<?> getObjectType() {
            return type;
        }
    }

    interface Payments {

        @DistributedLocked(fallback = "later")
        String pay(String order);
    }

    static class CardPayments implements Payments {

        @Override
        public String pay(String order) {
            return "paid";
        }

        String later(String order) {
            return "later";
        }
    }

    static class WithoutFallback implements Payments {

        @Override
        public String pay(String order) {
            return "paid";
        }
    }

    abstract static class BasePayments {

        @DistributedLocked(fallback = "later")
        public String pay(String order) {
            return "paid";
        }
    }

    static class LatePayments extends BasePayments {

        private String later(String order) {
            return "late";
        }
    }

    sealed interface Closed permits Permitted {

        @DistributedLocked
        void run();
    }

    static non-sealed class Permitted implements Closed {

        @Override
        public void run() {}
    }

    interface Work {

        @DistributedLocked
        Future<String> begin();
    }

    static class CompletableWork implements Work {

        @Override
        public CompletableFuture<String> begin() {
            return CompletableFuture.completedFuture("done");
        }
    }

    interface Service {

        @DistributedLocked
        void shutdown();
    }

    static class ClosedService implements Service, AutoCloseable {

        @Override
        public void shutdown() {}

        @Override
        public void close() {}
    }

    interface WrongKey {

        @DistributedLocked("#idd")
        void run(String id);
    }

    abstract static class FinalMethod {

        @DistributedLocked
        public final void run() {}
    }

    interface SkippingWithFallback {

        @DistributedLocked(whenBusy = WhenBusy.SKIP, fallback = "later")
        String run();
    }
}
