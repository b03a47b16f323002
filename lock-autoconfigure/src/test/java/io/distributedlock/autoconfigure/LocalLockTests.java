/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distributedlock.LockAssert;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.ReleaseResult;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.interceptor.RecordingLocks;
import io.distributedlock.reactive.ReactiveLocks;
import io.distributedlock.redis.RedisLockTemplate;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** With distributed-lock.enabled=false, code that uses locks works without Redis, and no caller waits. */
class LocalLockTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.enabled=false")
            .withClassLoader(new FilteredClassLoader("io.lettuce", "org.springframework.data.redis"))
            .withBean(Account.class);

    @Test
    void anAnnotatedMethodHasAHandleAndATokenThatGrows() {
        runner.run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(LockOperations.class);
            Account account = context.getBean(Account.class);
            long first = account.book(1);
            assertThat(account.book(1)).isGreaterThan(first);
            assertThat(LockHandle.current()).isEmpty();
            assertThat(account.skipped()).isEqualTo("run");
        });
    }

    /** Each text that the binder accepts for false. */
    @ParameterizedTest
    @ValueSource(strings = {"false", "FALSE", "off", "no", "0"})
    void isSwitchedOffByEachTextForFalse(String off) {
        runner.withPropertyValues("distributed-lock.enabled=" + off).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(LockOperations.class);
            assertThat(context.getBean(Account.class).book(1)).isPositive();
        });
    }

    /** A table that is fenced has seen tokens of Redis, which are microseconds of its clock. */
    @Test
    void tokensAreAsHighAsThoseOfRedis() {
        runner.run(context -> assertThat(context.getBean(Account.class).book(1))
                .isGreaterThan(1_700_000_000_000_000L)
                .isLessThan(1L << 53));
    }

    @Test
    void theSameLockIsGrantedToAll() {
        runner.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            LockRequest request = LockRequest.of("one").waitForever();
            try (LockHandle first = locks.acquire(request)) {
                LockHandle second = Background.supply(
                                () -> locks.tryAcquire(request).orElseThrow())
                        .join();
                LockHandle third =
                        locks.acquireAsync(request).toCompletableFuture().join();
                assertThat(List.of(first, second, third)).allMatch(LockHandle::isHeld);
                assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
                assertThat(locks.inspect("one")).isEmpty();
                assertThat(locks.release("one", "me")).isEqualTo(ReleaseResult.NOT_HELD);
                assertThat(locks.forceRelease("one")).isFalse();
            }
            assertThatIllegalArgumentException().isThrownBy(() -> locks.inspect(" "));
        });
    }

    @Test
    void aHandleIsHeldUntilItIsClosed() {
        LockOperations locks = new LocalLockOperations(Duration.ofSeconds(30), null, true);
        LockHandle handle = locks.acquire(LockRequest.of("one").reentrant(false));
        assertThat(handle.name()).isEqualTo("one");
        assertThat(handle.remainingLease()).isEqualTo(Duration.ofSeconds(30));
        handle.extend(Duration.ofMinutes(5));
        assertThat(handle.remainingLease()).isEqualTo(Duration.ofMinutes(5));
        handle.throwIfLost();

        handle.close();
        handle.close();
        assertThat(handle.isHeld()).isFalse();
        assertThat(handle.remainingLease()).isZero();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> handle.extend(Duration.ofSeconds(1)));
    }

    @Test
    void executeMakesTheHandleTheCurrentOne() {
        runner.run(context -> {
            String name = context.getBean(LockOperations.class).execute(LockRequest.of("one"), handle -> {
                LockAssert.assertLocked();
                return LockHandle.current().orElseThrow().name();
            });
            assertThat(name).isEqualTo("one");
        });
    }

    /** A table that checks tokens would refuse what the outer call writes after the inner one. */
    @Test
    void aNestedCallHasTheTokenOfTheCallAroundIt() {
        LockOperations locks = new LocalLockOperations(Duration.ofSeconds(30), null, true);
        LockRequest request = LockRequest.of("one");
        locks.execute(LockRequest.ofAll(List.of("one", "two")), outer -> {
            long token = outer.fencingTokens().get("one");
            locks.execute(LockRequest.of("three"), between -> {
                assertThat(locks.<Long, RuntimeException>execute(request, LockHandle::fencingToken))
                        .isEqualTo(token);
                return between;
            });
            assertThat(locks.acquire(request.reentrant(false)).fencingToken()).isGreaterThan(token);
            LockHandle elsewhere =
                    Background.supply(() -> locks.acquire(request)).join();
            assertThat(elsewhere.fencingToken()).isGreaterThan(token);
            outer.close();
            assertThat(locks.acquire(request).fencingToken()).isGreaterThan(token);
            return outer;
        });
    }

    @Test
    void aNestedPublisherOnAnotherThreadHasTheTokenOfTheCallAroundIt() {
        runner.run(context -> {
            Account account = context.getBean(Account.class);
            Flux<Long> inner = account.tokens(Flux.empty()).subscribeOn(Schedulers.boundedElastic());
            List<Long> tokens = account.tokens(inner).collectList().block(Noise.patience());
            assertThat(tokens).hasSize(2).containsOnly(tokens.get(0));
        });
    }

    @Test
    void noTokenComesTwice() {
        LockOperations locks = new LocalLockOperations(Duration.ofSeconds(30), null, true);
        List<Long> tokens = IntStream.range(0, 1000)
                .parallel()
                .mapToObj(i -> locks.acquire(LockRequest.of("one")).fencingToken())
                .toList();
        Set<Long> different = new HashSet<>(tokens);
        assertThat(different).hasSize(1000);
    }

    @Test
    void locksOfTheApplicationAreNotUsedByAnnotatedMethods() {
        runner.withBean("own", RecordingLocks.class).run(context -> {
            assertThat(context).hasSingleBean(LockOperations.class);
            context.getBean(Account.class).book(1);
            assertThat(context.getBean(RecordingLocks.class).events()).isEmpty();
        });
    }

    @Test
    void aDecoratorStaysInFront() {
        runner.withUserConfiguration(Decorator.class).run(context -> {
            context.getBean(Account.class).book(1);
            assertThat(context.getBean(Counting.class).count).isOne();
            assertThat(context).doesNotHaveBean(RedisLockTemplate.class);
        });
    }

    /** An emergency must not fail the start of a method that names the bean. */
    @Test
    void theReplacementHasTheNameOfTheLocksInRedisToo() {
        runner.withBean(Naming.class).withUserConfiguration(Qualified.class).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(LockOperations.class);
            assertThat(context.getBean(Naming.class).run()).isPositive();
            assertThat(context.getBean("redisLockTemplate")).isSameAs(context.getBean("localLockOperations"));
            assertThat(context.getBean(Holder.class).locks()).isSameAs(context.getBean("localLockOperations"));
        });
    }

    @Test
    void aChildUsesTheReplacementOfItsParentByThatName() {
        runner.run(parent -> runner.withParent(parent)
                .withBean(Naming.class)
                .run(child -> assertThat(child.getBean(Naming.class).run()).isPositive()));
    }

    @Test
    void aBeanOfTheApplicationKeepsThatName() {
        runner.withUserConfiguration(NamedDecorator.class)
                .withBean(Naming.class)
                .run(context -> {
                    assertThat(context.getBean("redisLockTemplate")).isInstanceOf(Counting.class);
                    context.getBean(Naming.class).run();
                    assertThat(context.getBean(Counting.class).count).isOne();
                });
        new ApplicationContextRunner()
                .withBean(
                        "redisLockTemplate",
                        RecordingLocks.class,
                        RecordingLocks::new,
                        definition -> definition.setAutowireCandidate(false))
                .run(parent -> runner.withParent(parent).run(child -> {
                    assertThat(child).hasBean("localLockOperations");
                    assertThat(child.getBean("redisLockTemplate")).isInstanceOf(RecordingLocks.class);
                }));
    }

    @Test
    void mistakesInAnnotationsStillFailTheStart() {
        assertThat(FailureReport.of(runner.withBean(Mistaken.class)).getDescription())
                .contains("#idd is unknown");
    }

    @Test
    void locksInRedisAreNotMadeWhereTheyCouldBe() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
                .withPropertyValues("distributed-lock.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RedisLockTemplate.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Decorator {

        @Bean
        @Primary
        Counting counting(LockOperations real) {
            return new Counting(real);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NamedDecorator {

        @Bean
        @Primary
        Counting redisLockTemplate(@Qualifier("localLockOperations") LockOperations real) {
            return new Counting(real);
        }
    }

    record Holder(LockOperations locks) {}

    @Configuration(proxyBeanMethods = false)
    static class Qualified {

        @Bean
        Holder holder(@Qualifier("redisLockTemplate") LockOperations locks) {
            return new Holder(locks);
        }
    }

    public static class Naming {

        @DistributedLocked(key = "'naming'", operations = "redisLockTemplate")
        public long run() {
            return LockHandle.current().orElseThrow().fencingToken();
        }
    }

    public static class Account {

        @DistributedLocked(name = "account", key = "#id")
        public long book(long id) {
            LockAssert.assertLocked();
            return LockHandle.current().orElseThrow().fencingToken();
        }

        @DistributedLocked("'account:1'")
        public Flux<Long> tokens(Flux<Long> inner) {
            return Flux.deferContextual(context ->
                    inner.startWith(ReactiveLocks.current(context).orElseThrow().fencingToken()));
        }

        @DistributedLocked(whenBusy = WhenBusy.SKIP)
        public String skipped() {
            return "run";
        }
    }

    public static class Mistaken {

        @DistributedLocked("#idd")
        public void run(long id) {}
    }
}
