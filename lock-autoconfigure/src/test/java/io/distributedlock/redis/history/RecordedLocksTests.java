/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.redis.history.Event.Operation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.ArgumentCaptor;

/** What callers see goes through unchanged, and what it means is written down. */
class RecordedLocksTests {

    private static final LockRequest REQUEST = LockRequest.of("shared").waitUpTo(Duration.ofSeconds(1));

    private final DistributedLockException lost = new LockLostException("shared", "lost", Duration.ZERO);

    private final DistributedLockException unavailable = new LockUnavailableException("shared", "unavailable", null);

    @TempDir
    Path directory;

    private final LockOperations inner = mock(LockOperations.class);

    private final LockHandle hold = mock(LockHandle.class);

    private History history;

    private RecordedLocks locks;

    @BeforeEach
    void open() {
        history = History.open(directory, "a");
        locks = new RecordedLocks(inner, history);
        when(inner.acquire(any())).thenReturn(hold);
        when(hold.fencingToken()).thenReturn(7L);
        when(hold.isHeld()).thenReturn(true);
        when(hold.remainingLease()).thenReturn(Duration.ofSeconds(1));
    }

    @AfterEach
    void close() {
        history.close();
    }

    /** Operation and phase of each event so far. */
    private List<String> story() {
        return History.read(directory).stream()
                .map(event -> event.operation() + " " + event.phase())
                .toList();
    }

    private void assertStory(String... expected) {
        assertThat(story()).containsExactly(expected);
    }

    @Test
    void aHold() {
        try (RecordedHandle handle = locks.acquire(REQUEST)) {
            assertThat(handle.fencingToken()).isEqualTo(7);
        }
        assertStory("ACQUIRE INVOKE", "ACQUIRE OK", "RELEASE INVOKE", "RELEASE OK");
        List<Event> events = History.read(directory);
        assertThat(events).extracting(Event::acquisition).containsOnly(1L);
        assertThat(events).extracting(Event::lock).containsOnly("shared");
        assertThat(events.get(0).deadline() - events.get(0).nanos())
                .as("wait")
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        assertThat(events.get(1).token()).isEqualTo(7);
        assertThat(events.get(1).deadline() - events.get(1).nanos())
                .as("lease")
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        assertThat(events.get(2).deadline()).isGreaterThan(events.get(2).nanos());
    }

    @Test
    void closingAgainIsNothing() {
        RecordedHandle handle = locks.acquire(REQUEST);
        handle.close();
        handle.close();
        assertThat(story()).hasSize(4);
    }

    @Test
    void failures() {
        assertOutcome(new LockNotAcquiredException("shared", "busy", Duration.ZERO), "FAIL");
        assertOutcome(unavailable, "UNKNOWN");
        assertOutcome(new LockInterruptedException("shared", "interrupted", null), "UNKNOWN");
    }

    private void assertOutcome(DistributedLockException failure, String phase) {
        doThrow(failure).when(inner).acquire(any());
        assertThatExceptionOfType(DistributedLockException.class)
                .isThrownBy(() -> locks.acquire(REQUEST))
                .isSameAs(failure);
        assertThat(story()).last().isEqualTo("ACQUIRE " + phase);
        doThrow(failure).when(inner).tryAcquire(any());
        assertThatExceptionOfType(DistributedLockException.class)
                .isThrownBy(() -> locks.tryAcquire(REQUEST))
                .isSameAs(failure);
        assertThat(story()).last().isEqualTo("ACQUIRE " + phase);
    }

    @Test
    void busyOrNot() {
        when(inner.tryAcquire(any())).thenReturn(Optional.empty()).thenReturn(Optional.of(hold));
        assertThat(locks.tryAcquire(REQUEST)).isEmpty();
        locks.tryAcquire(REQUEST).orElseThrow().close();
        assertStory("ACQUIRE INVOKE", "ACQUIRE FAIL", "ACQUIRE INVOKE", "ACQUIRE OK", "RELEASE INVOKE", "RELEASE OK");
    }

    @Test
    void aLossIsRecordedOnce() {
        ArgumentCaptor<Runnable> told = ArgumentCaptor.forClass(Runnable.class);
        RecordedHandle handle = locks.acquire(REQUEST);
        verify(hold).onLost(told.capture());
        when(hold.isHeld()).thenReturn(false);
        when(hold.remainingLease()).thenReturn(Duration.ZERO);
        doThrow(lost).when(hold).throwIfLost();
        doThrow(lost).when(hold).close();
        assertThat(handle.isHeld()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::throwIfLost);
        told.getValue().run();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        assertStory("ACQUIRE INVOKE", "ACQUIRE OK", "LOST OK", "RELEASE INVOKE", "RELEASE FAIL");
        assertThat(History.read(directory).get(3).deadline()).isEqualTo(Event.NONE);
    }

