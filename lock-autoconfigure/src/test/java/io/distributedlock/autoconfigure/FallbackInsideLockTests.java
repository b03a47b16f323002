/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.testing.Background;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A fallback takes the place of a method: it may enter the locks that are held around the call. */
class FallbackInsideLockTests extends AbstractRedisApplicationTests {

    @Test
    void theFallbackOfAFutureEntersTheLockAroundTheCall() {
        application()
                .withBean(Inside.class)
                .withBean(Busy.class)
                .withBean(Around.class)
                .run(context -> {
                    try (LockHandle busy = context.getBean(LockOperations.class).acquire(LockRequest.of("busy"))) {
                        Around around = context.getBean(Around.class);
                        assertThat(Background.supply(around::future).get(30, TimeUnit.SECONDS))
                                .isEqualTo("entered");
                    }
                });
    }

    @Test
    void theFallbackOfAMonoEntersTheLockAroundTheCall() {
        application()
                .withBean(Inside.class)
                .withBean(Busy.class)
                .withBean(Around.class)
                .run(context -> {
                    try (LockHandle busy = context.getBean(LockOperations.class).acquire(LockRequest.of("busy"))) {
                        Around around = context.getBean(Around.class);
                        assertThat(Background.supply(around::mono).get(30, TimeUnit.SECONDS))
                                .isEqualTo("entered");
                    }
                });
    }

    static class Around {

        private final Busy busy;

        Around(Busy busy) {
            this.busy = busy;
        }

        @DistributedLocked("'around'")
        public String future() {
            return busy.future().join();
        }

        @DistributedLocked("'around'")
        public String mono() {
            return busy.mono().blockOptional().orElseThrow();
        }
    }

    static class Busy {

        private final Inside inside;

        Busy(Inside inside) {
            this.inside = inside;
        }

        @DistributedLocked(key = "'busy'", waitUpTo = "100ms", fallback = "futureInstead")
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("not busy");
        }

        CompletableFuture<String> futureInstead() {
            return CompletableFuture.completedFuture(inside.enter());
        }

        @DistributedLocked(key = "'busy'", waitUpTo = "100ms", fallback = "monoInstead")
        public Mono<String> mono() {
            return Mono.just("not busy");
        }

        Mono<String> monoInstead() {
            return Mono.fromSupplier(inside::enter);
        }
    }

    static class Inside {

        @DistributedLocked(key = "'around'", waitUpTo = "1s")
        public String enter() {
            return "entered";
        }
    }
}
