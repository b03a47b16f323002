/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockAssert;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.testing.Background;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Annotated methods of every kind that read, beside one that writes. */
class SharedMethodTests extends AbstractRedisApplicationTests {

    private final ApplicationContextRunner application = application().withBean(Archive.class);

    @Test
    void readersOfTwoApplicationsRunTogetherAndNoWriterBesideThem() {
        application.run(one -> application.run(two -> {
            Archive here = one.getBean(Archive.class);
            Archive there = two.getBean(Archive.class);
            String read = here.read(() -> there.read(() -> {
                LockAssert.assertLocked();
                assertThat(there.readLater(CompletableFuture.completedFuture("later")))
                        .succeedsWithin(10, TimeUnit.SECONDS)
                        .isEqualTo("later");
                assertThat(there.readReactively("reactive").block()).isEqualTo("reactive");
                assertThat(Background.supply(here::writeUnlessBusy))
                        .succeedsWithin(10, TimeUnit.SECONDS)
                        .isNull();
                return "read";
            }));
            assertThat(read).isEqualTo("read");
            assertThat(there.writeUnlessBusy()).isEqualTo("written");
            assertThat(one.getBean(LockOperations.class).inspect("archive")).isEmpty();
        }));
    }

    @Test
    void aWriterReadsWithinAndAReaderDoesNotWriteWithin() {
        application.run(context -> {
            Archive archive = context.getBean(Archive.class);
            assertThat(archive.write(() -> archive.read(() -> archive.write(() -> "nested"))))
                    .isEqualTo("nested");
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> archive.read(() -> archive.write(() -> "upgraded")))
                    .withMessageContaining("SHARED");
            assertThat(archive.<String>read(archive::writeUnlessBusy)).isNull();
            assertThat(archive.readReactively("x")
                            .flatMap(read -> archive.writeReactively("y"))
                            .block())
                    .isEqualTo("y");
        });
    }

    @Test
    void aFutureKeepsWritersOutUntilItIsDone() {
        application.run(context -> {
            Archive archive = context.getBean(Archive.class);
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> reading = archive.readLater(work);
            assertThat(Background.supply(() -> archive.read(() -> "beside")))
                    .succeedsWithin(10, TimeUnit.SECONDS)
                    .isEqualTo("beside");
            assertThat(archive.writeUnlessBusy()).isNull();
            work.complete("done");
            assertThat(reading).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("done");
            assertThat(archive.write(() -> "written")).isEqualTo("written");
        });
    }

    static class Archive {

        @DistributedLocked(key = "'archive'", mode = LockMode.SHARED, waitUpTo = "-1s")
        <T> T read(Supplier<T> body) {
            return body.get();
        }

        @DistributedLocked(key = "'archive'", mode = LockMode.SHARED)
        CompletableFuture<String> readLater(CompletableFuture<String> work) {
            return work;
        }

        @DistributedLocked(key = "'archive'", mode = LockMode.SHARED)
        Mono<String> readReactively(String text) {
            return Mono.just(text);
        }

        @DistributedLocked(key = "'archive'")
        Mono<String> writeReactively(String text) {
            return Mono.just(text);
        }

        @DistributedLocked(key = "'archive'", waitUpTo = "-1s")
        <T> T write(Supplier<T> body) {
            return body.get();
        }

        @DistributedLocked(key = "'archive'", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        String writeUnlessBusy() {
            return "written";
        }
    }
}