    @Test
    void aReleaseThatWasNotConfirmed() {
        RecordedHandle handle = locks.acquire(REQUEST);
        doThrow(unavailable).when(hold).close();
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(handle::close);
        assertThat(story()).last().isEqualTo("RELEASE UNKNOWN");
    }

    @Test
    void aRenewalIsSeenByTheNextLook() {
        RecordedHandle handle = locks.acquire(REQUEST);
        when(hold.remainingLease()).thenReturn(Duration.ofSeconds(2));
        handle.throwIfLost();
        assertStory("ACQUIRE INVOKE", "ACQUIRE OK", "RENEW OK");
        Event renewed = History.read(directory).get(2);
        assertThat(renewed.deadline() - renewed.nanos())
                .isEqualTo(Duration.ofSeconds(2).toNanos());
    }

    @Test
    void nothingIsCertainWhileTheLeaseIsSet() {
        RecordedHandle handle = locks.acquire(REQUEST);
        handle.extend(Duration.ofMillis(100));
        assertStory("ACQUIRE INVOKE", "ACQUIRE OK", "RENEW INVOKE", "RENEW OK");
        Event invoked = History.read(directory).get(2);
        assertThat(invoked.deadline()).isEqualTo(invoked.nanos());
    }

    @Test
    void anExtensionThatComesTooLateDoesNotMakeTheLeaseLonger() {
        when(hold.remainingLease()).thenReturn(Duration.ofNanos(1));
        RecordedHandle handle = locks.acquire(REQUEST);
        handle.extend(Duration.ofMillis(100));
        List<Event> events = History.read(directory);
        assertThat(events.get(2).deadline()).isEqualTo(events.get(1).deadline());
    }

    @Test
    void writesAndCounts() {
        when(hold.remainingLease()).thenReturn(Duration.ZERO);
        RecordedHandle handle = locks.acquire(REQUEST);
        assertThat(handle.fencedWrite(() -> true)).isTrue();
        assertThat(handle.fencedWrite(() -> false)).isFalse();
        handle.count(() -> {});
        handle.count(() -> when(hold.isHeld()).thenReturn(false));
        assertThat(story().subList(2, story().size()))
                .containsExactly(
                        "FENCED_WRITE INVOKE",
                        "FENCED_WRITE OK",
                        "FENCED_WRITE INVOKE",
                        "FENCED_WRITE FAIL",
                        "COUNT INVOKE",
                        "COUNT OK",
                        "COUNT INVOKE",
                        "LOST OK",
                        "COUNT UNKNOWN");
    }

    @Test
    void asynchronously() throws Exception {
        CompletableFuture<LockHandle> asked = new CompletableFuture<>();
        when(inner.acquireAsync(any())).thenReturn(asked);
        CompletableFuture<LockHandle> answer = locks.acquireAsync(REQUEST).toCompletableFuture();
        asked.complete(hold);
        assertThat(answer).isCompleted();
        answer.get().close();
        assertStory("ACQUIRE INVOKE", "ACQUIRE OK", "RELEASE INVOKE", "RELEASE OK");
        assertThat(History.read(directory)).extracting(Event::owner).allMatch(owner -> owner.startsWith("a/async-"));
    }

    @Test
    void severalTogether() throws Exception {
        LockRequest request = LockRequest.ofAll(List.of("one", "two")).waitUpTo(Duration.ofSeconds(1));
        when(hold.fencingTokens()).thenReturn(Map.of("one", 7L, "two", 8L));
        when(hold.remainingLease()).thenReturn(Duration.ofSeconds(3));
        when(hold.isHeld()).thenReturn(true);
        when(inner.acquire(request)).thenReturn(hold);
        try (RecordedSet set = locks.acquireAll(request)) {
            assertThat(set.parts()).extracting(RecordedHandle::fencingToken).containsExactly(7L, 8L);
            set.extend(Duration.ofSeconds(2));
        }
        verify(hold).extend(Duration.ofSeconds(2));
        verify(hold).close();
        for (String name : List.of("one", "two")) {
            assertThat(History.read(directory))
                    .filteredOn(event -> event.lock().equals(name))
                    .extracting(event -> event.operation() + " " + event.phase())
                    .containsExactly(
                            "ACQUIRE_TOGETHER INVOKE",
                            "ACQUIRE_TOGETHER OK",
                            "RENEW INVOKE",
                            "RENEW OK",
                            "RELEASE INVOKE",
                            "RELEASE OK");
        }
    }

