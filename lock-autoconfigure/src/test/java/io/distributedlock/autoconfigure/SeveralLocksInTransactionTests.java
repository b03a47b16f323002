/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction keeps several locks of one call, and the loss of each one does not matter to all calls. */
class SeveralLocksInTransactionTests extends AbstractRedisApplicationTests {

    private static void run(ContextConsumer<AssertableApplicationContext> test) {
        application()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:several")
                .withBean(Work.class)
                .run(test);
    }

    @Test
    void aLossThatMattersToALaterCallStopsTheCommit() {
        run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            for (Consumer<Work> later : List.<Consumer<Work>>of(
                    Work::strict,
                    Work::otherwise,
                    work -> locks.execute(LockRequest.ofAll(List.of("ignored", "guarded")), all -> null))) {
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> losing(context, "ignored", later))
                        .satisfies(ex -> assertThat(ex.lockName()).isEqualTo("ignored"));
            }
        });
    }

    @Test
    void aLossThatMattersToNoCallDoesNotStopTheCommit() {
        run(context -> assertThatNoException().isThrownBy(() -> losing(context, "ignored", Work::lax)));
    }

    /** Runs two calls in a transaction, and takes a lock away before the commit. */
    private static void losing(AssertableApplicationContext context, String name, Consumer<Work> later) {
        Work work = context.getBean(Work.class);
        context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
            work.lax();
            later.accept(work);
            context.getBean(LockOperations.class).forceRelease(name);
        });
    }

    static class Work {

        @DistributedLocked(key = "'ignored'", whenLost = WhenLost.IGNORE)
        @DistributedLocked(key = "'guarded'")
        void lax() {}

        @DistributedLocked(key = "'ignored'")
        @DistributedLocked(key = "'guarded'", whenLost = WhenLost.IGNORE)
        void otherwise() {}

        @DistributedLocked(key = "{'ignored', 'guarded'}")
        void strict() {}
    }
}
