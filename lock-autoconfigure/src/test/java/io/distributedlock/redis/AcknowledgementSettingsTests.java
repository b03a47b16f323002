/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The constructor of a template checks the number of replicas and their time as the properties do. */
class AcknowledgementSettingsTests {

    private static RedisLockTemplate template(int acknowledge, Duration timeout) {
        return new RedisLockTemplate(
                new LettuceConnectionFactory(),
                Templates.PREFIX,
                Templates.SETTINGS,
                event -> {},
                true,
                () -> null,
                acknowledge,
                timeout);
    }

    @Test
    void aNegativeNumberOfReplicasIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> template(-1, Duration.ofSeconds(1)))
                .withMessageContaining("-1");
    }

    @ParameterizedTest
    @CsvSource({"PT0S", "PT0.0005S", "PT-1S", "PT1.901S", "PT11S"})
    void aTimeOutsideItsRangeIsRefused(Duration timeout) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> template(1, timeout))
                .withMessageContaining("acknowledgeTimeout");
    }

    @ParameterizedTest
    @CsvSource({"1, PT0.001S", "2, PT1.9S", "0, PT0S"})
    void allOthersAreAccepted(int replicas, Duration timeout) {
        assertThatCode(() -> template(replicas, timeout)).doesNotThrowAnyException();
    }
}