    @Test
    void severalOfWhichOneIsBusy() {
        LockRequest request = LockRequest.ofAll(List.of("one", "two"));
        when(inner.acquireAsync(request))
                .thenReturn(CompletableFuture.failedFuture(
                        new LockNotAcquiredException("two", "busy", Duration.ofSeconds(1))));
        assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> locks.acquireAllAsync(request));
        assertThat(History.read(directory))
                .extracting(event -> event.lock() + " " + event.operation() + " " + event.phase())
                .containsExactlyInAnyOrder(
                        "one ACQUIRE_TOGETHER INVOKE",
                        "two ACQUIRE_TOGETHER INVOKE",
                        "one ACQUIRE_TOGETHER FAIL",
                        "two ACQUIRE_TOGETHER FAIL");
    }

    /** Which release was not confirmed, or which hold was lost, is not known. */
    @Test
    void severalOfWhichOneWasLost() {
        LockRequest request = LockRequest.ofAll(List.of("one", "two"));
        when(hold.fencingTokens()).thenReturn(Map.of("one", 7L, "two", 8L));
        when(hold.remainingLease()).thenReturn(Duration.ofSeconds(3));
        when(inner.acquire(request)).thenReturn(hold);
        doThrow(lost).when(hold).close();
        RecordedSet set = locks.acquireAll(request);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(set::close);
        assertThat(History.read(directory))
                .filteredOn(event -> event.operation() == Operation.RELEASE)
                .extracting(event -> event.lock() + " " + event.phase())
                .containsExactlyInAnyOrder("one INVOKE", "two INVOKE", "one UNKNOWN", "two UNKNOWN");
    }

    @Test
    void cancelled() {
        CompletableFuture<LockHandle> asked = new CompletableFuture<>();
        when(inner.acquireAsync(any())).thenReturn(asked);
        assertThat(locks.acquireAsync(REQUEST).toCompletableFuture().cancel(true))
                .isTrue();
        assertThat(asked).isCancelled();
        assertStory("ACQUIRE INVOKE", "ACQUIRE UNKNOWN");
    }

    @Test
    void closedWithoutBlocking() {
        CompletableFuture<Void> released = new CompletableFuture<>();
        when(hold.closeAsync()).thenReturn(released);
        RecordedHandle handle = locks.acquire(REQUEST);
        CompletionStage<Void> closing = handle.closeAsync();
        assertStory("ACQUIRE INVOKE", "ACQUIRE OK", "RELEASE INVOKE");

        released.completeExceptionally(lost);
        handle.close();

        assertThat(closing).isCompletedExceptionally();
        assertStory("ACQUIRE INVOKE", "ACQUIRE OK", "RELEASE INVOKE", "RELEASE FAIL");
    }

    @Test
    void aReaderIsWrittenDownAsSuch() {
        locks.acquire(REQUEST.mode(LockMode.SHARED)).close();
        assertThat(History.read(directory)).hasSize(4).allMatch(Event::shared);
    }

    @Test
    void takingALockByForceWithoutAnAnswerMayHaveHappened() {
        when(inner.forceRelease("shared")).thenThrow(unavailable);
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.forceRelease("shared"));
        assertStory("FAULT INVOKE", "FAULT UNKNOWN");
    }

    @Test
    void takingALockByForceIsAFault() {
        when(inner.forceRelease("shared")).thenReturn(true, false);
        assertThat(locks.forceRelease("shared")).isTrue();
        assertThat(locks.forceRelease("shared")).isFalse();
        assertStory("FAULT INVOKE", "FAULT OK", "FAULT INVOKE", "FAULT FAIL");
        assertThat(History.read(directory)).extracting(Event::operation).containsOnly(Operation.FAULT);
    }

    @Test
    void anExplicitOwnerIsTheSameEverywhere() {
        locks.acquire(REQUEST.owner("job"));
        locks.acquire(REQUEST);
        assertThat(History.read(directory))
                .extracting(Event::owner)
                .startsWith("job", "job")
                .last()
                .isEqualTo("a/" + Thread.currentThread().getName() + "#"
                        + Thread.currentThread().getId());
    }
}
