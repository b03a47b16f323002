/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StrictDurationParserTests {

    @ParameterizedTest
    @CsvSource({
        "30s, PT30S", "500ms, PT0.5S", "2m, PT2M", "1h, PT1H", "1d, PT24H", "7us, PT0.000007S", "9ns, PT0.000000009S",
        "PT30S, PT30S", "pt1.5s, PT1.5S", "P1D, PT24H", "' 3S ', PT3S", "0, PT0S", "0s, PT0S", "-1, PT-1S",
        "-1s, PT-1S", "-PT5S, PT-5S", "+2s, PT2S"
    })
    void readsADuration(String text, Duration duration) {
        assertThat(StrictDurationParser.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"30parsecs", "30 seconds", "s", "PT", "ten", "1.5s", "30sec", "99999999999999999999s"})
    void refusesWhatIsNone(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> StrictDurationParser.parse(text));
    }

    @Test
    void refusesANumberWithoutUnitInsteadOfGuessingOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StrictDurationParser.parse("30"))
                .withMessage("has no unit");
    }

    @Test
    void namesTheUnitItDoesNotKnow() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StrictDurationParser.parse("30parsecs"))
                .withMessage("has the unknown unit \"parsecs\"");
    }

    @Test
    void refusesMoreThanADurationHolds() {
        assertThatIllegalArgumentException().isThrownBy(() -> StrictDurationParser.parse(Long.MAX_VALUE + "d"));
    }
}
