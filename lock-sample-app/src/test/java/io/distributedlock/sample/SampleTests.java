package io.distributedlock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.EmbeddedRedis;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.web.client.HttpServerErrorException;

@ExtendWith(OutputCaptureExtension.class)
class SampleTests {

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

            assertThat(report.instances()).isEqualTo(2);
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
    void saysThatTheSharedRedisEndedAndWorksAgainWithTheNextOne(CapturedOutput output) {
        RunningShop first = RunningShop.start("a");
        int port = first.redisPort();
        try (RunningShop second = first.startSecond("b")) {
            await().until(() -> second.state().redisUp());
            first.close();

            await().until(() -> !second.state().redisUp());
            assertThat(output).contains("Redis is gone: localhost:" + port);
            assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class)
                    .isThrownBy(() -> second.run(Sale.WITH_LOCK));

            try (EmbeddedRedis next = EmbeddedRedis.start(port)) {
                await().until(() -> second.state().redisUp());
                await().ignoreExceptions()
                        .untilAsserted(() ->
                                assertThat(second.run(Sale.WITH_LOCK).sold()).isEqualTo(100));
                assertThat(next.isAlive()).isTrue();
            }
        }
    }

    @Test
    void printsBothResultsAtTheStart(CapturedOutput output) {
        try (RunningShop shop = RunningShop.start("a", "shop.opening-sales=true")) {
            assertThat(output)
                    .containsPattern("sold \\d+ of 100 \\(customers: 250")
                    .contains("sold 100 of 100 (customers: 250, instances: 1)", "########", shop.url());
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
