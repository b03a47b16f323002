/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;

/** Values that would name another lock in each call are refused, however deep the reason is. Others keep one name. */
class KeyValueTests {

    private static final Instant MOMENT = Instant.parse("2026-03-29T01:30:00Z");

    private final RecordingLocks locks = new RecordingLocks();

    private final Work work = LockedProxies.by(locks).byClass(new Work());

    static Stream<Arguments> anonymous() {
        Plain plain = new Plain();
        Runnable lambda = () -> {};
        return Stream.of(
                Arguments.of(plain, Plain.class.getName()),
                Arguments.of(new Wrapper("acme", plain), Plain.class.getName()),
                Arguments.of(
                        new Wrapper("acme", new Wrapper("inner", Map.of(1, List.of(plain)))), Plain.class.getName()),
                Arguments.of(new Wrapper("acme", new byte[] {1}), "[B"),
                Arguments.of(new Wrapper("acme", new String[] {"a"}), "[Ljava.lang.String;"),
                Arguments.of(new Wrapper("acme", new int[0][0]), "[[I"),
                Arguments.of(new Wrapper("acme", Optional.of(plain)), Plain.class.getName()),
                Arguments.of(new Wrapper("acme", new Object()), "java.lang.Object"),
                Arguments.of(new Wrapper("acme", lambda), "$$Lambda"),
                Arguments.of(new AtomicReference<>(plain), Plain.class.getName()),
                Arguments.of(Optional.of(new Wrapper("acme", plain)), Plain.class.getName()),
                Arguments.of(new ProxyFactory(plain).getProxy(), Plain.class.getName()),
                Arguments.of(new Wrapper("acme", new ProxyFactory(plain).getProxy()), Plain.class.getName()));
    }

    @ParameterizedTest
    @MethodSource("anonymous")
    void refusesAnIdentityAtAnyDepth(Object value, String type) {
        for (Throwable thrown :
                List.of(catchThrowable(() -> work.any(value)), catchThrowable(() -> work.concatenated(value)))) {
            assertThat(thrown)
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("has no meaningful text")
                    .hasMessageContaining(type)
                    .hasMessageContaining("does not override toString()");
        }
        assertThat(locks.events()).isEmpty();
    }

