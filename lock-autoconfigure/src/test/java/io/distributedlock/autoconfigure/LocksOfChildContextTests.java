/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.interceptor.InvalidLockedMethodException;
import io.distributedlock.interceptor.RecordingLocks;
import io.distributedlock.testing.RespClient;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** Parent and child context with other values of the properties of locks. */
class LocksOfChildContextTests extends AbstractRedisApplicationTests {

    private static final String OFF = "distributed-lock.enabled=false";

    private static final String ON = "distributed-lock.enabled=true";

    private static ApplicationContextRunner with(String... properties) {
        return application().withPropertyValues(properties);
    }

    private interface Check {

        void accept(AssertableApplicationContext child) throws Exception;
    }

    private static void run(ApplicationContextRunner parent, ApplicationContextRunner child, Check check) {
        parent.run(outer -> child.withParent(outer)
                .withBean("childWork", Work.class)
                .run(inner -> {
                    assertThat(inner).hasNotFailed();
                    check.accept(inner);
                }));
    }

    /** The locks of annotated methods, of injection points, and those that are looked up: all or none are in Redis. */
    private static void assertLocks(AssertableApplicationContext child, boolean inRedis) {
        Work work = child.getBean("childWork", Work.class);
        List<String> keys = inRedis ? List.of("lock:{work}") : List.of();
        assertThat(work.run(LocksOfChildContextTests::keys)).isEqualTo(keys);
        for (LockOperations locks : List.of(work.locks(), child.getBean(LockOperations.class))) {
            List<String> meanwhile = locks.execute(LockRequest.of("work"), handle -> keys());
            assertThat(meanwhile).isEqualTo(keys);
        }
    }

    private static List<String> keys() {
        try (RespClient client = redis.connect()) {
            return client.keys("*");
        }
    }

    /** Such a parent has no definitions to read. */
    private static void withParent(BeanFactory parent, Consumer<AssertableApplicationContext> check) {
        with(ON).withBean("childWork", Work.class)
                .withInitializer(child -> child.getBeanFactory().setParentBeanFactory(parent))
                .run(child -> {
                    assertThat(child).hasNotFailed();
                    check.accept(child);
                });
    }

    @Test
    void aChildUsesTheLocksOfAParentThatIsOnlyAListOfBeans() {
        RecordingLocks locks = new RecordingLocks();
        withParent(new StaticListableBeanFactory(Map.of("locks", locks)), child -> {
            assertThat(child.getBeanFactory().getBeanNamesForType(LockOperations.class))
                    .isEmpty();
            assertThat(child.getBean("childWork", Work.class).locks()).isSameAs(locks);
        });
    }

    @Test
    void aParentThatIsOnlyAListOfBeansMayHaveNoLocks() {
        withParent(new StaticListableBeanFactory(Map.of("other", "bean")), child -> assertLocks(child, true));
    }

    // ---- switched on in one of them

    /** Its methods would run without a lock, and nothing would say so. */
    @Test
    void aChildThatHasLocksSwitchedOnHasThemAlthoughItsParentHasNone() {
        run(with(OFF).withBean(Work.class), with(ON), child -> {
            assertLocks(child, true);
            assertThat(child.getParent().getBean(Work.class).run(LocksOfChildContextTests::keys))
                    .isEmpty();
        });
    }

