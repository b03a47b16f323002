/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.mockito.Answers;

/** What a handle of another implementation inherits. */
class LockHandleTests {

    @Test
    void whateverTheCloseThrowsComesThroughTheStage() {
        for (Throwable failure : List.of(
                new LockLostException("a", "lost", Duration.ZERO), new IllegalStateException(), new AssertionError())) {
            LockHandle handle = mock(LockHandle.class, Answers.CALLS_REAL_METHODS);
            doThrow(failure).when(handle).close();
            for (Function<LockHandle, CompletionStage<Void>> close :
                    List.<Function<LockHandle, CompletionStage<Void>>>of(
                            LockHandle::closeAsync, LockHandle::closeUnused)) {
                assertThat(close.apply(handle).handle((done, thrown) -> thrown).toCompletableFuture())
                        .isCompletedWithValue(failure);
            }
        }
    }
}
