/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What the reply to ROLE says about a server. */
class MasterCheckTests {

    @Test
    void aMasterAndAServerThatDoesNotTellItsRoleMayBeUsed() {
        RuntimeException refused = new RedisCommandExecutionException("NOPERM no permissions to run 'role'");

        assertThatCode(() -> MasterCheck.decide(List.of("master"), null)).doesNotThrowAnyException();
        assertThatCode(() -> MasterCheck.decide(null, refused)).doesNotThrowAnyException();
        assertThatCode(() -> MasterCheck.decide(null, new CompletionException(refused)))
                .doesNotThrowAnyException();
    }

    @Test
    void aReplicaMayNotBeUsed() {
        assertThatExceptionOfType(MasterUnknownException.class)
                .isThrownBy(() -> MasterCheck.decide(List.of("slave"), null));
    }

    @Test
    void anyOtherFailureSaysNothingAboutTheRole() {
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> MasterCheck.decide(null, new CompletionException("no cause", null)));
    }
}