    @Test
    void aChildThatHasLocksSwitchedOffHasNoneAlthoughItsParentHasSome() {
        run(with(ON).withBean(Work.class), with(OFF), child -> {
            assertLocks(child, false);
            assertThat(child.getParent().getBean(Work.class).run(LocksOfChildContextTests::keys))
                    .containsExactly("lock:{work}");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aContextBetweenThemChangesNothing(boolean on) {
        with(on ? OFF : ON)
                .run(outer -> new ApplicationContextRunner()
                        .withParent(outer)
                        .run(middle -> with(on ? ON : OFF)
                                .withParent(middle)
                                .withBean("childWork", Work.class)
                                .run(inner -> assertLocks(inner, on))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDecoratorOfTheParentIsNotInFrontOfTheLocksOfTheChild(boolean on) {
        run(with(on ? OFF : ON).withUserConfiguration(Decorated.class), with(on ? ON : OFF), child -> {
            assertLocks(child, on);
            assertThat(child.getBean(Counting.class).count).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDecoratorOfTheChildIsInFrontOfItsOwnLocks(boolean on) {
        run(with(on ? OFF : ON), with(on ? ON : OFF).withUserConfiguration(Decorated.class), child -> {
            assertLocks(child, on);
            assertThat(child.getBean(Counting.class).count).isEqualTo(3);
        });
    }

    @Test
    void aChildWithLocksSwitchedOnFailsWithoutRedisAlthoughItsParentHasNoLocks() {
        with(OFF)
                .run(parent -> with(ON).withClassLoader(
                                new FilteredClassLoader("io.lettuce", "org.springframework.data.redis"))
                        .withParent(parent)
                        .run(child -> assertThat(child)
                                .getFailure()
                                .rootCause()
                                .hasMessageContaining("Lettuce, the Redis client they use, is not on the class path")));
    }

    @Test
    void bothWithoutLocksHaveThoseOfTheParent() {
        run(with(OFF), with(OFF), child -> {
            assertLocks(child, false);
            assertThat(child.getBean(LockOperations.class))
                    .isSameAs(child.getParent().getBean(LockOperations.class));
        });
    }

    /** As in a single context: what is injected is the application's own, and methods do not use it. */
    @Test
    void aBeanOfTheParentApplicationIsInjectedAndNotUsedByMethodsWithoutLocks() {
        run(with(ON).withBean("own", RecordingLocks.class), with(OFF), child -> {
            Work work = child.getBean("childWork", Work.class);
            work.run(List::of);
            assertThat(work.locks()).isInstanceOf(RecordingLocks.class);
            assertThat(child.getBean(RecordingLocks.class).events()).isEmpty();
        });
    }

    // ---- other properties

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void propertiesOfAChildWithoutAnEffectAreNamed(CapturedOutput output) {
        startAndStop(
                List.of("lease=20s", "retention=1s", "wait=3s"),
                Application.class,
                "lease=5s",
                "key-prefix=child:",
                "retention=1000ms",
                "warn.holding=1s",
                "order=7");

        assertThat(output)
                .contains("so its values of these properties have no effect: distributed-lock.key-prefix,"
                        + " distributed-lock.lease, distributed-lock.warn. Set them for the parent context.");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void propertiesOfLocksOfItsOwnAreNotNamed(CapturedOutput output) {
        startAndStop(List.of("enabled=false"), Application.class, "enabled=true", "lease=5s");
        startAndStop(List.of("enabled=true"), Application.class, "enabled=false", "lease=5s");
        startAndStop(List.of("enabled=true"), WithOwnLocks.class, "lease=5s");
        startAndStop(List.of("lease=5s"), Application.class);

        assertThat(output).doesNotContain("have no effect");
    }

    @Test
    void theMinimumOfAMethodIsComparedWithTheMaximumOfTheLocksOfItsParent() {
        assertThatThrownBy(() -> startAndStop(List.of("max-hold=5s"), WithMinimum.class, "max-hold=1h"))
                .rootCause()
                .isInstanceOf(InvalidLockedMethodException.class)
                .hasMessageContaining("minHold");
    }

    @Test
    void aMaximumOfAChildWithTheLocksOfItsParentLimitsNoMinimum() {
        startAndStop(List.of("lease=20s"), WithMinimum.class, "max-hold=5s");
    }

    /** Not by the runner, which gives the properties of a child to its parent too. */
    private static void startAndStop(List<String> ofTheParent, Class<?> child, String... ofTheChild) {
        try (ConfigurableApplicationContext outer =
                        start(new SpringApplicationBuilder(Application.class), ofTheParent.stream());
                ConfigurableApplicationContext inner =
                        start(new SpringApplicationBuilder(child).parent(outer), Arrays.stream(ofTheChild))) {
            assertThat(inner.getParent()).isSameAs(outer);
        }
    }

    private static ConfigurableApplicationContext start(SpringApplicationBuilder builder, Stream<String> properties) {
        return builder.web(WebApplicationType.NONE)
                .run(Stream.concat(
                                Stream.of("--spring.data.redis.port=" + redis.port(), "--" + TestRedis.PATIENT),
                                properties.map(each -> "--distributed-lock." + each))
                        .toArray(String[]::new));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DataRedisAutoConfiguration.class,
        DistributedLockAutoConfiguration.class
    })
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    static class WithOwnLocks extends Application {

        @Bean
        RecordingLocks locks() {
            return new RecordingLocks();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithMinimum extends Application {

        @Bean
        Minimum minimum() {
            return new Minimum();
        }
    }

    static class Minimum {

        @DistributedLocked(key = "'minimum'", minHold = "10s")
        public void run() {}
    }

    /** A new property needs a decision. */
    @Test
    void eachPropertyIsOfTheLocksOrOfTheMethodsOfAContext() {
        List<String> ofTheContext =
                List.of("enabled", "order", "keep-until-completion", "transaction", "instance-label");
        assertThat(Arrays.stream(DistributedLockProperties.class.getRecordComponents()))
                .hasSameSizeAs(Stream.concat(ofTheContext.stream(), InheritedLocksCheck.OF_THE_LOCKS.keySet().stream())
                        .toList());
        assertThat(KnownProperties.of(DistributedLockProperties.class).names())
                .allSatisfy(name -> assertThat(Stream.concat(
                                ofTheContext.stream(), InheritedLocksCheck.OF_THE_LOCKS.keySet().stream()))
                        .contains(name.split("\\.")[0]));
    }

    @Configuration(proxyBeanMethods = false)
    static class Decorated {

        @Bean
        @Primary
        Counting counting(LockOperations real) {
            return new Counting(real);
        }
    }

    static class Work {

        @Autowired
        private LockOperations locks;

        LockOperations locks() {
            return locks;
        }

        @DistributedLocked("'work'")
        public List<String> run(Supplier<List<String>> work) {
            assertThat(LockHandle.current()).isPresent();
            return work.get();
        }
    }
}
