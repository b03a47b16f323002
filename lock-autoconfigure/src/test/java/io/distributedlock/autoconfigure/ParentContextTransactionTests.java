/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.transaction.CommitGuard;
import io.distributedlock.transaction.ReactiveCommitGuard;
import io.distributedlock.transaction.ReactiveTransactions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import reactor.core.publisher.Mono;

/** Locks in a child context, and transaction managers in its parent. */
@ExtendWith(OutputCaptureExtension.class)
class ParentContextTransactionTests extends AbstractRedisApplicationTests {

    private static final AutoConfigurations DATABASE = AutoConfigurations.of(
            DataSourceAutoConfiguration.class,
            DataSourceTransactionManagerAutoConfiguration.class,
            JdbcTemplateAutoConfiguration.class);

    private static final AutoConfigurations TRANSACTIONS = AutoConfigurations.of(TransactionAutoConfiguration.class);

    private final ApplicationContextRunner child =
            application().withConfiguration(TRANSACTIONS).withBean(Work.class);

    private static ApplicationContextRunner withDatabase(ApplicationContextRunner parent) {
        return parent.withConfiguration(DATABASE)
                .withConfiguration(TRANSACTIONS)
                .withPropertyValues("spring.datasource.generate-unique-name=true");
    }

    @Test
    void aManagerOfAParentWithoutLocksIsGuarded() {
        withDatabase(new ApplicationContextRunner())
                .run(parent -> child.withParent(parent)
                        .run(context -> child.withParent(context).run(ParentContextTransactionTests::rollsBack)));
    }

    private static void rollsBack(ApplicationContext context) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        jdbc.execute("create table stock (item int primary key)");
        LockOperations locks = context.getBean(LockOperations.class);
        Work work = context.getBean(Work.class);

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> work.run(() -> {
                    jdbc.update("insert into stock values (1)");
                    assertThat(locks.forceRelease("work")).isTrue();
                }));
        assertThat(jdbc.queryForList("select item from stock")).isEmpty();
        assertThat(context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners())
                .singleElement()
                .isInstanceOf(CommitGuard.class);
    }

    @Test
    void managersOfAParentAreLeftAloneWithoutTheGuard() {
        withDatabase(new ApplicationContextRunner())
                .run(parent -> child.withParent(parent)
                        .withPropertyValues("distributed-lock.transaction.guard=false")
                        .run(context -> assertThat(context.getBean(JdbcTransactionManager.class)
                                        .getTransactionExecutionListeners())
                                .isEmpty()));
    }

    @Test
    void aManagerOfAParentThatAcceptsNoListenersIsReported(CapturedOutput output) {
        withDatabase(new ApplicationContextRunner())
                .withUserConfiguration(LocksAndTransactionsTests.PlainManager.class)
                .run(parent -> child.withParent(parent)
                        .run(context -> assertThat(context).hasSingleBean(PlatformTransactionManager.class)));
        assertThat(output.getAll()).contains("its commits are not stopped when a lock was lost");
    }

    @Test
    void aManagerOfAParentThatHasAGuardAlreadyIsNotReported(CapturedOutput output) {
        withDatabase(application())
                .withUserConfiguration(LocksAndTransactionsTests.PlainManager.class)
                .run(parent -> child.withParent(parent)
                        .run(context -> assertThat(context).hasSingleBean(PlatformTransactionManager.class)));
        assertThat(output.getAll()).doesNotContain("its commits are not stopped when a lock was lost");
    }

    /** The advice of transactions is then that of the parent. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theAdviceOfLocksIsInsideOfTheTransactionsOfAParent(boolean withLocks) {
        withDatabase(withLocks ? application() : new ApplicationContextRunner())
                .run(parent -> child.withParent(parent).run(ParentContextTransactionTests::assertInsideOfTransactions));
    }

    @Test
    void theAdviceOfLocksIsInsideOfTransactionsAlsoWithAGuardOfTheApplication() {
        withDatabase(new ApplicationContextRunner())
                .run(parent -> child.withParent(parent)
                        .withBean("ownGuard", ReactiveCommitGuard.class)
                        .run(context -> child.withParent(context)
                                .run(ParentContextTransactionTests::assertInsideOfTransactions)));
    }

    /** Its creator of proxies uses no advice of the parent. */
    @Test
    void aChildWithoutAspectsThatHasTransactionsOfItsOwnGuardsThem() {
        application()
                .run(parent -> withDatabase(child)
                        .withParent(parent)
                        .withUserConfiguration(OwnTransactions.class)
                        .withClassLoader(new FilteredClassLoader("org.aspectj"))
                        .run(ParentContextTransactionTests::assertInsideOfTransactions));
    }

    private static void assertInsideOfTransactions(ApplicationContext context) {
        Advisor[] advisors = ((Advised) context.getBean(Work.class)).getAdvisors();
        List<Class<?>> types =
                Arrays.stream(advisors).<Class<?>>map(Object::getClass).toList();
        for (Class<?> inside : List.of(
                ReactiveCommitGuard.class, ReactiveTransactions.enclosingLocks().getClass())) {
            assertThat(types)
                    .containsOnlyOnce(inside)
                    .containsSubsequence(BeanFactoryTransactionAttributeSourceAdvisor.class, inside);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class OwnTransactions {}

    public static class Work {

        @DistributedLocked("'work'")
        @Transactional
        public void run(Runnable body) {
            body.run();
        }

        @DistributedLocked("'reactive'")
        @Transactional
        public Mono<String> reactive() {
            return Mono.just("done");
        }
    }
}
