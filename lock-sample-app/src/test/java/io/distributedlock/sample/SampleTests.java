/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.ChildJvm;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class SampleTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void sellsTooManyWithoutTheLockAndExactlyTheStockWithIt() {
        try (RunningShop shop = RunningShop.start("a")) {
            assertThat(shop.run(Sale.WITHOUT_LOCK).sold()).isGreaterThan(100);
            assertThat(shop.run(Sale.WITH_LOCK).sold()).isEqualTo(100);
            assertOneAtATime(shop.purchases(Sale.WITH_LOCK));
        }
    }

    @Test
    void instancesSellOneStockTogether() {
        try (RunningShop first = RunningShop.start("a");
                RunningShop second = first.startSecond("b")) {
            SaleReport report = second.run(Sale.WITH_LOCK);

            assertThat(report.parts()).hasSize(2);
            assertThat(report.sold()).isEqualTo(100);
            List<Purchase> purchases = first.purchases(Sale.WITH_LOCK);
            assertThat(purchases).extracting(Purchase::instance).contains("a", "b");
            assertOneAtATime(purchases);
            assertThat(second.run(Sale.WITHOUT_LOCK).sold()).isGreaterThan(100);
        }
    }

    @Test
    void showsWhichInstanceHoldsTheLock() {
        try (RunningShop first = RunningShop.start("a");
                RunningShop second = first.startSecond("b")) {
            await().until(() -> second.state().redisUp());
            CompletableFuture<SaleReport> sale = CompletableFuture.supplyAsync(() -> second.run(Sale.WITH_LOCK));

            await().untilAsserted(() -> assertThat(first.state().holders())
                    .extracting(ShopController.Holder::lock, ShopController.Holder::instance)
                    .contains(tuple("sale", "b")));
            assertThat(sale.join().sold()).isEqualTo(100);
        }
    }

    @Test
    void anotherInstanceStartsTheSharedRedisAnewWhenThatEndedWithItsInstance(CapturedOutput output) {
        RunningShop first = RunningShop.start("a");
        int port = first.redisPort();
        try (RunningShop second = first.startSecond("b")) {
            await().until(() -> second.state().redisUp());
            first.close();

            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(output)
                            .contains(
                                    "Redis is gone: localhost:" + port, "This instance has started another, empty one")
                            .contains("Redis is back: localhost:" + port + " (it ends with this instance)"));
            await().atMost(LONG)
                    .ignoreExceptions()
                    .untilAsserted(
                            () -> assertThat(second.run(Sale.WITH_LOCK).sold()).isEqualTo(100));
            assertThat(output).doesNotContain("died");
        }
    }

    @Test
    void aSaleOutlivesTheDeathOfItsRedis(CapturedOutput output) {
        try (RunningShop shop = RunningShop.start("a", "shop.customers=150", "shop.selling=20ms")) {
            await().until(() -> shop.state().redisUp());
            CompletableFuture<SaleReport> sale = CompletableFuture.supplyAsync(() -> shop.run(Sale.WITH_LOCK));
            await().until(() -> shop.purchases(Sale.WITH_LOCK).size() > 5);

            shop.killRedis();

            assertThat(sale.join().sold()).isEqualTo(100);
            assertThat(output)
                    .contains(
                            "Redis is gone",
                            "This instance has started its Redis again, with all it had",
                            "Redis is back");
            assertOneAtATime(shop.purchases(Sale.WITH_LOCK).stream()
                    .filter(Purchase::sold)
                    .toList());
        }
    }

    @Test
    void reportsADeadInstanceAndItsLockAndContinuesTheSale(CapturedOutput output) {
        try (RunningShop shop = RunningShop.start("a", "shop.customers=150")) {
            try (ChildJvm other = ShopProcess.start("b", shop.redisPort(), "shop.selling=3s")) {
                await().atMost(LONG).until(() -> shop.names().contains("b"));
                CompletableFuture<SaleReport> sale = CompletableFuture.supplyAsync(() -> shop.run(Sale.WITH_LOCK));
                await().until(() -> shop.holders("stock:teapot").contains("b"));
                other.signal("KILL");

                SaleReport report = sale.join();

                assertThat(report.sold()).isEqualTo(100);
                assertThat(report.parts())
                        .extracting(SaleReport.Part::instance, SaleReport.Part::dead)
                        .containsExactly(tuple("a", false), tuple("b", true));
                assertThat(output)
                        .contains(
                                "Instance b died.",
                                "b held the lock stock:teapot. Nobody else gets it until its lease ends",
                                "The lease of b has ended");
            }
        }
    }

    @Test
    void printsBothResultsAtTheStartAndNoProgressIntoAPipe(CapturedOutput output) {
        try (RunningShop shop = RunningShop.start("a", "shop.opening-sales=true")) {
            assertThat(output)
                    .containsPattern("sold (\\d+) of 100: \\d+ too many \\(250 customers, 1 instance\\)")
                    .contains("sold 100 of 100: exact (250 customers, 1 instance)", shop.url())
                    .doesNotContain("\r", "####");
        }
    }

    private static void assertOneAtATime(List<Purchase> purchases) {
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
