/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Mono;

/** Attributes of the annotation together, and on beans of all kinds, with locks in Redis. */
class AttributeCombinationTests {

    @RegisterExtension
    private static final LockedApplication application = new LockedApplication(Configured.class);

    private final Work work = application.bean(Work.class);

    @Test
    void severalAnnotationsOneOfThemWithSeveralKeys() {
        assertThat(work.severalOfSeveral("1", "2")).containsExactlyInAnyOrder("lock:{a:1}", "lock:{a:2}", "lock:{b:x}");
    }

    @Test
    void eachOfSeveralAnnotationsDecidesWhatABusyLockMeans() {
        try (LockHandle other = application.hold("skipped")) {
            assertThat(work.skippedOrInstead("v")).isNull();
        }
        try (LockHandle other = application.hold("stands-in")) {
            assertThat(work.skippedOrInstead("v")).isEqualTo("v instead, " + other.name() + " is busy");
        }
        assertThat(work.skippedOrInstead("v")).isEqualTo("ran v");
    }

    @Test
    void aCallThatMayNotReenterIsSkippedOrReplacedOrRefused() {
        assertThat(work.inside("skipped", work::skippedInside)).isNull();
        assertThat(work.inside("replaced", work::replacedInside)).isEqualTo("instead");
        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() -> work.inside("mono", () -> work.monoInside().block(LockedApplication.LONG)));
        assertThat(work.inside(
                        "future",
                        () -> work.futureInside()
                                .handle((done, failure) -> failure.getClass().getSimpleName())
                                .join()))
                .isEqualTo("LockNotAcquiredException");
    }

    @Test
    void aCallEntersThoseOfSeveralLocksThatItHasAndAcquiresTheOthers() {
        assertThat(work.nested(List.of(1, 2), () -> work.nested(List.of(3, 2), () -> "inside")))
                .isEqualTo("inside");
        assertThat(work.nested(List.of(2), () -> work.nested(List.of(1, 2), () -> "inside")))
                .isEqualTo("inside");
    }

    @Test
    void aMinimumLongerThanTheLeaseOutlivesTheLease() {
        work.minimum();
        assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(work::afterMinimum);
        assertThat(application.locks().inspect("minimum"))
                .hasValueSatisfying(state ->
                        assertThat(state.remainingLease()).isBetween(Duration.ofMinutes(50), Duration.ofHours(1)));
        assertThat(application.locks().forceRelease("minimum")).isTrue();
        work.afterMinimum();
    }

    @Test
    void theNameOfARecordsComponentIsItsKey() {
        assertThat(work.order(new Order("7"))).isEqualTo("a\\:b\\\\:7");
    }

    @Test
    void anAnnotationOfTheApplicationHasPlaceholdersAndStandsBesideOthers() {
        assertThat(work.ofTheShop("9")).containsExactlyInAnyOrder("lock:{shop:9}", "lock:{other:9}");
    }

    @Test
    void beansOfAllKindsAreLocked() {
        assertThat(application.bean(Work.class).current()).isEqualTo("current");
        for (Class<? extends Located> kind : List.of(Made.class, Prototype.class, LazyOne.class, Scoped.class)) {
            assertThat(application.bean(kind).where()).as(kind.getSimpleName()).isEqualTo("located");
        }
        assertThat(application.bean(Configured.class).current()).isEqualTo("configured");
    }

    static String lock() {
        return LockHandle.current().map(LockHandle::name).orElse("none");
    }

    record Order(String id) {}

    @DistributedLocked(name = "${shop.name:shop}", waitUpTo = "${shop.wait:0}")
    @Retention(RetentionPolicy.RUNTIME)
    @interface ShopLocked {

        @AliasFor(annotation = DistributedLocked.class, attribute = "key")
        String value();
    }

    static class Work {

        @DistributedLocked(name = "a", key = "{#one, #other}")
        @DistributedLocked(name = "b", key = "'x'")
        List<String> severalOfSeveral(String one, String other) {
            return application.keys();
        }

        @DistributedLocked(key = "'skipped'", whenBusy = WhenBusy.SKIP, waitUpTo = "0")
        @DistributedLocked(key = "'stands-in'", fallback = "instead", waitUpTo = "0")
        String skippedOrInstead(String value) {
            return "ran " + value;
        }

        String instead(String value, LockNotAcquiredException busy) {
            return value + " instead, " + busy.lockName() + " is busy";
        }

        @DistributedLocked("#key")
        String inside(String key, Supplier<String> body) {
            return body.get();
        }

        @DistributedLocked(key = "'skipped'", reentrant = false, whenBusy = WhenBusy.SKIP)
        String skippedInside() {
            return "ran";
        }

        @DistributedLocked(key = "'replaced'", reentrant = false, fallback = "replacement")
        String replacedInside() {
            return "ran";
        }

        private String replacement() {
            return "instead";
        }

        @DistributedLocked(key = "'mono'", reentrant = false)
        Mono<String> monoInside() {
            return Mono.just("ran");
        }

        @DistributedLocked(key = "'future'", reentrant = false)
        CompletableFuture<String> futureInside() {
            return CompletableFuture.completedFuture("ran");
        }

        @DistributedLocked(name = "nested", key = "#keys", waitUpTo = "0")
        String nested(List<Integer> keys, Supplier<String> body) {
            Set<String> names =
                    LockHandle.current().orElseThrow().fencingTokens().keySet();
            assertThat(names).hasSize(keys.size());
            return body.get();
        }

        @DistributedLocked(key = "'minimum'", minHold = "1h", lease = "10s")
        void minimum() {}

        @DistributedLocked(key = "'minimum'", waitUpTo = "0")
        void afterMinimum() {}

        @DistributedLocked(name = "a:b\\", key = "#order.id")
        String order(Order order) {
            return lock();
        }

        @ShopLocked("#id")
        @DistributedLocked(name = "other", key = "#id")
        List<String> ofTheShop(String id) {
            return application.keys();
        }

        @DistributedLocked("'current'")
        String current() {
            return lock();
        }
    }

    abstract static class Located {

        @DistributedLocked("'located'")
        String where() {
            return lock();
        }
    }

    static class Made extends Located {}

    static class Prototype extends Located {}

    static class LazyOne extends Located {}

    static class Scoped extends Located {}

    static class MadeFactory implements FactoryBean<Made> {

        @Override
        public Made getObject() {
            return new Made();
        }

        @Override
        public Class<?> getObjectType() {
            return Made.class;
        }
    }

    @Configuration
    static class Configured {

        @DistributedLocked("'configured'")
        String current() {
            return lock();
        }

        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        MadeFactory made() {
            return new MadeFactory();
        }

        @Bean
        @Scope("prototype")
        Prototype prototype() {
            return new Prototype();
        }

        @Bean
        @Lazy
        LazyOne lazy() {
            return new LazyOne();
        }

        @Bean
        @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Scoped scoped() {
            return new Scoped();
        }
    }
}
