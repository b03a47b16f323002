/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.engine.LeaseStoreException.Effect;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.cluster.models.partitions.Partitions;
import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What is known about a command that has failed. */
class LettuceFailuresTests {

    private static Effect effect(Throwable failure) {
        return LettuceFailures.translate(failure).effect();
    }

    /** Lettuce opens the connection to a server of a cluster when the first command for it is sent. */
    @Test
    void aCommandWhoseConnectionCouldNotBeOpenedWasNotExecuted() {
        Throwable failure = RedisConnectionException.create("127.0.0.1:6379", new ConnectException("refused"));

        assertThat(effect(failure)).isEqualTo(Effect.NOT_EXECUTED);
        assertThat(effect(new CompletionException(failure))).isEqualTo(Effect.NOT_EXECUTED);
    }

    @Test
    void aCommandForASlotWithoutAMasterWasNotExecuted() {
        assertThat(effect(new PartitionSelectorException("no partition for slot 1", new Partitions())))
                .isEqualTo(Effect.NOT_EXECUTED);
    }

    @Test
    void theOutcomeOfACommandWhoseConnectionHasBrokenIsUnknown() {
        assertThat(effect(new RedisException("Connection disconnected"))).isEqualTo(Effect.UNKNOWN);
        assertThat(effect(new RedisConnectionException("DENIED by the protected mode")))
                .isEqualTo(Effect.UNKNOWN);
        assertThat(effect(new IOException("Connection reset by peer"))).isEqualTo(Effect.UNKNOWN);
    }
}
