/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.convert.TypeDescriptor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What key expressions know, what becomes a name, and what is refused without running the method or asking Redis. */
class KeyExpressionTests {

    private final RecordingLocks locks = new RecordingLocks();

    private final LockedProxies locked = LockedProxies.by(locks);

    private final Shop target = new Shop();

    private final Shop shop = locked.byClass(target);

    @Test
    void knowsParametersByName() {
        shop.byName(new Order(42L));
        assertThat(locks.name()).isEqualTo("order:42");
    }

    @Test
    void knowsParametersByPosition() {
        shop.byPosition("a", "b");
        assertThat(locks.name()).isEqualTo("ab");
    }

    @Test
    void knowsTheCall() {
        shop.byCall("x");
        assertThat(locks.name()).isEqualTo("byCall/shop/x/Shop");
    }

    @Test
    void knowsBeans() {
        locked.beans.registerSingleton("tenants", new Tenants());
        locked.byClass(new WithBean()).run("a");
        assertThat(locks.name()).isEqualTo("acme-a");
    }

    @Test
    void knowsBeansWithAQuotedName() {
        locked.beans.registerSingleton("the.tenants", new Tenants());
        locked.byClass(new WithQuotedBean()).run();
        assertThat(locks.name()).isEqualTo("acme");
    }

    @Test
    void knowsStaticMethodsOfTypesInAnnotations() {
        shop.byType(-3);
        assertThat(locks.name()).isEqualTo("3");
    }

    @Test
    void knowsNestedTypesPrimitiveTypesAndArrays() {
        shop.byUnusualTypes("a");
        assertThat(locks.name()).isEqualTo("Entryint[]1a");
    }

