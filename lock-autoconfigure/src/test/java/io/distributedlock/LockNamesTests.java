/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Names are what users type, so they must not forge lines of a log. */
class LockNamesTests {

    @Test
    void aPlainNameIsShownAsItIs() {
        assertThat(LockNames.show("order:42 \u00fc \ud83d\ude00 \\n")).isEqualTo("order:42 \u00fc \ud83d\ude00 \\n");
    }

    @Test
    void controlCharactersAreEscaped() {
        assertThat(LockNames.show("a\r\nWARN b\u0000\u001b[31m\u2028\u202e\ud800c"))
                .isEqualTo("a\\u000D\\u000AWARN b\\u0000\\u001B[31m\\u2028\\u202E\\uD800c");
    }

    @Test
    void aLongNameIsCut() {
        String name = "x".repeat(65_000);

        assertThat(LockNames.show(name)).isEqualTo("x".repeat(200) + "... (65000 characters)");
        assertThat(LockNames.show("\n".repeat(300)))
                .endsWith("\\u000A... (300 characters)")
                .hasSizeLessThan(1_300);
    }

    @Test
    void noExceptionHasTheNameAsItIsInItsMessage() {
        for (String name : new String[] {"a\nb", "x".repeat(1_000)}) {
            DistributedLockException failure =
                    new LockNotAcquiredException(name, "Lock '" + name + "' is held by another caller", Duration.ZERO);

            assertThat(failure).hasMessage("Lock '" + LockNames.show(name) + "' is held by another caller");
            assertThat(failure.lockName()).isEqualTo(name);
        }
    }

    @Test
    void theTextsOfARequestHaveNoLineBreaks() {
        LockRequest request = LockRequest.of("a\nb").owner("c\nd");

        assertThat(request.toString()).doesNotContain("\n");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> request.renew(false).maxHold(Duration.ofSeconds(1)))
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("\n"));
    }
}
