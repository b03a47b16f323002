/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.Background;
import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Instances and their Redis that end during a sale. */
@Tag(TestLength.FULL)
@ExtendWith(OutputCaptureExtension.class)
class InterruptedSaleTests {

    private static final Duration LONG = Duration.ofSeconds(60);

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
            CompletableFuture<SaleReport> sale = Background.supply(() -> shop.run(Sale.WITH_LOCK));
            await().until(() -> shop.purchases(Sale.WITH_LOCK).size() > 5);

            shop.killRedis();

            assertThat(sale.join().sold()).isEqualTo(100);
            assertThat(output)
                    .contains(
                            "Redis is gone",
                            "This instance has started its Redis again, with all it had",
                            "Redis is back");
            SampleTests.assertOneAtATime(shop.purchases(Sale.WITH_LOCK).stream()
                    .filter(Purchase::sold)
                    .toList());
        }
    }

    @Test
    void reportsADeadInstanceAndItsLockAndContinuesTheSale(CapturedOutput output) {
        try (RunningShop shop = RunningShop.start("a", "shop.customers=150")) {
            try (ChildJvm other = ShopProcess.start("b", shop.redisPort(), "shop.selling=3s")) {
                await().atMost(LONG).until(() -> shop.names().contains("b"));
                CompletableFuture<SaleReport> sale = Background.supply(() -> shop.run(Sale.WITH_LOCK));
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
                                "b held the lock stock:teapot. No other instance gets it until its lease ends",
                                "The lease of b has ended");
            }
        }
    }
}
