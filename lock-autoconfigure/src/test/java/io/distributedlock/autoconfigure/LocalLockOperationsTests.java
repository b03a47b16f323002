/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is invalid with locks is invalid without them: a test without Redis must find it. */
class LocalLockOperationsTests {

    private final LocalLockOperations locks = new LocalLockOperations(Duration.ofSeconds(30), true);

    @Test
    void anInvalidNameIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> locks.inspect(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> locks.forceRelease(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> locks.release(" ", "owner"));
        assertThatIllegalArgumentException().isThrownBy(() -> locks.release("order:1", " "));
    }

    @Test
    void anInvalidLeaseIsRefused() {
        try (LockHandle handle = locks.acquire(LockRequest.of("order:1"))) {
            assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(Duration.ZERO));
        }
    }

    @Test
    void theTokenOfSeveralLocksIsTheHighest() {
        try (LockHandle handle = locks.acquire(LockRequest.ofAll(List.of("a", "b", "c")))) {
            assertThat(handle.fencingTokens()).hasSize(3);
            assertThat(handle.fencingToken())
                    .isEqualTo(Collections.max(handle.fencingTokens().values()));
        }
    }
}
