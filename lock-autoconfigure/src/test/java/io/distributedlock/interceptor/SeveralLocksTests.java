/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class SeveralLocksTests {

    private final IOException failure = new IOException("for the test");

    private final RecordingLocks locks = new RecordingLocks() {
        @Override
        public LockHandle acquire(LockRequest request) {
            if (request.name().equals("b")) {
                throw SeveralLocksTests.<RuntimeException>unchecked(failure);
            }
            return super.acquire(request);
        }
    };

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(Throwable failure) throws T {
        throw (T) failure;
    }

    /** As code in Kotlin may throw it. */
    @Test
    void aCheckedExceptionOfOneLockReleasesTheOthers() {
        Work work = LockedProxies.by(locks).byClass(new Work());

        assertThat(catchThrowable(work::run)).hasRootCause(failure);
        assertThat(locks.requests()).extracting(LockRequest::name).isEqualTo(List.of("a"));
        assertThat(locks.events()).containsExactly("acquire", "close");
    }

    static class Work {

        @DistributedLocked("'a'")
        @DistributedLocked("'b'")
        void run() {
            throw new AssertionError("called without the lock");
        }
    }
}
