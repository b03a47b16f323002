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
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

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

    /** Spring applies {@code spring.data.redis.cluster.max-redirects} to each client of its configuration. */
    @ParameterizedTest
    @ValueSource(ints = {0, 50})
    void theRedirectionsOfTheApplicationDoNotApplyToLocks(int redirects) {
        RedisClusterConfiguration target = new RedisClusterConfiguration(List.of("127.0.0.1:1"));
        target.setMaxRedirects(redirects);
        LettuceConnectionFactory application = StandaloneServer.connectionFactory(target);
        try (LockClientFactory source =
                new LockClientFactory(application, Duration.ofSeconds(2), InstanceId.inCluster())) {
            ClusterClientOptions options =
                    (ClusterClientOptions) source.clusterClient().getOptions();
            assertThat(options.getMaxRedirects()).isEqualTo(RedirectionLimiter.MAX_REDIRECTIONS);
        } finally {
            application.destroy();
        }
    }
}
