/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.readme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockScope;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.EmbeddedRedis;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every example of the README is compiled and run as it stands there, and its tables are complete. */
class ReadmeTests {

    private static final Path README = Path.of("..", "README.md");

    private static final Path CONFIGURATION = Path.of("..", "docs", "configuration.md");

    private static final Path EXAMPLES = Path.of("src/test/java/io/distributedlock/readme/ReadmeExamples.java");

    private static EmbeddedRedis redis;

    private static ConfigurableApplicationContext app;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        app = new SpringApplicationBuilder(Examples.class)
                .web(WebApplicationType.NONE)
                .run("--spring.data.redis.url=" + redis.uri(), "--distributed-lock.command-timeout=10s");
    }

    @AfterAll
    static void stop() {
        app.close();
        redis.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ReadmeExamples.Payments.class, ReadmeExamples.Imports.class, ReadmeExamples.Accounts.class})
    static class Examples {

        @Bean
        ReadmeExamples.Bank bank(ObjectProvider<LockOperations> locks) {
            return order -> {
                assertThat(locks.getObject().inspect("order:42")).isPresent();
                return new ReadmeExamples.Receipt(order.id());
            };
        }

        @Bean
        JdbcClient jdbc() {
            return JdbcClient.create(new DriverManagerDataSource("jdbc:h2:mem:readme;DB_CLOSE_DELAY=-1"));
        }
    }

    @Test
    void theExamplesAreThoseThatAreCompiled() throws IOException {
        String compiled = stripped(Files.readString(EXAMPLES));

        assertThat(find("(?s)```java\n(.*?)```"))
                .hasSize(4)
                .allSatisfy(example -> assertThat(compiled).contains(stripped(example)));
    }

    @Test
    void theAnnotatedMethodRunsUnderItsLock() {
        ReadmeExamples.Receipt receipt =
                app.getBean(ReadmeExamples.Payments.class).pay(new ReadmeExamples.Order("42", BigDecimal.TEN));

        assertThat(receipt.orderId()).isEqualTo("42");
        assertThat(app.getBean(LockOperations.class).inspect("order:42")).isEmpty();
    }

    @Test
    void theJobRunsUnderItsLock() {
        LockOperations locks = app.getBean(LockOperations.class);
        app.getBean(ReadmeExamples.Imports.class).run(new ReadmeExamples.Import() {
            @Override
            public void run(long fencingToken) {
                assertThat(locks.inspect("import").map(LockState::fencingToken)).contains(fencingToken);
            }

            @Override
            public void stop() {}
        });
        assertThat(locks.inspect("import")).isEmpty();
    }

    @Test
    void theTableRefusesALateHolder() {
        JdbcClient jdbc = app.getBean(JdbcClient.class);
        jdbc.sql("create table account (id bigint primary key, balance decimal, token bigint)")
                .update();
        jdbc.sql("insert into account values (1, 0, 0)").update();
        ReadmeExamples.Accounts accounts = app.getBean(ReadmeExamples.Accounts.class);
        ReadmeExamples.Accounts stillInside = new ReadmeExamples.Accounts(jdbc);

        try (LockHandle late = app.getBean(LockOperations.class).acquire(LockRequest.of("account:1"));
                LockScope scope = LockScope.open(late)) {
            app.getBean(LockOperations.class).forceRelease("account:1");
            Background.run(() -> accounts.book(1, BigDecimal.ONE)).join();

            assertThatIllegalStateException().isThrownBy(() -> stillInside.book(1, BigDecimal.ONE));
            assertThatExceptionOfType(LockLostException.class).isThrownBy(late::close);
        }
        accounts.book(1, BigDecimal.ONE);
        assertThat(jdbc.sql("select balance from account").query(Integer.class).single())
                .isEqualTo(2);
    }

    @Test
    void theTableOfSettingsIsComplete() throws IOException {
        Map<String, String> actual = new TreeMap<>();
        for (JsonNode property : metadata().get("properties")) {
            String name = property.get("name").asString();
            if (!name.startsWith("distributed-lock.")) {
                continue;
            }
            actual.put(name, property.path("defaultValue").asString("none"));
        }

        String row = "`(distributed-lock\\.[a-z.-]+)` \\| `?([^|`]*?)`? \\|";
        assertThat(rows(CONFIGURATION, row)).isEqualTo(actual);
        assertThat(actual).containsAllEntriesOf(rows(README, row));
    }

    /** For example, customers would receive these responses in a sale of tickets. */
    @Test
    void theResponsesOfAWebApplicationStateWhenToRetry() {
        ReadmeExamples.LockProblems problems = new ReadmeExamples.LockProblems();
        assertThat(problems.busy(new LockNotAcquiredException("a", "busy", Duration.ZERO)))
                .satisfies(
                        response -> assertThat(response.getStatusCode().value()).isEqualTo(409))
                .satisfies(response -> assertThat(response.getHeaders().getFirst("Retry-After"))
                        .isEqualTo("1"));
        assertThat(problems.unavailable(new LockUnavailableException("a", "down", null))
                        .getStatusCode()
                        .value())
                .isEqualTo(503);
    }

    @Test
    void theTableOfAttributesHasNoneThatDoesNotExist() {
        List<String> attributes = Stream.of(DistributedLocked.class.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> !name.equals("value"))
                .toList();

        Map<String, String> rows = rows(README, "`([a-z][a-zA-Z]*)`(?: \\(or `value`\\))? \\| ([^|]*) \\|");
        assertThat(attributes).containsAll(rows.keySet());
        assertThat(rows)
                .containsKey("key")
                .containsAllEntriesOf(Map.of("renew", "`true`", "reentrant", "`true`", "whenBusy", "`THROW`"));
    }

    @Test
    void thereAreThreeCommands() {
        assertThat(find("(?s)```sh\n(.*?)```").flatMap(String::lines).filter(line -> line.contains("mvnw")))
                .hasSize(3)
                .contains("./mvnw verify", "./mvnw -Dmaven.test.skip -pl lock-starter -am install");
    }

    private static JsonNode metadata() throws IOException {
        for (URL each : Collections.list(
                ReadmeTests.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = each.openStream()) {
                JsonNode metadata = JsonMapper.shared().readTree(in);
                if (metadata.at("/groups/0/name").asString("").equals("distributed-lock")) {
                    return metadata;
                }
            }
        }
        throw new IllegalStateException("The metadata of the settings is not there");
    }

    private static Map<String, String> rows(Path file, String pattern) {
        Map<String, String> rows = new TreeMap<>();
        match(file, "(?m)^\\| " + pattern).forEach(row -> rows.put(row.group(1), row.group(2)));
        return rows;
    }

    private static Stream<String> find(String pattern) {
        return match(README, pattern).map(match -> match.group(1));
    }

    private static Stream<MatchResult> match(Path file, String pattern) {
        try {
            return Pattern.compile(pattern).matcher(Files.readString(file)).results();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String stripped(String text) {
        return text.lines()
                .map(line -> line.strip().replaceFirst("^static class", "class"))
                .collect(Collectors.joining("\n"));
    }
}
