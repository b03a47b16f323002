/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.Background;
import io.distributedlock.testing.TestLength;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class SampleTests {

    @Tag(TestLength.FULL)
    @Test
    void instancesSellOneStockTogetherAndShowWhichOfThemHoldsTheLock() {
        try (RunningShop first = RunningShop.start("a");
                RunningShop second = first.startSecond("b")) {
            await().until(() -> second.state().redisUp());
            CompletableFuture<SaleReport> sale = Background.supply(() -> second.run(Sale.WITH_LOCK));
            await().untilAsserted(() -> assertThat(first.state().holders())
                    .extracting(ShopController.Holder::lock, ShopController.Holder::instance)
                    .contains(tuple("sale", "b")));
            SaleReport report = sale.join();

            assertThat(report.parts()).hasSize(2);
            assertThat(report.sold()).isEqualTo(100);
            List<Purchase> purchases = first.purchases(Sale.WITH_LOCK);
            assertThat(purchases).extracting(Purchase::instance).contains("a", "b");
            assertOneAtATime(purchases);
            assertThat(second.run(Sale.WITHOUT_LOCK).sold()).isGreaterThan(100);
        }
    }

    @Test
    void sellsExactlyTheStockOnlyWithTheLockAndPrintsNoProgressIntoAPipe(CapturedOutput output) {
        // On a machine that pauses, a till repeats a sale whose reply or release comes too late, and sells another
        // piece.
        String patient = "spring.data.redis.timeout=30s";
        String release = "distributed-lock.release=async";
        try (RunningShop shop = RunningShop.start("a", "shop.opening-sales=true", patient, release)) {
            assertThat(output)
                    .containsPattern("sold (\\d+) of 100: \\d+ too many \\(250 customers, 1 instance\\)")
                    .contains("sold 100 of 100: exact (250 customers, 1 instance)", shop.url())
                    .doesNotContain("\r", "####");
            List<Purchase> purchases = shop.purchases(Sale.WITH_LOCK);
            assertThat(purchases).hasSize(250).filteredOn(Purchase::sold).hasSize(100);
            assertOneAtATime(purchases);
        }
    }

    static void assertOneAtATime(List<Purchase> purchases) {
        assertThat(purchases)
                .allSatisfy(purchase -> assertThat(purchase.token()).isPositive());
        for (int next = 1; next < purchases.size(); next++) {
            Purchase before = purchases.get(next - 1);
            assertThat(before.to()).isLessThanOrEqualTo(purchases.get(next).from());
            assertThat(before.token()).isLessThan(purchases.get(next).token());
        }
        assertThat(new HashSet<>(purchases)).hasSameSizeAs(purchases);
    }
}
