/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

class LockClientConfigurationTests {

    private final ClientResources resources = ClientResources.create();

    @AfterEach
    void shutDown() throws Exception {
        resources.shutdown().get();
    }

    /** Lettuce forgets a command that it does not replay. */
    @Test
    void aCommandThatIsNotReplayedEndsWithAnUnknownOutcome() {
        ClientOptions options = new LockClientConfiguration(
                        LettuceClientConfiguration.defaultConfiguration(),
                        resources,
                        Duration.ofMillis(300),
                        null,
                        false)
                .getClientOptions()
                .orElseThrow();
        AsyncCommand<String, String, String> command =
                new AsyncCommand<>(new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.UTF8)));
        assertThat(options.getReplayFilter().test(command)).isTrue();
        assertThat(command).isCompletedExceptionally();
        LeaseStoreException failure = LettuceFailures.translate(catchThrowable(command::join));
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(failure).hasMessageContaining("closed before the reply");
    }
}
