/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distributedlock.sample.RedisServer.Role;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The sample with several Redis servers of its own. */
@Tag(TestLength.FULL)
class RedisShapeTests {

    private static final Duration LONG = Duration.ofSeconds(90);

    private static final int SERVERS = 6;

    @ParameterizedTest
    @EnumSource(
            value = RedisShape.class,
            names = {"CLUSTER", "SENTINEL"})
    void aSaleOutlivesAFailoverAndLosesNothing(RedisShape shape) {
        List<ProcessHandle> processes;
        try (RunningShop first = start("a", shape);
                RunningShop second = first.startSecond("b", "shop.redis=" + shape)) {
            processes = processes(first);
            await().atMost(LONG).until(() -> second.state().redisUp());
            CompletableFuture<SaleReport> sale = Background.supply(() -> second.run(Sale.WITH_LOCK));
            await().atMost(LONG).until(() -> second.purchases(Sale.WITH_LOCK).size() > 5);
            Map<String, Integer> before = masters(first);

            before.values().forEach(first::failOver);

            Set<Purchase> seen = new HashSet<>();
            await().atMost(LONG).ignoreExceptions().until(() -> {
                seen.addAll(second.purchases(Sale.WITH_LOCK));
                return sale.isDone();
            });
            SaleReport report = sale.join();
            assertThat(report.sold()).isEqualTo(100);
            assertThat(report.parts()).extracting(SaleReport.Part::instance).containsExactly("a", "b");
            Map<String, Integer> after = masters(first);
            assertThat(after).containsOnlyKeys(before.keySet());
            assertThat(after.values()).doesNotContainAnyElementsOf(before.values());
            before.forEach((part, old) -> assertThat(first.news())
                    .anyMatch(text -> text.matches(Pattern.quote("%s is the master with %s now, instead of %s"
                                    .formatted(RedisServer.address(after.get(part)), part, RedisServer.address(old)))
                            + ", after \\d+\\.\\d\\d s\\.")));
            assertThat(second.purchases(Sale.WITH_LOCK)).containsAll(seen);
            assertOneAtATime(second.purchases(Sale.WITH_LOCK));
            assertThat(second.run(Sale.WITHOUT_LOCK).sold()).isGreaterThan(100);
        }
        assertEnded(processes);
    }

    @Test
    void aMasterThatIsKilledIsReplacedDuringTheSaleAndStartedAgain() {
        List<ProcessHandle> processes;
        try (RunningShop shop = start("a", RedisShape.CLUSTER)) {
            await().atMost(LONG).until(() -> shop.state().redisUp());
            CompletableFuture<SaleReport> sale = Background.supply(() -> shop.run(Sale.WITH_LOCK));
            await().atMost(LONG).until(() -> shop.purchases(Sale.WITH_LOCK).size() > 5);
            int killed = masters(shop).values().iterator().next();
            process(killed).destroyForcibly();

            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(shop.news())
                            .anyMatch(text -> text.contains("instead of " + RedisServer.address(killed)))
                            .anyMatch(text ->
                                    text.contains(RedisServer.address(killed) + " had died and was started again")));
            assertThat(sale.join().sold()).isEqualTo(100);
            await().atMost(LONG)
                    .until(
                            () -> shop.state().servers(),
                            servers -> servers.stream().allMatch(RedisServer::isUp));
            assertThat(masters(shop)).hasSize(3).doesNotContainValue(killed);
            processes = processes(shop);
        }
        assertEnded(processes);
    }

    @Test
    void noServerOutlivesAnInstanceThatIsKilled() {
        int port = RedisGroup.freePorts();
        List<ProcessHandle> processes;
        try (ChildJvm shop = ShopProcess.start("a", port, "shop.redis=sentinel")) {
            processes = new SentinelShape(port)
                    .ports().stream().map(RedisShapeTests::process).toList();
            shop.signal("KILL");
        }
        assertEnded(processes);
    }

    @Test
    void anInstanceOfAnotherShapeIsRefusedAtThePortsOfACluster() {
        try (RunningShop shop = start("a", RedisShape.CLUSTER)) {
            assertThatThrownBy(() -> SharedRedis.of(RedisShape.SINGLE, shop.redisPort()))
                    .hasMessageContaining("--shop.redis=cluster");
            assertThatThrownBy(() -> SharedRedis.of(RedisShape.SENTINEL, shop.redisPort()))
                    .hasMessageContaining("another shape (cluster)");
        }
    }

    private static RunningShop start(String instance, RedisShape shape) {
        // Slower than by default, so that the failovers come in the middle of the sale.
        return RunningShop.start(instance, "shop.redis=" + shape, "shop.selling=40ms", "shop.customers=150");
    }

    private static Map<String, Integer> masters(RunningShop shop) {
        return shop.state().servers().stream()
                .filter(RedisServer::isMaster)
                .collect(Collectors.toMap(RedisServer::part, RedisServer::port, (a, b) -> a, TreeMap::new));
    }

    private static List<ProcessHandle> processes(RunningShop shop) {
        List<RedisServer> servers = shop.state().servers();
        assertThat(servers).hasSize(SERVERS).extracting(RedisServer::role).contains(Role.MASTER, Role.REPLICA);
        return servers.stream().map(server -> process(server.port())).toList();
    }

    private static ProcessHandle process(int port) {
        String pid = Probe.request(port, client -> client.text("INFO", "server")).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith("process_id:"))
                .findFirst()
                .orElseThrow()
                .substring("process_id:".length());
        return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }

    private static void assertEnded(List<ProcessHandle> processes) {
        assertThat(processes).hasSize(SERVERS);
        await().atMost(LONG).untilAsserted(() -> assertThat(processes).noneMatch(ProcessHandle::isAlive));
    }

    private static void assertOneAtATime(List<Purchase> all) {
        List<Purchase> sold = all.stream().filter(Purchase::sold).toList();
        for (int next = 1; next < sold.size(); next++) {
            assertThat(sold.get(next - 1).to())
                    .isLessThanOrEqualTo(sold.get(next).from());
            assertThat(sold.get(next - 1).token()).isLessThan(sold.get(next).token());
        }
    }
}
