/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.distributedlock.annotation.DistributedLocked;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import kotlinx.coroutines.CompletableJob;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.channels.Channel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A result holds the lock until it is complete. What is inside of it must not continue the work. */
class ContinuedResultTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "callableOfFuture",
                "callableOfStream",
                "callableOfCallable",
                "callableOfResponse",
                "taskOfFlux",
                "deferredResponse",
                "streamOfFutures",
                "responseOfFutureOfStream",
                "futureOfOptionalStream",
                "monoOfResponseOfOptionalFlux"
            })
    void refusesWhatContinuesAfterTheResultThatHoldsTheLock(String method) {
        assertThat(refusal(method).description())
                .contains("#" + method + "()")
                .contains("is completed or read after the lock is released");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "optionalOfStream",
                "responseOfStream",
                "responseOfOptionalStream",
                "responseOfOptionalFlux",
                "optionalOfResponseOfFlux",
                "job",
                "completableJob",
                "channel"
            })
    void refusesWhatContinuesWithoutTheLock(String method) {
        assertThat(refusal(method).description()).contains("is completed or read after the method has returned");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "callableOfValues",
                "taskOfValue",
                "optionalOfValue",
                "optionalOfResponse",
                "responseOfFlux",
                "deferredOfValue"
            })
    void takesAResultThatIsAllOfIt(String method) {
        assertThat(operationOf(method)).isNotNull();
    }

    private static InvalidLockedMethodException refusal(String method) {
        return catchThrowableOfType(InvalidLockedMethodException.class, () -> operationOf(method));
    }

    private static LockOperation operationOf(String method) {
        LockAnnotationParser parser = new LockAnnotationParser(new DefaultListableBeanFactory(), true, null, () -> 0);
        return new LockOperationSource(parser)
                .get(ReflectionUtils.findMethod(ContinuedTwice.class, method), ContinuedTwice.class);
    }

    @DistributedLocked("'k'")
    interface ContinuedTwice {

        Callable<CompletableFuture<String>> callableOfFuture();

        Callable<Stream<String>> callableOfStream();

        Callable<Callable<String>> callableOfCallable();

        Callable<ResponseEntity<StreamingResponseBody>> callableOfResponse();

        WebAsyncTask<Flux<String>> taskOfFlux();

        DeferredResult<ResponseEntity<StreamingResponseBody>> deferredResponse();

        Stream<CompletableFuture<String>> streamOfFutures();

        ResponseEntity<CompletableFuture<Stream<String>>> responseOfFutureOfStream();

        CompletableFuture<Optional<Stream<String>>> futureOfOptionalStream();

        Mono<ResponseEntity<Optional<Flux<String>>>> monoOfResponseOfOptionalFlux();

        Optional<Stream<String>> optionalOfStream();

        ResponseEntity<Stream<String>> responseOfStream();

        ResponseEntity<Optional<Stream<String>>> responseOfOptionalStream();

        ResponseEntity<Optional<Flux<String>>> responseOfOptionalFlux();

        Optional<ResponseEntity<Flux<String>>> optionalOfResponseOfFlux();

        Job job();

        CompletableJob completableJob();

        Channel<String> channel();

        Optional<ResponseEntity<String>> optionalOfResponse();

        ResponseEntity<Flux<String>> responseOfFlux();

        Callable<ResponseEntity<List<String>>> callableOfValues();

        WebAsyncTask<ResponseEntity<String>> taskOfValue();

        Optional<List<String>> optionalOfValue();

        DeferredResult<ResponseEntity<String>> deferredOfValue();
    }
}
