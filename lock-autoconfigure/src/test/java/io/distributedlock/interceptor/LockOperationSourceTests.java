/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ReflectionUtils;

/** Where an annotation is looked for, which one counts, and that it is looked for once. */
class LockOperationSourceTests {

    private final LockOperationSource source = new LockOperationSource(new LockAnnotationParser(
            new DefaultListableBeanFactory(), true, null, () -> DistributedLockAdvisor.DEFAULT_ORDER));

    @Test
    void prefersTheMethodToItsClass() {
        assertThat(nameOf(Both.class, "own")).isEqualTo("method");
        assertThat(nameOf(Both.class, "other")).isEqualTo("class");
    }

    @Test
    void prefersTheMethodOfTheInterfaceToTheTargetClassAndThatToTheInterface() {
        assertThat(nameOf(Nearest.class, "method")).isEqualTo("interface method");
        assertThat(nameOf(Nearest.class, "unmarked")).isEqualTo("target class");
    }

    @Test
    void prefersTheMethodOfTheInterfaceToTheInterface() {
        assertThat(nameOf(Plain.class, "method")).isEqualTo("interface method");
        assertThat(nameOf(Plain.class, "unmarked")).isEqualTo("interface");
        assertThat(nameOf(Plain.class, "byDefault")).isEqualTo("interface");
    }

    @Test
    void findsTheSameByTheMethodOfTheInterface() {
        assertThat(source.get(method(Api.class, "unmarked"), Nearest.class)
                        .name()
                        .of(null, new Object[0]))
                .isEqualTo("target class");
        assertThat(source.get(method(Api.class, "method"), Plain.class).name().of(null, new Object[0]))
                .isEqualTo("interface method");
    }

    @Test
    void findsAnOverriddenMethodOfASuperclass() {
        assertThat(nameOf(Overriding.class, "own")).isEqualTo("method");
    }

    @Test
    void findsTheInterfaceOfASubclassForAMethodThatItInherits() {
        assertThat(nameOf(Inheriting.class, "method")).isEqualTo("interface method");
    }

    /** The compiler adds a bridge to the subclass, and the method is found behind it. */
    @Test
    void findsTheGenericInterfaceOfASubclassForAMethodThatItInherits() {
        assertThat(source.get(method(NotKnowingTheInterface.class, "handle"), InheritingGeneric.class))
                .isNotNull();
        assertThat(source.get(method(Generic.class, "handle"), InheritingGeneric.class))
                .isNotNull();
    }

    @Test
    void findsTheInterfaceThatIsAnnotatedOfSeveralWithTheInheritedMethod() {
        assertThat(nameOf(InheritingSeveral.class, "method")).isEqualTo("interface method");
    }

    /** As {@code @Transactional} does. */
    @Test
    void prefersTheClassThatDeclaresAnInheritedMethodToTheMethodOfAnInterfaceThatItDoesNotImplement() {
        assertThat(nameOf(InheritingMarked.class, "method")).isEqualTo("superclass");
        AnnotationTransactionAttributeSource transactions = new AnnotationTransactionAttributeSource();
        assertThat(transactions.getTransactionAttribute(method(Api.class, "method"), InheritingMarked.class))
                .extracting(TransactionAttribute::getQualifier)
                .isEqualTo("superclass");
    }

    @Test
    void takesAClassForTheMethodsThatItInheritsToo() {
        assertThat(nameOf(Extending.class, "inherited")).isEqualTo("class");
        assertThat(nameOf(Extending.class, "declared")).isEqualTo("class");
        assertThat(nameOf(Extending.class, "marked")).isEqualTo("method");
        assertThat(nameOf(Extending.class, "toString")).isNull();
        assertThat(nameOf(Parent.class, "inherited")).isNull();
    }

    @Test
    void prefersTheClassOfTheBeanToTheClassThatDeclaresTheMethod() {
        assertThat(nameOf(Extending.class, "declared")).isEqualTo("class");
        assertThat(nameOf(ExtendingAgain.class, "declared")).isEqualTo("nearest class");
    }

