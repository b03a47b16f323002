/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import java.io.File;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.springframework.core.NestedExceptionUtils;

/** Reactor is optional: without it, everything but publishers works. */
class WithoutReactorTests {

    @Test
    void blockingMethodsAndFuturesAreLockedAndPublishersRefused() throws Exception {
        URL[] others = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("reactor-core") && !entry.contains("reactive-streams"))
                .map(WithoutReactorTests::url)
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(others, ClassLoader.getPlatformClassLoader())) {
            Class<?> type = loader.loadClass(Program.class.getName());
            Object outcome = ((Callable<?>) type.getDeclaredConstructor().newInstance()).call();
            assertThat(outcome).isEqualTo("[acquire, close, acquireAsync, close] publisher refused");
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
