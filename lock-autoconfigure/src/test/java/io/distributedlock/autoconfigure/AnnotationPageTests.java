/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLocked;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** The examples of two pages are the code of this class, and do what the pages say. */
class AnnotationPageTests {

    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @RegisterExtension
    private static final LockedApplication application = new LockedApplication(Configured.class);

    private final Examples examples = application.bean(Examples.class);

    /** Formatted in another way, and with bodies where the page has {@code { … }}. */
    @ParameterizedTest
    @ValueSource(strings = {"annotation.md", "return-types.md"})
    void theExamplesAreTheCodeOfThisClass(String page) throws IOException {
        String source = bare(Files.readString(
                Path.of("src", "test", "java", "io", "distributedlock", "autoconfigure", "AnnotationPageTests.java")));
        List<String> examples = new ArrayList<>();
        BLOCK.matcher(Files.readString(Path.of("..", "docs", page)))
                .results()
                .forEach(block -> examples.add(block.group(1)));
        assertThat(examples).isNotEmpty();
        for (String example : examples) {
            int from = 0;
            for (String part : example.split(Pattern.quote("{ … }"))) {
                int found = source.indexOf(bare(part), from);
                assertThat(found).as("place of\n%s", part).isNotNegative();
                from = found + bare(part).length();
            }
        }
    }

    private static String bare(String code) {
        return code.replaceAll("\\s+", "");
    }

    @Test
    void bothAccountsAreLocked() {
        examples.transfer("b", "a");
        assertThat(examples.done()).contains("account:a, account:b");
    }

    @Test
    void theFallbackIsCalledWhileTheOrderIsLocked() {
        assertThat(examples.pay("1").text()).isEqualTo("paid 1");
        try (LockHandle other = application.hold("1")) {
            assertThat(examples.pay("1").text()).isEqualTo("later 1, as " + other.name() + " is busy");
        }
    }

    @Test
    void readersRunTogetherAndAWriterAlone() throws Exception {
        LockOperations locks = application.locks();
        LockHandle reader = locks.acquireAsync(LockRequest.of("report:1").mode(LockMode.SHARED))
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        assertThat(examples.read(1)).isEqualTo(new Report(1));
        assertThat(locks.tryAcquire(LockRequest.of("report:1").noWait())).isEmpty();
        reader.close();
        examples.rebuild(1);
        assertThat(examples.done()).contains("rebuilt 1");
    }

    /** What a retry does with a busy lock is in {@link AdviceCombinationTests}. */
    @Test
    void theRetriedMethodIsLocked() {
        assertThat(examples.ship("1").text()).isEqualTo("shipped 1 under order:1");
    }

    @Test
    void theOwnerEntersItsLock() {
        assertThat(nested(application.locks()).toCompletableFuture()).succeedsWithin(LockedApplication.LONG);
    }

    private static CompletionStage<Void> nested(LockOperations locks) {
        LockOwner owner = LockOwner.create();
        CompletionStage<Void> done = locks.acquireAsync(
                        LockRequest.of("order:42").logicalOwner(owner))
                .thenCompose(
                        outer -> locks.acquireAsync(LockRequest.of("order:42").logicalOwner(owner.nested()))
                                .thenCompose(LockHandle::closeAsync)
                                .thenCompose(closed -> outer.closeAsync()));
        return done;
    }

    record Receipt(String text) {}

    record Report(long id) {}

    static class Examples {

        private final List<String> done = new ArrayList<>();

        List<String> done() {
            return done;
        }

        @DistributedLocked(name = "account", key = "{#from, #to}")
        void transfer(String from, String to) {
            done.add(String.join(
                    ", ", LockHandle.current().orElseThrow().fencingTokens().keySet()));
        }

        @DistributedLocked(key = "#order", waitUpTo = "0", fallback = "later")
        Receipt pay(String order) {
            return new Receipt("paid " + order);
        }

        @DistributedLocked(key = "'report:' + #id", mode = LockMode.SHARED)
        Report read(long id) {
            return new Report(id);
        }

        @DistributedLocked(key = "'report:' + #id")
        void rebuild(long id) {
            done.add("rebuilt " + id);
        }

        Receipt later(String order, LockNotAcquiredException busy) {
            return new Receipt("later " + order + ", as " + busy.lockName() + " is busy");
        }

        @Retryable(includes = {LockNotAcquiredException.class, LockUnavailableException.class})
        @DistributedLocked("'order:' + #order")
        Receipt ship(String order) {
            return new Receipt("shipped " + order + " under "
                    + LockHandle.current().orElseThrow().name());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Configured {

        @Bean
        Examples examples() {
            return new Examples();
        }
    }
}