    @Test
    void findsTypesWhereBeansComeFrom() {
        List<String> asked = new ArrayList<>();
        locked.beans.setBeanClassLoader(new ClassLoader(getClass().getClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                asked.add(name);
                throw new ClassNotFoundException(name);
            }
        });
        LockedProxies later = new LockedProxies(locks, locked.beans);
        assertThatThrownBy(() -> later.byClass(new WithType()).run())
                .rootCause()
                .isExactlyInstanceOf(InvalidLockedMethodException.class);
        assertThat(asked).contains("no.such.Type");
    }

    @Test
    void convertsToTextWhateverHasOne() {
        LockEvaluationContext.TextConverter converter = new LockEvaluationContext.TextConverter();
        TypeDescriptor point = TypeDescriptor.valueOf(Point.class);
        assertThat(converter.canConvert(point, TypeDescriptor.valueOf(String.class)))
                .isTrue();
        assertThat(converter.canConvert(point, TypeDescriptor.valueOf(Integer.class)))
                .isFalse();
        assertThat(converter.canConvert(TypeDescriptor.valueOf(String.class), TypeDescriptor.valueOf(Integer.class)))
                .isTrue();
        assertThat(converter.convertValue(
                        "7", TypeDescriptor.valueOf(String.class), TypeDescriptor.valueOf(Integer.class)))
                .isEqualTo(7);
    }

    @Test
    void evaluatesWithinCollectionsOfTheCall() {
        shop.bySelection(List.of(new Order(1L), new Order(2L)), Map.of("id", "seven"));
        assertThat(locks.name()).isEqualTo("2seven");
    }

    static Stream<Object[]> namingValues() {
        UUID uuid = UUID.randomUUID();
        return Stream.of(new Object[][] {
            {"text", "text"},
            {new StringBuilder("built"), "built"},
            {'c', "c"},
            {7, "7"},
            {7L, "7"},
            {1.5, "1.5"},
            {new BigDecimal("1.50"), "1.5"},
            {true, "true"},
            {uuid, uuid.toString()},
            {Colour.RED, "RED"},
            {Path.of("a", "b"), Path.of("a", "b").toString()},
            {Optional.of("inside"), "inside"},
            {OptionalLong.of(8), "8"},
            {OptionalInt.of(9), "9"},
            {OptionalDouble.of(0.5), "0.5"},
            {new Point(1, 2), "Point[x=1, y=2]"},
        });
    }

    @ParameterizedTest
    @MethodSource("namingValues")
    void makesANameOfTheTextOfAValue(Object value, String name) {
        shop.any(value);
        assertThat(locks.name()).isEqualTo(name);
    }

    static Stream<Arguments> severalValues() {
        return Stream.of(
                        List.of("b", 1, Colour.RED),
                        new Object[] {"b", 1, Colour.RED, "b"},
                        Stream.of("RED", 1, "b"),
                        new TreeSet<>(List.of("1", "RED", "b")))
                .map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("severalValues")
    void makesANameOfEachElement(Object value) {
        shop.any(value);
        assertThat(locks.request().names()).containsExactly("1", "RED", "b");
    }

    @Test
    void makesANameOfEachNumberOfAnArray() {
        shop.any(new int[] {10, 9});
        assertThat(locks.request().names()).containsExactly("10", "9");
    }

    @Test
    void closesAStreamThatItHasRead() {
        AtomicInteger closed = new AtomicInteger();
        shop.any(Stream.of("a", "b").onClose(closed::incrementAndGet));
        assertThat(closed).hasValue(1);
        assertThatThrownBy(() -> shop.any(Stream.of("a", " ").onClose(closed::incrementAndGet)))
                .isExactlyInstanceOf(IllegalArgumentException.class);
        assertThat(closed).hasValue(2);
    }

    static Stream<Arguments> badValues() {
        return Stream.<Object>of(
                        null,
                        "",
                        " \t\n",
                        Double.NaN,
                        Float.NaN,
                        Double.POSITIVE_INFINITY,
                        Float.NEGATIVE_INFINITY,
                        Optional.empty(),
                        OptionalLong.empty(),
                        OptionalInt.empty(),
                        OptionalDouble.empty(),
                        new Object(),
                        new HashedOnly(),
                        new int[] {},
                        new String[] {"a", null},
                        List.of(),
                        List.of("a", List.of("b")),
                        List.of("a", " "),
                        Map.of(),
                        Map.of("a", 1),
                        Stream.empty(),
                        Mono.just("a"),
                        List.of(Flux.just("a")),
                        "x".repeat(LockRequest.MAX_NAME_LENGTH + 1))
                .map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("badValues")
    void refusesABadValue(Object value) {
        Throwable thrown = catchThrowable(() -> shop.any(value));
        assertThat(thrown).isExactlyInstanceOf(IllegalArgumentException.class);
        assertThat(thrown.getMessage())
                .contains("KeyExpressionTests$Shop#any(Object)", "\"#value\"")
                .hasSizeLessThan(600);
        assertThat(target.calls).isEmpty();
        assertThat(locks.events()).isEmpty();
    }

    @Test
    void tellsAMapFromANestedCollection() {
        assertThatThrownBy(() -> shop.any(Map.of("a", 1)))
                .hasMessageContaining("is a map (java.util.ImmutableCollections$Map1)");
        assertThatThrownBy(() -> shop.any(List.of("a", List.of("b"))))
                .hasMessageContaining("has an element that is a collection or array in another value");
        assertThatThrownBy(() -> shop.any(Optional.of(new int[] {1})))
                .hasMessageContaining("is a collection or array in another value (int[])");
    }

    @Test
    void refusesAnObjectWithoutTextInsideOfAText() {
        assertThatThrownBy(() -> shop.concatenated(new Object()))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.Object does not override toString()");
        assertThatThrownBy(() -> shop.concatenated(new FromText("a")))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("FromText does not override toString()");
        assertThatThrownBy(() -> shop.concatenated(Mono.just("a")))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is or contains a publisher (reactor.core.publisher.MonoJust)");
        assertThat(locks.events()).isEmpty();
    }

    @Test
    void concatenatesValuesThatHaveAText() {
        shop.concatenated(Colour.RED);
        shop.concatenated(List.of(1, 2));
        shop.concatenated(new Point(1, 2));
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly("v:RED", "v:1,2", "v:Point[x=1, y=2]");
    }

    @Test
    void takesATextThatLooksLikeAnIdentityButIsNone() {
        shop.any("java.lang.Object@1b2c3d");
        assertThat(locks.name()).isEqualTo("java.lang.Object@1b2c3d");
    }

    @Test
    void refusesAKeyThatCannotBeEvaluated() {
        assertThatThrownBy(() -> shop.byName(null))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Shop#byName(Order)")
                .hasMessageContaining("\"'order:' + #order.id\" cannot be evaluated: ")
                .hasCauseInstanceOf(RuntimeException.class);
        assertThat(target.calls).isEmpty();
        assertThat(locks.events()).isEmpty();
    }

    @Test
    void boundsTheReasonOfARefusal() {
        Throwable thrown = catchThrowable(() -> shop.byName(new Order(null) {
            @Override
            public Long getId() {
                throw new IllegalStateException("x".repeat(100_000));
            }
        }));
        assertThat(thrown).isExactlyInstanceOf(IllegalArgumentException.class);
        assertThat(thrown.getMessage()).hasSizeLessThan(600);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#{T(io.distributedlock.interceptor.KeyExpressionTests).run()}",
                "T(io.distributedlock.interceptor.KeyExpressionTests).run()",
                "${java.home}",
                "' + T(io.distributedlock.interceptor.KeyExpressionTests).run() + '",
                "@tenants.name",
                "#root.target",
                "}{lock}\r\n\0"
            })
    void neverReadsTheTextOfAnArgumentAsAnExpression(String text) {
        locked.beans.registerSingleton("tenants", new Tenants());
        executed = false;
        shop.any(text);
        shop.concatenated(text);
        shop.fixedPrefix(text);
        assertThat(locks.requests()).extracting(LockRequest::name).containsExactly(text, "v:" + text, "a:" + text);
        assertThat(executed).isFalse();
    }

    @Test
    void takesALongTextLiterally() {
        String text = "x".repeat(LockRequest.MAX_NAME_LENGTH - 2);
        shop.concatenated(text);
        assertThat(locks.name()).isEqualTo("v:" + text);
    }

    @Test
    void forbidsAnExpressionToChangeWhatItReads() {
        for (Object each : List.of(new Assigning(), new AssigningCondition())) {
            assertThat(catchThrowable(() -> locked.byClass(each)))
                    .rootCause()
                    .isInstanceOf(InvalidLockedMethodException.class)
                    .hasMessageContaining("must not change a value");
        }
    }

    @Test
    void separatesNameAndKeySoThatTwoPairsNeverMeet() {
        shop.nameWithColon("c");
        shop.nameWithoutColon("b:c");
        shop.nameWithBackslash("c");
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly("a\\:b:c", "a:b:c", "a\\\\\\:b:c")
                .doesNotHaveDuplicates();
    }

    @Test
    void locksTheMethodItselfWithoutAKey() {
        shop.itself(1, "a");
        shop.itself(1);
        shop.itselfNamed();
        String type = "io.distributedlock.interceptor.KeyExpressionTests$Shop";
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly(
                        type + ".itself(int,java.lang.String[])",
                        type + ".itself(int)",
                        "n:" + type + ".itselfNamed()");
    }

    static boolean executed;

    @SuppressWarnings("unused")
    public static String run() {
        executed = true;
        return "executed";
    }

    enum Colour {
        RED {
            @Override
            public String toString() {
                return "rouge";
            }
        }
    }

    record Point(int x, int y) {}

    /** Equal by value, but without a text. */
    static final class HashedOnly {

        @Override
        public boolean equals(Object other) {
            return other instanceof HashedOnly;
        }

        @Override
        public int hashCode() {
            return 5;
        }
    }

    /** Spring's converter believes that its text is made by toString(). */
    static final class FromText {

        FromText(String text) {}

        public static FromText valueOf(String text) {
            return new FromText(text);
        }
    }

    static final class Tenants {

        public String getName() {
            return "acme";
        }
    }

    static class Order {

        private Long id;

        Order(Long id) {
            this.id = id;
        }

        public Long getId() {
            return id;
        }

        public void setId(Long id) {
            this.id = id;
        }
    }

    static class WithBean {

        @DistributedLocked("@tenants.name + '-' + #id")
        void run(String id) {}
    }

    static class WithType {

        @DistributedLocked("T(no.such.Type).name")
        void run() {}
    }

    static class Assigning {

        @DistributedLocked("#order.id = 5")
        void run(Order order) {}
    }

    /** A mistake for {@code ==}. */
    static class AssigningCondition {

        @DistributedLocked(key = "'k'", condition = "#on = true")
        void run(boolean on) {}
    }

    static class WithQuotedBean {

        @DistributedLocked("@'the.tenants'.name")
        void run() {}
    }

    static class Shop {

        final List<Object> calls = new ArrayList<>();

        public String getTitle() {
            return "shop";
        }

        @DistributedLocked(key = "'order:' + #order.id")
        void byName(Order order) {
            calls.add(order);
        }

        @DistributedLocked(key = "#p0 + #a1")
        void byPosition(String first, String second) {}

        @DistributedLocked(
                "#root.method.name + '/' + #root.target.title + '/' + #root.args[0] + '/' + targetClass.simpleName")
        void byCall(String text) {}

        @DistributedLocked("T(Math).abs(#number)")
        void byType(int number) {}

        @DistributedLocked("T(java.util.Map$Entry).simpleName + T(int[]).simpleName + new int[1].length + "
                + "new String[] {#id}[0]")
        void byUnusualTypes(String id) {}

        @DistributedLocked("#orders.![id].?[#this > 1][0] + #map[id]")
        void bySelection(List<Order> orders, Map<String, String> map) {}

        @DistributedLocked("#value")
        void any(Object value) {
            calls.add(Arrays.asList(value));
        }

        @DistributedLocked("'v:' + #value")
        void concatenated(Object value) {}

        @DistributedLocked(name = "a", key = "#value")
        void fixedPrefix(Object value) {}

        @DistributedLocked(name = "a:b", key = "#value")
        void nameWithColon(String value) {}

        @DistributedLocked(name = "a", key = "#value")
        void nameWithoutColon(String value) {}

        @DistributedLocked(name = "a\\:b", key = "#value")
        void nameWithBackslash(String value) {}

        @DistributedLocked
        void itself(int number, String... texts) {}

        @DistributedLocked
        void itself(int number) {}

        @DistributedLocked(name = "n")
        void itselfNamed() {}
    }
}
