/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ReflectionUtils;

/** Of several annotations, the one that Spring would choose for a transaction applies. */
class TransactionalLookUpTests {

    private final LockOperationSource locks = new LockOperationSource(new LockAnnotationParser(
            new DefaultListableBeanFactory(), true, null, () -> DistributedLockAdvisor.DEFAULT_ORDER));

    private final AnnotationTransactionAttributeSource transactions = new AnnotationTransactionAttributeSource();

    static Stream<Arguments> shapes() {
        Class<?> generated = Proxy.newProxyInstance(
                        TransactionalLookUpTests.class.getClassLoader(),
                        new Class<?>[] {Unmarked.class, ApiExtension.class},
                        (proxy, method, arguments) -> null)
                .getClass();
        return Stream.of(
                Arguments.of(MarkedMethod.class, MarkedMethod.class, "own method"),
                Arguments.of(MarkedClass.class, MarkedClass.class, "interface method"),
                Arguments.of(MarkedClass.class, Api.class, "interface method"),
                Arguments.of(UnmarkedClass.class, UnmarkedClass.class, "interface method"),
                Arguments.of(ClassOverInterface.class, ClassOverInterface.class, "class"),
                Arguments.of(ClassOverInterface.class, MarkedType.class, "class"),
                Arguments.of(InterfaceOnly.class, InterfaceOnly.class, "interface"),
                Arguments.of(OfGeneric.class, OfGeneric.class, "generic interface method"),
                Arguments.of(OfGeneric.class, Generic.class, "generic interface method"),
                Arguments.of(OfTwo.class, OfTwo.class, "interface method"),
                Arguments.of(OfTwo.class, Unmarked.class, "interface method"),
                Arguments.of(OfTwoMarked.class, OfTwoMarked.class, "other interface method"),
                Arguments.of(OverridingWithInterface.class, OverridingWithInterface.class, "interface method"),
                Arguments.of(OverridingWithInterface.class, Api.class, "interface method"),
                Arguments.of(OverridingInMarkedClass.class, OverridingInMarkedClass.class, "superclass method"),
                Arguments.of(OverridingUnmarked.class, OverridingUnmarked.class, "superclass"),
                Arguments.of(InterfaceBeforeSuperclass.class, InterfaceBeforeSuperclass.class, "interface"),
                Arguments.of(OfMarkedExtension.class, OfMarkedExtension.class, "interface method"),
                Arguments.of(OverridingGeneric.class, OverridingGeneric.class, "generic superclass method"),
                Arguments.of(OverridingGeneric.class, GenericParent.class, "generic superclass method"),
                Arguments.of(InheritingMethod.class, InheritingMethod.class, "superclass method"),
                Arguments.of(InheritingClass.class, InheritingClass.class, "superclass"),
                Arguments.of(InheritingWithApi.class, Api.class, "interface method"),
                Arguments.of(InheritingWithApiInMarkedClass.class, Api.class, "interface method"),
                Arguments.of(InheritingClassWithApi.class, Api.class, "superclass"),
                Arguments.of(InheritingClassWithMarkedType.class, MarkedType.class, "superclass"),
                Arguments.of(InheritingWithMarkedType.class, MarkedType.class, "interface"),
                Arguments.of(Inheriting.class, Inheriting.class, null),
                Arguments.of(InheritingOfMarkedInterface.class, MarkedType.class, "interface"),
                Arguments.of(ByDefault.class, Default.class, "interface"),
                Arguments.of(generated, Api.class, "interface method"));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void findsTheAnnotationThatSpringFindsForATransaction(Class<?> target, Class<?> asked, String expected) {
        Method method = run(asked);
        TransactionAttribute transaction = transactions.getTransactionAttribute(method, target);
        assertThat(transaction == null ? null : transaction.getQualifier()).isEqualTo(expected);

        List<LockOperation> found = locks.all(method, target);
        assertThat(found)
                .extracting(each -> each.name().of(null, new Object[1]))
                .isEqualTo(expected == null ? List.of() : List.of(expected + ":key"));
    }

    static Stream<Class<?>> exclusions() {
        return Stream.of(
                ExcludedByInterface.class,
                ExcludedByGenericInterface.class,
                ExcludedBySuperclass.class,
                ExcludedByInterfaceOfSubclass.class,
                ExcludedByOwnAnnotation.class);
    }

    @ParameterizedTest
    @MethodSource("exclusions")
    void anExclusionOfAMethodCountsWhereItsAnnotationWould(Class<?> target) {
        assertThat(locks.all(run(target), target)).isEmpty();
        assertThat(locks.all(ReflectionUtils.findMethod(target, "other"), target))
                .hasSize(1);
    }

    @Test
    void severalAnnotationsOfAnInterfaceMethodReplaceThoseOfTheClass() {
        assertThat(locks.all(run(SeveralOnClass.class), SeveralOnClass.class))
                .extracting(each -> each.name().of(null, new Object[0]))
                .containsExactly("a", "b");
    }

    /** The interface does not know that the container calls the method of the class. */
    @Test
    void noAnnotationOnATypeAppliesToAMethodOfTheContainer() {
        for (Class<?> type : List.of(Sorted.class, InheritingSorted.class)) {
            Method order = ReflectionUtils.findMethod(type, "getOrder");
            assertThat(locks.all(order, type)).isEmpty();
        }
    }

    private static Method run(Class<?> type) {
        return Stream.of(ReflectionUtils.getAllDeclaredMethods(type), type.getMethods())
                .flatMap(Stream::of)
                .filter(each -> each.getName().equals("run") && !each.isBridge())
                .findFirst()
                .orElseThrow();
    }

    /** A lock and a transaction of that name. */
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLocked(key = "'key'")
    @Transactional
    @interface Marked {

        @AliasFor(annotation = DistributedLocked.class, attribute = "name")
        String name();

        @AliasFor(annotation = Transactional.class, attribute = "transactionManager")
        String manager();
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLocked.None
    @interface Excluded {}

    interface Api {

        @Marked(name = "interface method", manager = "interface method")
        void run();
    }

    interface OtherApi {

        @Marked(name = "other interface method", manager = "other interface method")
        void run();
    }

    interface Unmarked {

        void run();
    }

    @Marked(name = "interface", manager = "interface")
    interface MarkedType {

        void run();
    }

    @Marked(name = "interface", manager = "interface")
    interface Default {

        default void run() {}
    }

    @Marked(name = "extension", manager = "extension")
    interface ApiExtension extends Api {}

    interface Generic<T> {

        @Marked(name = "generic interface method", manager = "generic interface method")
        void run(T item);
    }

    static class MarkedMethod implements Api {

        @Override
        @Marked(name = "own method", manager = "own method")
        public void run() {}
    }

    @Marked(name = "class", manager = "class")
    static class MarkedClass implements Api {

        @Override
        public void run() {}
    }

    static class UnmarkedClass implements Api {

        @Override
        public void run() {}
    }

    @Marked(name = "class", manager = "class")
    static class ClassOverInterface implements MarkedType {

        @Override
        public void run() {}
    }

    static class InterfaceOnly implements MarkedType {

        @Override
        public void run() {}
    }

    @Marked(name = "class", manager = "class")
    static class OfGeneric implements Generic<String> {

        @Override
        public void run(String item) {}
    }

    @Marked(name = "class", manager = "class")
    static class OfTwo implements Unmarked, Api {

        @Override
        public void run() {}
    }

    static class OfTwoMarked implements OtherApi, Api {

        @Override
        public void run() {}
    }

    @Marked(name = "class", manager = "class")
    static class OfMarkedExtension implements ApiExtension {

        @Override
        public void run() {}
    }

    static class ParentWithMethod {

        @Marked(name = "superclass method", manager = "superclass method")
        public void run() {}
    }

    @Marked(name = "superclass", manager = "superclass")
    static class MarkedParent {

        public void run() {}
    }

    static class UnmarkedParent {

        public void run() {}
    }

    static class OverridingWithInterface extends ParentWithMethod implements Api {

        @Override
        public void run() {}
    }

    @Marked(name = "class", manager = "class")
    static class OverridingInMarkedClass extends ParentWithMethod implements Unmarked {

        @Override
        public void run() {}
    }

    static class OverridingUnmarked extends MarkedParent {

        @Override
        public void run() {}
    }

    static class InterfaceBeforeSuperclass extends MarkedParent implements MarkedType {

        @Override
        public void run() {}
    }

    static class GenericParent<T> {

        @Marked(name = "generic superclass method", manager = "generic superclass method")
        public void run(T item) {}
    }

    @Marked(name = "class", manager = "class")
    static class OverridingGeneric extends GenericParent<String> {

        @Override
        public void run(String item) {}
    }

    static class InheritingMethod extends ParentWithMethod {}

    static class InheritingClass extends MarkedParent {}

    static class Inheriting extends UnmarkedParent {}

    static class InheritingWithApi extends UnmarkedParent implements Api {}

    @Marked(name = "class", manager = "class")
    static class InheritingWithApiInMarkedClass extends UnmarkedParent implements Api {}

    static class InheritingClassWithApi extends MarkedParent implements Api {}

    static class InheritingClassWithMarkedType extends MarkedParent implements MarkedType {}

    static class InheritingWithMarkedType extends UnmarkedParent implements MarkedType {}

    static class InheritingOfMarkedInterface extends InterfaceOnly implements Unmarked {}

    static class ByDefault implements Default {}

    interface ExcludingApi {

        @DistributedLocked.None
        void run();
    }

    interface ExcludingGeneric<T> {

        @DistributedLocked.None
        void run(T item);
    }

    @DistributedLocked("'class'")
    static class ExcludedByInterface implements ExcludingApi {

        @Override
        public void run() {}

        public void other() {}
    }

    @DistributedLocked("'class'")
    static class ExcludedByGenericInterface implements ExcludingGeneric<String> {

        @Override
        public void run(String item) {}

        public void other() {}
    }

    static class ExcludingParent {

        @DistributedLocked.None
        public void run() {}
    }

    @DistributedLocked("'class'")
    static class ExcludedBySuperclass extends ExcludingParent {

        @Override
        public void run() {}

        public void other() {}
    }

    @DistributedLocked("'class'")
    static class ExcludedByInterfaceOfSubclass extends UnmarkedParent implements ExcludingApi {

        public void other() {}
    }

    interface MarkedAgain extends ExcludingApi {

        @Override
        @DistributedLocked("'interface method'")
        void run();
    }

    @DistributedLocked("'class'")
    static class ExcludedByOwnAnnotation implements MarkedAgain {

        @Override
        @Excluded
        public void run() {}

        public void other() {}
    }

    interface SeveralOnMethod {

        @DistributedLocked("'a'")
        @DistributedLocked("'b'")
        void run();
    }

    @DistributedLocked("'c'")
    @DistributedLocked("'d'")
    static class SeveralOnClass implements SeveralOnMethod {

        @Override
        public void run() {}
    }

    @DistributedLocked("'interface'")
    interface WithOrder {

        int getOrder();
    }

    static class Sorted implements WithOrder, Ordered {

        @Override
        public int getOrder() {
            return 0;
        }
    }

    @DistributedLocked("'superclass'")
    static class ParentWithOrder {

        public int getOrder() {
            return 0;
        }
    }

    static class InheritingSorted extends ParentWithOrder implements Ordered {}
}
