/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLocked;
import java.io.File;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.springframework.core.NestedExceptionUtils;
import reactor.core.publisher.Mono;

/** Reactor is optional: without it, everything but publishers works. So is context propagation. */
class WithoutReactorTests {

    @Test
    void blockingMethodsAndFuturesAreLockedAndPublishersRefused() throws Exception {
        assertThat(runWithout(Program.class, "reactor-core", "reactive-streams"))
                .isEqualTo("[acquire, close, acquireAsync, close] publisher refused");
    }

    @Test
    void publishersAreLockedWithoutContextPropagation() throws Exception {
        assertThat(runWithout(ReactorProgram.class, "context-propagation")).isEqualTo("[acquireAsync, close] done");
    }

    private static Object runWithout(Class<?> program, String... jars) throws Exception {
        URL[] others = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Arrays.stream(jars).noneMatch(entry::contains))
                .map(WithoutReactorTests::url)
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(others, ClassLoader.getPlatformClassLoader())) {
            Class<?> type = loader.loadClass(program.getName());
            return ((Callable<?>) type.getDeclaredConstructor().newInstance()).call();
        }
    }

    private static URL url(String entry) {
        try {
            URI uri = new File(entry).toURI();
            return uri.toURL();
        } catch (Exception ex) {
            throw new IllegalArgumentException(entry, ex);
        }
    }

    /** Runs in a class loader without Reactor. */
    public static class Program implements Callable<String> {

        @Override
        public String call() {
            RecordingLocks locks = new RecordingLocks();
            Work work = LockedProxies.by(locks).byClass(new Work());
            work.blocking();
            work.future().join();
            return locks.events() + (isRefused() ? " publisher refused" : "");
        }

        private static boolean isRefused() {
            try {
                LockedProxies.by(new RecordingLocks()).byClass(new Publishing()).publisher();
                return false;
            } catch (RuntimeException ex) {
                return NestedExceptionUtils.getMostSpecificCause(ex) instanceof InvalidLockedMethodException;
            }
        }
    }

    /** Runs in a class loader without context propagation. */
    public static class ReactorProgram implements Callable<String> {

        @Override
        public String call() {
            RecordingLocks locks = new RecordingLocks();
            Mono<String> mono = LockedProxies.by(locks).byClass(new Reactive()).mono();
            String value = mono.block(Duration.ofSeconds(60));
            return locks.events() + " " + value;
        }
    }

    static class Reactive {

        @DistributedLocked
        Mono<String> mono() {
            return Mono.fromSupplier(() -> LockHandle.current().isPresent() ? "done" : "no lock");
        }
    }

    static class Work {

        @DistributedLocked
        String blocking() {
            return "done";
        }

        @DistributedLocked
        CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("done");
        }
    }

    static class Publishing {

        @DistributedLocked
        Flow.Publisher<String> publisher() {
            return subscriber -> {};
        }
    }
}
