/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockScope;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.testing.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

/** The example of docs/safety.md, with its table and its statement, in a real database. */
class FencingExampleTests {

    private static String block(String language, String begin) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "safety.md"));
        Matcher block = Pattern.compile("```" + language + "\n(" + begin + ".*?)```", Pattern.DOTALL)
                .matcher(page);
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    @Test
    void aWriteOfALateHolderIsRefused() throws IOException {
        String table = block("sql", "create table");
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(
                            AopAutoConfiguration.class,
                            DataSourceAutoConfiguration.class,
                            JdbcTemplateAutoConfiguration.class,
                            DataRedisAutoConfiguration.class,
                            DistributedLockAutoConfiguration.class))
                    .withPropertyValues(
                            "spring.data.redis.port=" + redis.port(),
                            TestRedis.PATIENT,
                            "spring.datasource.generate-unique-name=true")
                    .withBean(Accounts.class)
                    .run(context -> {
                        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                        jdbc.execute(table);
                        jdbc.update("insert into account (id, balance) values (7, 100)");
                        Accounts accounts = context.getBean(Accounts.class);
                        LockOperations locks = context.getBean(LockOperations.class);
                        LockHandle late = locks.acquire(LockRequest.of("account:7"));
                        assertThat(locks.forceRelease("account:7")).isTrue();
                        await().until(() -> !late.isHeld());

                        accounts.book(7, 10);
                        try (LockScope scope = LockScope.open(late)) {
                            Accounts unlocked = new Accounts(jdbc);
                            assertThatIllegalStateException().isThrownBy(() -> unlocked.book(7, 1_000));
                        }

                        assertThat(jdbc.queryForObject("select balance from account", Long.class))
                                .isEqualTo(110);
                    });
        }
    }

    @Test
    void theStatementIsTheOneOfThePage() throws IOException {
        assertThat(block("java", "@DistributedLocked")).contains(Accounts.STATEMENT);
    }

    static class Accounts {

        static final String STATEMENT =
                "update account set balance = balance + ?, last_token = ? where id = ? and last_token <= ?";

        private final JdbcTemplate jdbc;

        Accounts(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLocked(name = "account", key = "#id")
        public void book(long id, long amount) {
            long token = LockHandle.current().orElseThrow().fencingToken();
            int rows = jdbc.update(STATEMENT, amount, token, id, token);
            if (rows == 0) {
                throw new IllegalStateException("Another caller has had the lock since; nothing was booked");
            }
        }
    }
}
