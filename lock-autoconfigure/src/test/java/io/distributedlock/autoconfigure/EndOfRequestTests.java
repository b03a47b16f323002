/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLocked;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Requests to a server that end before the work of a locked method has begun, or without a report of its end. */
class EndOfRequestTests {

    private static final ThreadPoolTaskExecutor EXECUTOR = new ThreadPoolTaskExecutor();

    private static final AtomicReference<LockHandle> HANDLE = new AtomicReference<>();

    private static final AtomicInteger RUNS = new AtomicInteger();

    @TempDir
    private static Path directory;

    private static LockedApplication application;

    private static Tomcat server;

    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeAll
    static void start() throws LifecycleException {
        application = new LockedApplication(Work.class);
        EXECUTOR.setCorePoolSize(1);
        EXECUTOR.setMaxPoolSize(1);
        EXECUTOR.initialize();
        server = new Tomcat();
        server.setBaseDir(directory.toString());
        server.setPort(0);
        serve(server.addContext("", new File(directory.toString()).getAbsolutePath()));
        server.getConnector();
        server.start();
    }

    private static void serve(Context root) {
        AnnotationConfigWebApplicationContext web = new AnnotationConfigWebApplicationContext();
        web.register(Mvc.class);
        Wrapper servlet = Tomcat.addServlet(root, "mvc", new DispatcherServlet(web));
        servlet.setAsyncSupported(true);
        root.addServletMappingDecoded("/", "mvc");
    }

    @AfterAll
    static void stop() throws LifecycleException {
        server.stop();
        server.destroy();
        application.close();
        EXECUTOR.shutdown();
    }

    @AfterEach
    void leavesNothing() {
        application.awaitNoKeys();
    }

    private int statusOf(String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:" + server.getConnector().getLocalPort() + path);
        HttpRequest request =
                HttpRequest.newBuilder(uri).timeout(LockedApplication.LONG).build();
        return client.send(request, BodyHandlers.discarding()).statusCode();
    }

    /**
     * The handle is reachable, so nothing else than the end of the request can release it. If that fails, the next test
     * does not wait for this lock.
     */
    private static void awaitReleased() {
        LockHandle handle = HANDLE.get();
        try {
            await().atMost(Duration.ofSeconds(20)).until(() -> !handle.isHeld());
        } finally {
            if (handle.isHeld()) {
                handle.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/complete", "/failed", "/in-response", "/unwritable"})
    void anEmitterThatEndsBeforeItIsInitializedReleases(String path) throws Exception {
        statusOf(path);
        awaitReleased();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/task", "/writer"})
    void workWhoseRequestTimesOutBeforeItBeginsReleases(String path) throws Exception {
        RUNS.set(0);
        CountDownLatch busy = new CountDownLatch(1);
        EXECUTOR.submit(() -> {
            busy.await();
            return true;
        });
        try {
            assertThat(statusOf(path)).isEqualTo(503);
            awaitReleased();
        } finally {
            busy.countDown();
        }
        assertThat(RUNS).hasValue(0);
    }

    @Test
    void aWriterThatIsNotReturnedReleasesAtTheEndOfTheRequest() throws Exception {
        assertThat(statusOf("/not-returned")).isEqualTo(200);
        awaitReleased();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    static class Mvc implements WebMvcConfigurer {

        @Bean
        Controller controller() {
            return new Controller(application.bean(Work.class));
        }

        @Override
        public void configureAsyncSupport(AsyncSupportConfigurer async) {
            async.setDefaultTimeout(500).setTaskExecutor(EXECUTOR);
        }
    }

    @RestController
    static class Controller {

        private final Work work;

        Controller(Work work) {
            this.work = work;
        }

        @GetMapping("/complete")
        public SseEmitter complete() throws IOException {
            return work.complete();
        }

        @GetMapping("/failed")
        public SseEmitter failed() {
            return work.failed();
        }

        @GetMapping("/in-response")
        public ResponseEntity<ResponseBodyEmitter> inResponse() throws IOException {
            return work.inResponse();
        }

        @GetMapping("/unwritable")
        public SseEmitter unwritable() throws IOException {
            return work.unwritable();
        }

        @GetMapping("/task")
        public Callable<String> task() {
            return work.task();
        }

        @GetMapping("/writer")
        public StreamingResponseBody writer() {
            return work.writer();
        }

        @GetMapping("/not-returned")
        public String notReturned() {
            return "written " + (work.writer() != null);
        }
    }

    @DistributedLocked(key = "'work'", waitUpTo = "60s")
    static class Work {

        private static <T> T remembering(T result) {
            HANDLE.set(LockHandle.current().orElseThrow());
            return result;
        }

        SseEmitter complete() throws IOException {
            SseEmitter emitter = remembering(new SseEmitter());
            emitter.send("one");
            emitter.complete();
            return emitter;
        }

        SseEmitter failed() {
            SseEmitter emitter = remembering(new SseEmitter());
            emitter.completeWithError(new IllegalStateException("for the test"));
            return emitter;
        }

        ResponseEntity<ResponseBodyEmitter> inResponse() throws IOException {
            ResponseBodyEmitter emitter = remembering(new ResponseBodyEmitter());
            emitter.send("one");
            emitter.complete();
            return ResponseEntity.ok(emitter);
        }

        /** No converter writes the object. */
        SseEmitter unwritable() throws IOException {
            SseEmitter emitter = remembering(new SseEmitter());
            emitter.send(new Object());
            return emitter;
        }

        Callable<String> task() {
            return remembering(() -> "run " + RUNS.incrementAndGet());
        }

        StreamingResponseBody writer() {
            return remembering(out -> out.write(RUNS.incrementAndGet()));
        }
    }
}