    /** Of elements that are put together to a text. */
    @Test
    void refusesAnIdentityInACollectionThatBecomesText() {
        assertThat(catchThrowable(() -> work.concatenated(List.of("a", new Plain()))))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Plain.class.getName());
    }

    /** The class loader of the thread may be another one, as on threads of a common pool. */
    @Test
    void refusesAnIdentityThatOnlyTheClassLoaderOfTheRecordKnows() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            assertThat(catchThrowable(() -> work.concatenated(new Wrapper("acme", List.of(Set.of("a"), new Plain())))))
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(Plain.class.getName());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void takesTextsThatOnlyLookSimilar() {
        List<Object> values = List.of(
                "java.lang.Object@1b2c3d",
                new Wrapper("joe.smith@cafe", "joe@cafe.de"),
                new Wrapper("a", "java.lang.Object@home"),
                new Wrapper("[x]@12", "no.such.Type@1f"),
                new Named("java.lang.Object is no identity"));
        for (Object value : values) {
            work.any(value);
        }
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactlyElementsOf(values.stream().map(Object::toString).toList());
    }

    /** Data can have anything in it; looking at it takes time in proportion to its length, and no deep stack. */
    @Test
    void looksThroughLongTexts() {
        for (String part : List.of("a.", "[", "$$Lambda", "a@", "[L", "x.Y@1f ")) {
            Named value = new Named(part.repeat(60_000 / part.length()) + "@");
            assertTakesLittleTime(() -> work.any(value));
        }
        assertThat(locks.requests()).hasSize(6);
    }

    /** The time of the processor, which does not pass while the machine pauses. */
    static void assertTakesLittleTime(Runnable look) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
            long before = threads.getCurrentThreadCpuTime();
            look.run();
            assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - before))
                    .isLessThan(Duration.ofSeconds(2));
        });
    }

    static Stream<Arguments> sameValues() {
        GregorianCalendar calendar = new GregorianCalendar(TimeZone.getTimeZone("Asia/Tokyo"));
        calendar.setTimeInMillis(MOMENT.toEpochMilli());
        return Stream.of(
                Arguments.of(Date.from(MOMENT), MOMENT.toString()),
                Arguments.of(new java.sql.Timestamp(MOMENT.toEpochMilli()), MOMENT.toString()),
                Arguments.of(calendar, MOMENT.toString()),
                Arguments.of(OffsetDateTime.ofInstant(MOMENT, ZoneOffset.ofHours(5)), MOMENT.toString()),
                Arguments.of(ZonedDateTime.ofInstant(MOMENT, ZoneOffset.ofHours(-3)), MOMENT.toString()),
                Arguments.of(MOMENT, MOMENT.toString()),
                Arguments.of(java.sql.Date.valueOf("2026-03-29"), "2026-03-29"),
                Arguments.of(java.sql.Time.valueOf("01:30:00"), "01:30:00"),
                Arguments.of(new BigDecimal("1.50"), "1.5"),
                Arguments.of(new BigDecimal("0.00"), "0"),
                Arguments.of(new BigDecimal("1E+2"), "100"),
                Arguments.of(new BigDecimal("100.0"), "100"),
                Arguments.of(new BigDecimal("1E+999999999"), "1E+999999999"));
    }

    @ParameterizedTest
    @MethodSource("sameValues")
    void namesTheSameMomentAndTheSameNumberAlike(Object value, String name) {
        TimeZone zone = TimeZone.getDefault();
        try {
            for (String each : List.of("America/New_York", "Asia/Tokyo")) {
                TimeZone.setDefault(TimeZone.getTimeZone(each));
                work.any(value instanceof java.sql.Date || value instanceof java.sql.Time ? fresh(name) : value);
                work.concatenated(
                        value instanceof java.sql.Date || value instanceof java.sql.Time ? fresh(name) : value);
            }
        } finally {
            TimeZone.setDefault(zone);
        }
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly(name, "v:" + name, name, "v:" + name);
    }

    static Stream<Arguments> valuesThatContainOthers() {
        Date date = Date.from(MOMENT);
        BigDecimal number = new BigDecimal("1.50");
        return Stream.of(
                Arguments.of(new Wrapper("acme", date), "Wrapper[tenant=acme, content=" + MOMENT + "]"),
                Arguments.of(new Wrapper("acme", List.of(number)), "Wrapper[tenant=acme, content=[1.5]]"),
                Arguments.of(
                        new Wrapper("acme", Optional.of(new Wrapper("b", date))),
                        "Wrapper[tenant=acme, content=Optional[Wrapper[tenant=b, content=" + MOMENT + "]]]"),
                Arguments.of(
                        new Wrapper("acme", Map.of(number, date)),
                        "Wrapper[tenant=acme, content={1.5=" + MOMENT + "}]"),
                Arguments.of(Optional.of(date), MOMENT.toString()),
                Arguments.of(OptionalInt.of(4), "4"),
                Arguments.of(Optional.of(Optional.of(number)), "1.5"),
                Arguments.of(Optional.of(OptionalInt.of(4)), "4"),
                Arguments.of(new AtomicReference<>(Optional.of(new AtomicReference<>("a"))), "a"),
                Arguments.of(
                        new Wrapper("acme", List.of(new AtomicReference<>(number))),
                        "Wrapper[tenant=acme, content=[1.5]]"));
    }

    @ParameterizedTest
    @MethodSource("valuesThatContainOthers")
    void namesTheSameMomentAndTheSameNumberAlikeWithinOtherValues(Object value, String name) {
        inTwoZones(value);
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly(name, "v:" + name, name, "v:" + name);
    }

    private void inTwoZones(Object value) {
        TimeZone zone = TimeZone.getDefault();
        try {
            for (String each : List.of("America/New_York", "Asia/Tokyo")) {
                TimeZone.setDefault(TimeZone.getTimeZone(each));
                work.any(value);
                work.concatenated(value);
            }
        } finally {
            TimeZone.setDefault(zone);
        }
    }

    static Stream<Arguments> collectionsOfOthers() {
        Date date = Date.from(MOMENT);
        BigDecimal number = new BigDecimal("1.50");
        return Stream.of(
                Arguments.of(List.of(date, number), MOMENT + ",1.5"),
                Arguments.of(new Object[] {date, number}, MOMENT + ",1.5"),
                Arguments.of(new Date[] {date}, MOMENT.toString()),
                Arguments.of(new ArrayDeque<>(List.of(number)), "1.5"),
                Arguments.of(set(number, new BigDecimal("1.5")), "1.5"),
                Arguments.of(List.of(Optional.of(date)), MOMENT.toString()),
                Arguments.of(Optional.of(List.of(date)), MOMENT.toString()),
                Arguments.of(Map.of("at", date), "{at=" + MOMENT + "}"));
    }

    @ParameterizedTest
    @MethodSource("collectionsOfOthers")
    void namesTheSameMomentAndTheSameNumberAlikeInACollectionThatBecomesText(Object value, String text) {
        TimeZone zone = TimeZone.getDefault();
        try {
            for (String each : List.of("America/New_York", "Asia/Tokyo")) {
                TimeZone.setDefault(TimeZone.getTimeZone(each));
                work.concatenated(value);
            }
        } finally {
            TimeZone.setDefault(zone);
        }
        assertThat(locks.requests()).extracting(LockRequest::name).containsExactly("v:" + text, "v:" + text);
    }

    @ParameterizedTest
    @MethodSource("emptyOptionals")
    void refusesAnEmptyOptionalForWhatItIs(Object empty) {
        assertThat(catchThrowable(() -> work.concatenated(empty)))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("contains an empty Optional or AtomicReference");
        assertThat(catchThrowable(() -> work.any(empty)))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is null or an empty Optional or AtomicReference");
        assertThat(locks.events()).isEmpty();
    }

    static Stream<Object> emptyOptionals() {
        return Stream.of(
                Optional.empty(),
                OptionalInt.empty(),
                Optional.of(Optional.empty()),
                Optional.of(OptionalInt.empty()),
                new AtomicReference<>(),
                new AtomicReference<>(Optional.empty()));
    }

    /** A date or a time of day alone belongs to the zone that it was made in. */
    private static Object fresh(String text) {
        return text.contains(":") ? java.sql.Time.valueOf(text) : java.sql.Date.valueOf(text);
    }

    @Test
    void concatenatesWhatHasATextWithoutAConverter() {
        work.concatenated(Optional.of(new Wrapper("acme", 1)));
        work.concatenated(List.of(new Named("a"), new Named("b")));
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly("v:Wrapper[tenant=acme, content=1]", "v:[a, b]");
    }

    static Stream<Arguments> valuesInTwoOrders() {
        return Stream.of(
                Arguments.of(set("b", "a", "c"), set("c", "b", "a"), "a,b,c"),
                Arguments.of(set(2, null, 10), set(null, 10, 2), "10,2,null"),
                Arguments.of(List.of(set("b", "a"), "0"), List.of(set("a", "b"), "0"), "a,b,0"),
                Arguments.of(set(new Named("b"), new Named("a")), set(new Named("a"), new Named("b")), "[a, b]"),
                Arguments.of(map("b", set(2, 1), "a", 1), map("a", 1, "b", set(1, 2)), "{a=1, b=[1, 2]}"),
                Arguments.of(map(set("b", "a"), 1, "0", 2), map("0", 2, set("a", "b"), 1), "{0=2, [a, b]=1}"));
    }

    /** The order of {@code Set.of} is another one in each process. */
    @ParameterizedTest
    @MethodSource("valuesInTwoOrders")
    void sortsASetOrMapThatBecomesText(Object one, Object other, String text) {
        work.concatenated(one);
        work.concatenated(other);
        assertThat(locks.requests()).extracting(LockRequest::name).containsExactly("v:" + text, "v:" + text);
    }

    static Stream<Arguments> recordsInTwoOrders() {
        return Stream.of(
                Arguments.of(
                        new Filter("x", set("b", "a")),
                        new Filter("x", set("a", "b")),
                        "Filter[name=x, values=[a, b]]"),
                Arguments.of(
                        new Filter("x", List.of(new Filter("y", map("b", 1, "a", 2)))),
                        new Filter("x", List.of(new Filter("y", map("a", 2, "b", 1)))),
                        "Filter[name=x, values=[Filter[name=y, values={a=2, b=1}]]]"),
                Arguments.of(
                        new Filter("x", new Titled(set("b", "a"))),
                        new Filter("x", new Titled(set("b", "a"))),
                        "Filter[name=x, values=of [b, a]]"));
    }

    @ParameterizedTest
    @MethodSource("recordsInTwoOrders")
    void sortsASetOrMapInTheTextOfARecord(Object one, Object other, String text) {
        for (Object each : List.of(one, other)) {
            work.any(each);
            work.concatenated(each);
        }
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly(text, "v:" + text, text, "v:" + text);
    }

    private record Filter(String name, Object values) {}

    /** Writes its own text. */
    private record Titled(Set<Object> values) {

        @Override
        public String toString() {
            return "of " + values;
        }
    }

    private static Set<Object> set(Object... elements) {
        return new LinkedHashSet<>(Arrays.asList(elements));
    }

    private static Map<Object, Object> map(Object key, Object value, Object other, Object ofOther) {
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put(key, value);
        map.put(other, ofOther);
        return map;
    }

    @Test
    void writesNullWithinATextAsNull() {
        work.concatenated(null);
        assertThat(locks.name()).isEqualTo("v:null");
    }

    static class Plain {}

    record Wrapper(String tenant, Object content) {}

    record Named(String name) {

        @Override
        public String toString() {
            return name;
        }
    }

    static class Work {

        @DistributedLocked("#value")
        void any(Object value) {}

        @DistributedLocked("'v:' + #value")
        void concatenated(Object value) {}
    }
}
