/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.distributedlock.LockMode;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ReflectionUtils;

/** An annotation that is read directly has the attributes that Spring's search would find. */
class LockAttributesTests {

    private final LockOperationSource source = new LockOperationSource(new LockAnnotationParser(
            new DefaultListableBeanFactory(), true, null, () -> DistributedLockAdvisor.DEFAULT_ORDER));

    @ParameterizedTest
    @ValueSource(strings = {"defaults", "everything", "byValue", "byKey", "byBoth"})
    void areThoseOfSpringsSearch(String name) {
        Method method = method(Lone.class, name);
        FoundAnnotation merged =
                FoundAnnotation.of(MergedAnnotations.from(method).get(DistributedLocked.class));

        assertThat(FoundAnnotation.onlyOneOf(method))
                .usingRecursiveComparison()
                .ignoringFields("attributes.annotation")
                .isEqualTo(merged);
    }

    @Test
    void areAllThatTheAnnotationHas() {
        assertThat(LockAttributes.class.getRecordComponents())
                .extracting(RecordComponent::getName)
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                Stream.of("annotation"),
                                Arrays.stream(DistributedLocked.class.getDeclaredMethods())
                                        .map(Method::getName)
                                        .filter(name -> !name.equals("value")))
                        .toList());
        LockAttributes everything = attributesOf("everything");
        LockAttributes defaults = attributesOf("defaults");
        assertThat(LockAttributes.class.getRecordComponents())
                .as("an attribute that the test does not set")
                .noneMatch(component -> Objects.equals(valueOf(component, everything), valueOf(component, defaults)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"contradiction", "several", "besideAnother", "none"})
    void areNotReadDirectlyIfThereIsMoreToFind(String name) {
        assertThat(FoundAnnotation.onlyOneOf(method(Crowded.class, name))).isNull();
    }

    @Test
    void areNotReadDirectlyFromABridge() {
        Method bridge = Arrays.stream(Bridged.class.getDeclaredMethods())
                .filter(Method::isBridge)
                .findFirst()
                .orElseThrow();
        assertThat(bridge.getDeclaredAnnotations()).as("javac copies them").hasSize(1);
        assertThat(FoundAnnotation.onlyOneOf(bridge)).isNull();
    }

    @Test
    void contradictionsOfAnAliasAreRefused() {
        assertThat(catchThrowableOfType(
                        InvalidLockedMethodException.class,
                        () -> source.get(method(Crowded.class, "contradiction"), Crowded.class)))
                .hasMessageContainingAll("Crowded#contradiction()", "'key'", "'value'", "Correct the attributes")
                .hasMessageNotContaining("..");
    }

    /** The search goes from there to the interface, which only the class of the bean has. */
    @ParameterizedTest
    @ValueSource(strings = {"contradiction", "excluded"})
    void soAreThoseOnAnInterfaceMethodThatAnInheritedOneImplements(String name) {
        assertThat(catchThrowableOfType(
                        InvalidLockedMethodException.class,
                        () -> source.get(method(Plain.class, name), OfInterface.class)))
                .hasMessageContainingAll("OfInterface#" + name + "()", "Correct the attributes");
    }

    @Test
    void ofALockedMethodAreOneLineOfTheDebugLog() {
        assertThat(debugLines(() -> source.get(method(Lone.class, "byValue"), Lone.class)))
                .singleElement()
                .asString()
                .startsWith("Calls of " + Lone.class.getName() + "#byValue(String) are locked: @")
                .contains("key=\"#id\"", "value=\"#id\"", "whenBusy=THROW");
    }

    @Test
    void ofSeveralAnnotationsAreOneLineToo() {
        assertThat(debugLines(() -> source.get(method(Crowded.class, "several"), Crowded.class)))
                .singleElement()
                .asString()
                .contains("key=\"'a'\"", "key=\"'b'\"");
    }

    /** Of a lazy bean, the start may know the interface only. */
    @Test
    void areLoggedForTheClassOfTheBeanAndNotForItsInterface() {
        assertThat(debugLines(() -> {
                    source.get(method(LockedBridge.class, "begin"), LockedBridge.class);
                    source.get(method(LockedBridge.class, "begin"), OfLockedBridge.class);
                }))
                .singleElement()
                .asString()
                .startsWith("Calls of " + OfLockedBridge.class.getName() + "#begin() are locked");
    }

    @Test
    void ofAMethodThatIsNotLockedAreNoLine() {
        assertThat(debugLines(() -> source.get(method(Crowded.class, "none"), Crowded.class)))
                .isEmpty();
    }

    private static List<String> debugLines(Runnable search) {
        Logger log = (Logger) LoggerFactory.getLogger(LockAttributesTests.class.getPackageName());
        Level before = log.getLevel();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        log.addAppender(lines);
        log.setLevel(Level.DEBUG);
        try {
            search.run();
        } finally {
            log.setLevel(before);
            log.detachAppender(lines);
        }
        return lines.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains("are locked"))
                .toList();
    }

    @Test
    void aParameterWithTheNameOfAPositionIsFoundByItsName() {
        ExpressionParameters parameters = parameters(Named.class, "swapped", Function.identity());

        assertThat(parameters.positionOf("p1")).isEqualTo(0);
        assertThat(parameters.positionOf("p0")).isEqualTo(1);
        assertThat(parameters.positionOf("a0")).isEqualTo(0);
        assertThat(parameters.positionOf("a1")).isEqualTo(1);
        assertThat(Stream.of("p2", "p00", "p", "a", "p+1", "P1", "p1 ", "").map(parameters::positionOf))
                .containsOnlyNulls();
    }

    @Test
    void aParameterHasTheNameOfItsDeclarationAndItsOwn() {
        ExpressionParameters parameters =
                parameters(Named.class, "renamed", where -> where.annotatedOn(method(Names.class, "renamed")));

        assertThat(parameters.positionOf("first")).isEqualTo(0);
        assertThat(parameters.positionOf("second")).as("as in the declaration").isEqualTo(1);
        assertThat(parameters.positionOf("other")).isEqualTo(1);
        assertThat(parameters.advice()).isEqualTo("Known are #root and [a0, a1, first, other, own, p0, p1, second].");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                OnMethod.class,
                OnMetaAnnotation.class,
                OnClass.class,
                OnInterface.class,
                OnInterfaceMethod.class,
                OnParentOfInterface.class,
                OnMethodOfParentOfInterface.class,
                Inherited.class
            })
    void findAsyncWhereverItIs(Class<?> type) {
        assertThat(isAsync(type)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(classes = {Lone.class, OnAnotherMethod.class})
    void findNoAsyncElsewhere(Class<?> type) {
        assertThat(isAsync(type)).isFalse();
    }

    private static @Nullable Object valueOf(RecordComponent component, LockAttributes attributes) {
        ReflectionUtils.makeAccessible(component.getAccessor());
        return ReflectionUtils.invokeMethod(component.getAccessor(), attributes);
    }

    private static boolean isAsync(Class<?> type) {
        Method method = method(type, "run");
        return AsyncMethods.isAsync(new LockedMethod(method, method, type));
    }

    private static LockAttributes attributesOf(String name) {
        FoundAnnotation found = FoundAnnotation.onlyOneOf(method(Lone.class, name));
        return Objects.requireNonNull(found).attributes();
    }

    private static ExpressionParameters parameters(
            Class<?> type, String name, Function<LockedMethod, LockedMethod> declaration) {
        Method method = method(type, name);
        return new ExpressionParameters(declaration.apply(new LockedMethod(method, method, type)));
    }

    private static Method method(Class<?> type, String name) {
        return Objects.requireNonNull(ReflectionUtils.findMethod(type, name, (Class<?> @Nullable []) null));
    }

    static class Lone {

        @DistributedLocked
        void defaults() {}

        @DistributedLocked(
                key = "'k'",
                name = "n",
                lease = "1s",
                waitUpTo = "2s",
                renew = false,
                maxHold = "3s",
                minHold = "4s",
                keyGenerator = "g",
                mode = LockMode.SHARED,
                condition = "true",
                fallback = "f",
                operations = "o",
                whenBusy = WhenBusy.SKIP,
                whenLost = WhenLost.IGNORE,
                reentrant = false)
        void everything() {}

        @DistributedLocked("#id")
        void byValue(String id) {}

        @DistributedLocked(key = "#id")
        void byKey(String id) {}

        @DistributedLocked(value = "#id", key = "#id")
        void byBoth(String id) {}

        void run() {}
    }

    static class Crowded {

        @DistributedLocked(value = "'a'", key = "'b'")
        void contradiction() {}

        @DistributedLocked("'a'")
        @DistributedLocked("'b'")
        void several() {}

        @DistributedLocked("'a'")
        @Deprecated
        void besideAnother() {}

        void none() {}
    }

    interface Contradicting {

        @DistributedLocked(value = "'a'", key = "'b'")
        void contradiction();

        @DistributedLocked
        @DistributedLocked.None
        void excluded();
    }

    static class Plain {

        public void contradiction() {}

        public void excluded() {}
    }

    static class OfInterface extends Plain implements Contradicting {}

    interface LockedBridge {

        @DistributedLocked
        void begin();
    }

    static class OfLockedBridge implements LockedBridge {

        @Override
        public void begin() {}
    }

    interface Bridge<T> {

        T run();
    }

    static class Bridged implements Bridge<String> {

        @Override
        @DistributedLocked
        public String run() {
            return "";
        }
    }

    static class Names {

        void renamed(String own, String second) {}
    }

    static class Named extends Names {

        void swapped(String p1, String p0) {}

        @Override
        void renamed(String first, String other) {}
    }

    @Async
    @Retention(RetentionPolicy.RUNTIME)
    @interface InBackground {}

    static class OnMetaAnnotation {

        @InBackground
        void run() {}
    }

    static class OnMethod {

        @Async
        void run() {}
    }

    @Async
    static class OnClass {

        void run() {}
    }

    @Async
    interface Background {}

    static class OnInterface implements Background {

        void run() {}
    }

    interface Runs {

        @Async
        void run();
    }

    interface InSpecialBackground extends Background {}

    static class OnParentOfInterface implements InSpecialBackground {

        void run() {}
    }

    interface SpecialRuns extends Runs {}

    static class OnMethodOfParentOfInterface implements SpecialRuns {

        @Override
        public void run() {}
    }

    static class OnInterfaceMethod implements Runs {

        @Override
        public void run() {}
    }

    static class Inherited extends OnInterfaceMethod {

        @Override
        public void run() {}
    }

    static class OnAnotherMethod {

        @Async
        void other() {}

        void run() {}
    }
}
