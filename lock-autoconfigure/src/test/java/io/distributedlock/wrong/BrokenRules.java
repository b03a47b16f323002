/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.wrong;

import static org.awaitility.Awaitility.await;

import java.io.StringReader;
import java.time.Duration;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterAll;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import reactor.core.publisher.Mono;

/** What the rules of the architecture forbid, to see that they find it. This package is not null-marked either. */
public final class BrokenRules {

    private BrokenRules() {}

    public static final class WallClock {

        long now() {
            return System.currentTimeMillis();
        }
    }

    public static final class WithTimer {

        private final Timer timer = new Timer();

        void stop() {
            timer.cancel();
        }
    }

    public static final class WithLogger {

        private static final Log logger = LogFactory.getLog(WithLogger.class);

        void log() {
            logger.debug("for the test");
        }
    }

    public static final class Parsing {

        Expression parse(String text) {
            return new SpelExpressionParser().parseRaw(text);
        }
    }

    public static final class InCommonPool {

        CompletionStage<Void> run(Runnable task) {
            return CompletableFuture.runAsync(task);
        }
    }

    @AutoConfiguration
    public static class Configuration {

        public void visible() {}
    }

    public static final class Parking {

        void park() {
            LockSupport.parkNanos(1);
        }
    }

    public static final class Delaying {

        Mono<String> delay(Mono<String> result) {
            return Mono.delay(Duration.ofMillis(1)).then(result.delayElement(Duration.ofMillis(1)));
        }

        void watch() {
            await().pollDelay(Duration.ofMillis(1)).until(() -> true);
            await().during(Duration.ofMillis(1)).until(() -> true);
        }
    }

    public static final class WithStaticFixture {

        private static final StringReader FIXTURE = new StringReader("");

        @AfterAll
        static void close() {
            FIXTURE.close();
        }
    }

    public static final class Sleeping {

        void sleep() throws InterruptedException {
            Thread.sleep(1);
        }
    }
}
