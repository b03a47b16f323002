/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.TestLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The profile {@code full} builds the sample ahead of time ({@code process-aot}), and this test runs the result. */
@Tag(TestLength.FULL)
class AheadOfTimeSampleTests {

    @Test
    void sellsExactlyTheStockWithTheLock() {
        try (ChildJvm shop = ShopProcess.startAheadOfTime("a")) {
            assertThat(shop.ask("till", "generated")).isEqualTo("true");
            assertThat(shop.ask("till", "sale", Sale.WITHOUT_LOCK))
                    .satisfies(sold -> assertThat(Integer.parseInt(sold)).isGreaterThan(100));
            assertThat(shop.ask("till", "sale", Sale.WITH_LOCK)).isEqualTo("100");
        }
    }
}
