/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.engine.LeaseStoreException.Effect;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.cluster.models.partitions.Partitions;
import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    private static Effect effectOfError(String error) {
        return effect(new RedisCommandExecutionException(error));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOPERM User locks has no permissions to run the 'evalsha' command",
                "NOPERM No permissions to access a key",
                "NOAUTH Authentication required.",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "ERR unknown command 'EVALSHA'"
            })
    void aCommandThatRedisHasRefusedWasNotExecuted(String error) {
        assertThat(effectOfError(error)).isEqualTo(Effect.REFUSED);
    }

    /** Also in a script: it is what Redis says to its first write. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "READONLY You can't write against a read only replica. script: 12ab, on @user_script:33.",
                "NOREPLICAS Not enough good replicas to write. script: 12ab, on @user_script:33.",
                "MOVED 1 127.0.0.1:6379"
            })
    void aCommandThatRedisRefusesForNowWasNotExecuted(String error) {
        assertThat(effectOfError(error)).isEqualTo(Effect.NOT_EXECUTED);
    }

    /** The commands of the script before that one were executed. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOPERM User locks has no permissions to run the 'hdel' command script: 12ab, on @user_script:59.",
                "ERR Error running script (call to f_12ab): @user_script:59: @user_script: 59: -NOPERM no",
                "ERR user_script:59: attempt to index a nil value script: 12ab, on @user_script:59.",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "ERR something new"
            })
    void aScriptThatHasFailedMayHaveBeenExecutedInPart(String error) {
        assertThat(effectOfError(error)).isEqualTo(Effect.PARTIAL);
    }
}