    @Test
    void takesAnInterfaceOfAGeneratedClassForTheMethodsThatItInheritsToo() {
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Unmarked.class, Marked.class},
                (self, method, args) -> null);
        LockOperation inherited = source.get(method(Repository.class, "save"), proxy.getClass());
        assertThat(inherited.name().of(null, new Object[0])).isEqualTo("interface");
        assertThat(source.get(method(Unmarked.class, "other"), proxy.getClass()))
                .isNull();
    }

    @Test
    void leavesMethodsOfObjectAlone() {
        assertThat(nameOf(Both.class, "toString")).isNull();
        assertThat(nameOf(Both.class, "hashCode")).isNull();
        assertThat(nameOf(Both.class, "finalize")).isNull();
    }

    @Test
    void leavesPrivateAndStaticHelpersOfAnAnnotatedClassAlone() {
        assertThat(nameOf(Both.class, "helper")).isNull();
        assertThat(nameOf(Both.class, "create")).isNull();
    }

    @Test
    void readsComposedAnnotations() {
        LockOperation operation = source.get(method(Composed.class, "run"), Composed.class);
        assertThat(operation.name().of(null, new Object[] {7})).isEqualTo("jobs:7");
        assertThat(operation.whenBusy()).isEqualTo(WhenBusy.SKIP);
        assertThat(operation.waitUpTo()).isZero();
        assertThat(nameOf(Composed.class, "aliased")).isEqualTo("jobs:x");
    }

    @Test
    void findsAnImplementationOfAGenericMethod() {
        Method bridge = ReflectionUtils.findMethod(Text.class, "handle", Object.class);
        assertThat(bridge.isBridge()).isTrue();
        for (Method method : new Method[] {bridge, method(Generic.class, "handle"), handle()}) {
            LockOperation operation = source.get(method, Text.class);
            assertThat(operation.name().of(null, new Object[] {"a"})).isEqualTo("a");
        }
    }

    @Test
    void takesTheNamesOfParametersFromWhereTheAnnotationStands() {
        LockOperation operation = source.get(handle(), Text.class);
        assertThat(operation.name().of(null, new Object[] {"a"})).isEqualTo("a");
    }

    @Test
    void namesAMethodWithoutKeyByTheClassOfTheBean() {
        Method method = method(Base.class, "unnamed");
        assertThat(source.get(method, Base.class).name().of(null, new Object[0]))
                .isEqualTo(Base.class.getName() + ".unnamed()");
        assertThat(source.get(method, Sub.class).name().of(null, new Object[0]))
                .isEqualTo(Sub.class.getName() + ".unnamed()");
    }

    @Test
    void namesAMethodOfAGeneratedTargetByItsInterface() {
        Api mapper = (Api) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Api.class}, (proxy, method, arguments) -> null);
        assertThat(nameOf(mapper.getClass(), "method")).isEqualTo("interface method");
        Unnamed generated = (Unnamed) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Unnamed.class}, (proxy, method, arguments) -> null);
        Unnamed lambda = text -> {};
        for (Class<?> type : List.of(generated.getClass(), lambda.getClass())) {
            assertThat(nameOf(type, "run")).isEqualTo(Unnamed.class.getName() + ".run(java.lang.String)");
        }
    }

    @Test
    void parsesOnceForTheMethodsOfInterfaceAndTarget() {
        CountingParser parser = new CountingParser();
        LockOperationSource counting = new LockOperationSource(parser);
        LockOperation operation = counting.get(method(Plain.class, "method"), Plain.class);
        assertThat(counting.get(method(Api.class, "method"), Plain.class)).isSameAs(operation);
        assertThat(counting.get(method(Plain.class, "method"), Plain.class)).isSameAs(operation);
        assertThat(parser.parsed).isOne();
    }

    private String nameOf(Class<?> type, String method) {
        LockOperation operation = source.get(method(type, method), type);
        return operation == null ? null : operation.name().of(null, new Object[0]);
    }

    private static Method handle() {
        return ReflectionUtils.findMethod(Text.class, "handle", String.class);
    }

    private static Method method(Class<?> type, String name) {
        return ReflectionUtils.findMethod(type, name, (Class<?>[]) null);
    }

    private static final class CountingParser extends LockAnnotationParser {

        private int parsed;

        CountingParser() {
            super(new DefaultListableBeanFactory(), true, null, () -> DistributedLockAdvisor.DEFAULT_ORDER);
        }

        @Override
        LockOperation parse(LockAttributes annotation, LockedMethod where) {
            parsed++;
            return super.parse(annotation, where);
        }
    }

    @FunctionalInterface
    interface Unnamed {

        @DistributedLocked
        void run(String text);
    }

    @DistributedLocked("'class'")
    static class Both {

        @DistributedLocked("'method'")
        void own() {}

        void other() {
            helper();
        }

        private void helper() {}

        static Both create() {
            return new Both();
        }

        @Override
        public String toString() {
            return "both";
        }
    }

    static class Overriding extends Both {

        @Override
        void own() {}
    }

    @DistributedLocked("'interface'")
    interface Api {

        @DistributedLocked("'interface method'")
        @Transactional("interface method")
        void method();

        void unmarked();

        default void byDefault() {}
    }

    static class Plain implements Api {

        @Override
        public void method() {}

        @Override
        public void unmarked() {}
    }

    @DistributedLocked("'target class'")
    static class Nearest implements Api {

        @Override
        public void method() {}

        @Override
        public void unmarked() {}
    }

    static class NotKnowingTheInterface {

        public void method() {}

        public void unmarked() {}

        public void handle(String text) {}
    }

    static class Inheriting extends NotKnowingTheInterface implements Api {}

    @DistributedLocked("'superclass'")
    @Transactional("superclass")
    static class MarkedWithoutTheInterface {

        public void method() {}

        public void unmarked() {}
    }

    static class InheritingMarked extends MarkedWithoutTheInterface implements Api {}

    static class InheritingGeneric extends NotKnowingTheInterface implements Generic<String> {}

    interface WithoutAnnotation {

        void method();
    }

    static class InheritingSeveral extends NotKnowingTheInterface implements WithoutAnnotation, Api {}

    static class Parent {

        public void inherited() {}

        @DistributedLocked("'method'")
        public void marked() {}

        @Override
        public String toString() {
            return "parent";
        }
    }

    @DistributedLocked("'class'")
    static class Extending extends Parent {

        public void declared() {}
    }

    @DistributedLocked("'nearest class'")
    static class ExtendingAgain extends Extending {}

    interface Repository {

        void save();
    }

    interface Unmarked {

        void other();
    }

    @DistributedLocked("'interface'")
    interface Marked extends Repository {}

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLocked(name = "jobs", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
    @interface Job {

        @AliasFor(annotation = DistributedLocked.class, attribute = "key")
        String id();
    }

    static class Composed {

        @Job(id = "#number")
        void run(int number) {}

        @Job(id = "'x'")
        void aliased() {}
    }

    interface Generic<T> {

        @DistributedLocked("#item")
        void handle(T item);
    }

    static class Text implements Generic<String> {

        @Override
        public void handle(String text) {}
    }

    static class Base {

        @DistributedLocked
        void unnamed() {}
    }

    static class Sub extends Base {}
}
