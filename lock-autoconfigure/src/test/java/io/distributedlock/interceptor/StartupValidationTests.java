/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static io.distributedlock.interceptor.CheckedContexts.NONE;
import static io.distributedlock.interceptor.CheckedContexts.prepare;
import static io.distributedlock.interceptor.CheckedContexts.refusal;
import static io.distributedlock.interceptor.CheckedContexts.refusalOf;
import static io.distributedlock.interceptor.CheckedContexts.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.interceptor.elsewhere.Elsewhere;
import io.distributedlock.interceptor.elsewhere.OfAnotherPackage;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.io.Serializable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.Ordered;

/** Methods that would run without their lock fail the start, whatever kind of bean has them. */
class StartupValidationTests {

    @Test
    void refusesAPrivateMethod() {
        assertThat(refusalOf(PrivateMethod.class).description())
                .isEqualTo("@DistributedLocked on " + PrivateMethod.class.getName()
                        + "#hidden(String): a private method is never called through the proxy that locks it.");
        assertThat(refusalOf(PrivateMethod.class).action())
                .isEqualTo("Make it not private, and call it through the bean.");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                FinalMethod.class,
                FinalMethodOfAnnotatedClass.class,
                StaticMethod.class,
                StaticMethodOfInterface.class,
                InheritedPrivateMethod.class,
                InheritedFinalMethod.class,
                InheritedFinalOverride.class,
                FinalClass.class,
                SealedClass.class,
                RecordClass.class,
                WrongKey.class,
            })
    void refusesWhatNoClassProxyReaches(Class<?> type) {
        assertThat(refusalOf(type).description())
                .startsWith("@DistributedLocked")
                .contains(" on " + type.getName() + "#wrong(");
    }

    /** The container calls it on the bean itself, so it would run without its lock. */
    @ParameterizedTest
    @ValueSource(
            classes = {
                AfterConstruction.class,
                BeforeDestruction.class,
                LockedInitializing.class,
                InheritedInitializing.class,
                Ending.class
            })
    void refusesWhatTheContainerCallsOnTheBeanItself(Class<?> type) {
        assertThat(refusalOf(type).description())
                .startsWith("@DistributedLocked on " + getClass().getName() + "$")
                .contains("the container calls it on the bean itself");
        assertThat(refusalOf(type).action()).contains("ApplicationReadyEvent");
    }

    /** As with initMethod and destroyMethod of {@code @Bean}. */
    @Test
    void refusesWhatTheDefinitionNamesForTheStartOrTheEnd() {
        assertRefusesCallback(definition -> definition.setInitMethodName("wrong"));
        assertRefusesCallback(definition -> definition.setDestroyMethodName("wrong"));
        assertRefusesCallback(definition -> {
            definition.setInitMethodName("wrong");
            definition.setLazyInit(true);
        });
        start(NamedCallback.class, true, definition -> definition.setInitMethodName("right"))
                .close();
    }

    private void assertRefusesCallback(BeanDefinitionCustomizer customizer) {
        assertThat(refusal(() -> start(NamedCallback.class, true, customizer)).description())
                .startsWith("@DistributedLocked on " + NamedCallback.class.getName() + "#wrong()")
                .contains("the container calls it on the bean itself");
    }

    /** An annotation on the class applies to the methods that a proxy can reach. */
    @Test
    void leavesWhatTheContainerCallsInAnAnnotatedClassAlone() {
        start(WithCallbacks.class, true, NONE).close();
    }

    @Test
    void refusesAPackagePrivateMethodOfAnotherPackage() {
        assertThat(refusalOf(FromElsewhere.class).description())
                .isEqualTo("@DistributedLocked on " + FromElsewhere.class.getName()
                        + "#run(): the proxy is in another package than the package-private method of "
                        + Elsewhere.class.getName() + ".");
    }

    @Test
    void acceptsAFinalMethodThatIsCalledThroughAnInterface() {
        try (GenericApplicationContext context = start(FinalButInInterface.class, false, NONE)) {
            assertThat(context.getBean(Api.class).wrong()).isEqualTo("done");
            assertThat(context.getBean(RecordingLocks.class).events()).containsExactly("acquire", "close");
        }
        assertThat(refusalOf(FinalButInInterface.class).description()).contains("final");
    }

    @Test
    void refusesAMethodThatAProxyOfInterfacesDoesNotHave() {
        assertThat(refusal(() -> start(NotInInterface.class, false, NONE)).description())
                .contains(NotInInterface.class.getName() + "#other()")
                .contains("none of them has the method");
        start(NotInInterface.class, true, NONE).close();
    }

    @Test
    void refusesAFinalMethodOfABeanWithoutInterfacesWhateverIsPreferred() {
        assertThat(refusal(() -> start(FinalMethod.class, false, NONE)).description())
                .contains("a proxy cannot override a final method");
    }

    @Test
    void acceptsGeneratedBeans() {
        Api lambda = () -> "done";
        GenericApplicationContext context = prepare(Object.class, true);
        context.registerBean("lambda", Api.class, () -> lambda);
        context.refresh();
        try (context) {
            assertThat(context.getBean(Api.class).wrong()).isEqualTo("done");
            assertThat(context.getBean(RecordingLocks.class).name()).isEqualTo(Api.class.getName() + ".wrong()");
        }
    }

    @Test
    void leavesHelpersOfAnAnnotatedClassAlone() {
        start(Helpers.class, true, NONE).close();
    }

    /** Their author cannot open them, and the annotation means what a proxy can reach. */
    @Test
    void leavesInheritedMethodsOfAnAnnotatedClassAloneThatNoProxyReaches() {
        try (GenericApplicationContext context = start(ExtendingFramework.class, true, NONE)) {
            assertThat(context.getBean(ExtendingFramework.class).open()).isEqualTo("open");
            assertThat(context.getBean(RecordingLocks.class).name()).endsWith("ExtendingFramework.open()");
        }
    }

    @Test
    void leavesInheritedMethodsAloneIfTheirClassHasOnlyInheritedTheAnnotation() {
        start(ExtendingLockedFramework.class, true, NONE).close();
    }

    @Test
    void looksIntoInheritedMethodsOfAnAnnotatedClass() {
        assertThat(refusalOf(WithWrongKeyForInherited.class).description()).contains("#id is unknown");
    }

    @Test
    void looksIntoBeansThatAreNotCreatedAtTheStart() {
        BeanDefinitionCustomizer lazy = definition -> definition.setLazyInit(true);
        BeanDefinitionCustomizer prototype = definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
        assertThat(refusal(() -> start(PrivateMethod.class, true, lazy)).description())
                .contains("hidden(String)");
        assertThat(refusal(() -> start(PrivateMethod.class, true, prototype)).description())
                .contains("hidden(String)");
        assertThat(refusal(() -> start(WrongKey.class, true, lazy)).description())
                .contains("#idd is unknown");
    }

    @Test
    void looksIntoTheObjectsOfFactoryBeans() {
        assertThat(refusal(() -> start(Factory.class, true, NONE)).description())
                .contains("hidden(String)");
    }

    @Test
    void refusesABeanBeforeItIsInitialized() {
        Initializing.initialized = false;
        assertThat(refusalOf(Initializing.class).description()).contains("wrong()");
        assertThat(Initializing.initialized).isFalse();
    }

    @Test
    void refusesABeanThatIsCreatedTooEarlyToGetAProxy() {
        InvalidLockedMethodException refusal = refusal(() -> {
            GenericApplicationContext context = prepare(Good.class, true, NONE);
            context.registerBean(Needing.class, () -> new Needing(context.getBean(Good.class)));
            context.refresh();
            return context;
        });
        assertThat(refusal.description()).contains("no proxy that would lock them (" + Good.class.getName());
    }

    @Test
    void refusesABeanThatIsPartOfAop() {
        assertThat(refusalOf(Infrastructure.class).description()).contains("no proxy that would lock them");
    }

    @Test
    void startsWithoutAnyLockedMethod() {
        try (GenericApplicationContext context = start(Object.class, true, NONE)) {
            assertThat(context.getBean(RecordingLocks.class).events()).isEmpty();
        }
    }

    static class FromElsewhere extends Elsewhere {}

    static class Good {

        @DistributedLocked
        void run() {}
    }

    static class PrivateMethod {

        @DistributedLocked
        private void hidden(String text) {}
    }

    static class InheritedPrivateMethod extends WithPrivateMethod {}

    static class WithPrivateMethod {

        @DistributedLocked
        private void wrong() {}
    }

    static class FinalMethod {

        @DistributedLocked
        final void wrong() {}
    }

    @DistributedLocked
    static class FinalMethodOfAnnotatedClass {

        public final void wrong() {}
    }

    static class StaticMethod {

        @DistributedLocked
        static void wrong() {}
    }

    interface WithStaticMethod {

        @DistributedLocked
        static void wrong() {}
    }

    static class StaticMethodOfInterface implements WithStaticMethod {}

    static final class FinalClass {

        @DistributedLocked
        void wrong() {}
    }

    static sealed class SealedClass permits Permitted {

        @DistributedLocked
        void wrong() {}
    }

    static final class Permitted extends SealedClass {}

    record RecordClass() {

        @DistributedLocked
        void wrong() {}
    }

    static class WrongKey {

        @DistributedLocked("#idd")
        void wrong(long id) {}
    }

    interface Api {

        @DistributedLocked
        String wrong();
    }

    abstract static class FinalInBase implements Api {

        @Override
        public final String wrong() {
            return "done";
        }
    }

    static class InheritedFinalMethod extends FinalInBase {}

    static class FinalOverride extends Open {

        @Override
        public final String wrong() {
            return "done";
        }
    }

    static class InheritedFinalOverride extends FinalOverride {}

    static class Open {

        @DistributedLocked
        public String wrong() {
            return "done";
        }
    }

    static final class FinalButInInterface implements Api {

        @Override
        public String wrong() {
            return "done";
        }
    }

    static class NotInInterface implements Api, Serializable {

        @Override
        public String wrong() {
            return "done";
        }

        @DistributedLocked
        public void other() {}
    }

    static class Framework extends OfAnotherPackage {

        public final String closed() {
            return "closed";
        }

        public String open() {
            return "open";
        }
    }

    @DistributedLocked
    static class ExtendingFramework extends Framework {}

    @DistributedLocked
    static class Locked {}

    static class LockedFramework extends Locked {

        public final void closed() {}
    }

    static class ExtendingLockedFramework extends LockedFramework {}

    @DistributedLocked("#id")
    static class WithWrongKeyForInherited extends Framework {}

    @DistributedLocked
    static class Helpers {

        public void run() {
            helper();
        }

        private void helper() {}

        private static int count(String text) {
            return text.length();
        }
    }

    static class Factory implements FactoryBean<PrivateMethod> {

        @Override
        public PrivateMethod getObject() {
            return new PrivateMethod();
        }

        @Override
        public Class<?> getObjectType() {
            return PrivateMethod.class;
        }
    }

    static class Initializing implements InitializingBean {

        static boolean initialized;

        @Override
        public void afterPropertiesSet() {
            initialized = true;
        }

        @DistributedLocked
        private void wrong() {}
    }

    static class AfterConstruction {

        @PostConstruct
        @DistributedLocked
        public void prepare() {}
    }

    static class BeforeDestruction {

        @PreDestroy
        @DistributedLocked
        public void end() {}
    }

    static class LockedInitializing implements InitializingBean {

        @Override
        @DistributedLocked
        public void afterPropertiesSet() {}
    }

    static class Preparing {

        @DistributedLocked
        public void afterPropertiesSet() {}
    }

    static class InheritedInitializing extends Preparing implements InitializingBean {}

    static class Ending implements DisposableBean {

        @Override
        @DistributedLocked
        public void destroy() {}
    }

    @DistributedLocked
    static class WithCallbacks implements InitializingBean {

        @PostConstruct
        public void prepare() {}

        @Override
        public void afterPropertiesSet() {}

        public void destroy() {}
    }

    static class NamedCallback {

        @DistributedLocked
        public void wrong() {}

        @DistributedLocked(key = "#id")
        public void wrong(String id) {}

        public void right() {}
    }

    static class Infrastructure implements AopInfrastructureBean {

        @DistributedLocked
        public void run() {}
    }

    record Needing(Good good) implements BeanPostProcessor, Ordered {

        @Override
        public int getOrder() {
            return 0;
        }
    }
}
