/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.ReleaseResult;
import io.distributedlock.testing.RespClient;
import org.junit.jupiter.api.Test;

/** An entry is as it was before its release, as in a replica that was promoted without the latest writes. */
class RestoredEntryTests extends AbstractFaultTests {

    private static final String KEY = "lock:{restored}";

    private static final String COPY = "copy";

    private static final LockRequest OF_ANYONE = leased("restored", 20_000);

    private static final LockRequest OF_THE_OWNER = OF_ANYONE.owner("job");

    /** Redis cannot tell it from a re-entry, which has the token of its hold. */
    @Test
    void itsExplicitOwnerContinuesTheHoldAndIsRefusedByTheResource() {
        RedisLockTemplate one = patient();
        RedisLockTemplate two = patient();
        LockHandle released = one.acquire(OF_THE_OWNER);
        call("COPY", KEY, COPY);
        released.close();
        LockHandle forgotten = two.acquire(OF_ANYONE);
        try (RespClient store = redis.connect()) {
            assertThat(FencedStore.write(store, "store", forgotten.fencingToken()))
                    .isTrue();
            forgotten.close();
            call("COPY", COPY, KEY, "REPLACE");

            LockHandle continued = one.acquire(OF_THE_OWNER);

            assertThat(continued.fencingToken()).isEqualTo(released.fencingToken());
            assertThat(FencedStore.write(store, "store", continued.fencingToken()))
                    .isFalse();
            continued.close();
        }
        assertThat(one.release("restored", "job"))
                .as("the hold that was restored")
                .isEqualTo(ReleaseResult.RELEASED);
        LockHandle next = one.acquire(OF_THE_OWNER);
        assertThat(next.fencingToken()).isGreaterThan(forgotten.fencingToken());
        next.close();
    }

    /** The lease that was restored ends by itself, since its holder has ended. */
    @Test
    void anyOtherCallerGetsAHigherTokenAfterIt() {
        RedisLockTemplate one = patient();
        RedisLockTemplate two = patient();
        LockHandle released = one.acquire(leased("restored", 500));
        call("COPY", KEY, COPY);
        closeInTime(released);
        two.acquire(OF_ANYONE).close();
        two.acquire(OF_ANYONE).close();
        LockHandle forgotten = two.acquire(OF_ANYONE);
        forgotten.close();
        call("COPY", COPY, KEY, "REPLACE");

        LockHandle next = one.acquire(OF_ANYONE);

        assertThat(next.fencingToken()).isGreaterThan(forgotten.fencingToken());
        next.close();
    }
}
