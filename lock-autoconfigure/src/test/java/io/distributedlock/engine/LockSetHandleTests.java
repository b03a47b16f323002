/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.distributedlock.LockLostException;
import io.distributedlock.LockUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The release of several locks, of which some fail. */
class LockSetHandleTests {

    private final List<String> steps = new ArrayList<>();

    private final DefaultLockHandle a = part("a");

    private final DefaultLockHandle b = part("b");

    private final DefaultLockHandle c = part("c");

    private final LockSetHandle set = new LockSetHandle(List.of(a, b, c));

    private DefaultLockHandle part(String name) {
        DefaultLockHandle part = mock(DefaultLockHandle.class);
        when(part.fencingTokens()).thenReturn(Map.of(name, 1L));
        when(part.beginClose()).then(call -> {
            steps.add("send " + name);
            return (Runnable) () -> steps.add("wait " + name);
        });
        return part;
    }

    @Test
    void sendsAllBeforeItWaits() {
        assertThatNoException().isThrownBy(set::close);
        assertThat(steps).containsExactly("send c", "send b", "send a", "wait c", "wait b", "wait a");
    }

    @Test
    void aReleaseThatCannotBeSentDoesNotKeepTheOthers() {
        StackOverflowError error = new StackOverflowError();
        doThrow(error).when(c).beginClose();
        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(set::close)
                .isSameAs(error);
        assertThat(steps).containsExactly("send b", "send a", "wait b", "wait a");
    }

    @Test
    void aWaitThatFailsDoesNotEndTheOthers() {
        StackOverflowError error = new StackOverflowError();
        doReturn((Runnable) () -> {
                    throw error;
                })
                .when(c)
                .beginClose();
        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(set::close)
                .isSameAs(error);
        assertThat(steps).containsExactly("send b", "send a", "wait b", "wait a");
    }

    @Test
    void aLossIsReportedInPreferenceToAnUnconfirmedRelease() {
        LockUnavailableException unavailable = new LockUnavailableException("c", "unavailable", null);
        LockLostException lost = new LockLostException("a", "lost", Duration.ZERO);
        doThrow(unavailable).when(c).beginClose();
        doThrow(lost).when(a).beginClose();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(set::close)
                .isSameAs(lost)
                .satisfies(thrown -> assertThat(thrown.getSuppressed()).containsExactly(unavailable));
        assertThat(steps).containsExactly("send b", "wait b");
    }

    @Test
    void aRollBackThatFailsDoesNotKeepTheOthers() {
        doThrow(new StackOverflowError()).when(c).beginRollBack();
        doReturn((Runnable) () -> steps.add("wait b")).when(b).beginRollBack();
        List<Throwable> failures = LockSetHandle.release(List.of(a, b, c), DefaultLockHandle::beginRollBack);
        assertThat(failures).singleElement().isInstanceOf(StackOverflowError.class);
        assertThat(steps).containsExactly("wait b");
    }
}
