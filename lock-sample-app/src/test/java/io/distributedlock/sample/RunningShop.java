/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.testing.Noise;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.springframework.beans.factory.aot.BeanInstanceSupplier;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.web.client.RestClient;

/** An instance of the sample. By default, it has random ports and no opening sales. */
record RunningShop(ConfigurableApplicationContext context) implements AutoCloseable {

    static {
        Awaitility.setDefaultTimeout(Noise.patience());
    }

    static RunningShop start(String instance, String... arguments) {
        Map<String, String> byName = new LinkedHashMap<>(Map.of(
                "server.port", "0",
                "shop.redis-port", "0",
                "shop.opening-sales", "false",
                "shop.instance", instance));
        Stream.of(arguments).map(argument -> argument.split("=", 2)).forEach(pair -> byName.put(pair[0], pair[1]));
        String[] all = byName.entrySet().stream().map(entry -> "--" + entry).toArray(String[]::new);
        return new RunningShop(new SpringApplicationBuilder(SampleApplication.class)
                .main(SampleApplication.class)
                .run(all));
    }

    RunningShop startSecond(String instance, String... arguments) {
        return start(
                instance,
                Stream.concat(
                                Stream.of("shop.redis-port=" + redisPort(), "distributed-lock.wait=3s"),
                                Stream.of(arguments))
                        .toArray(String[]::new));
    }

    int redisPort() {
        return context.getBean(SharedRedis.class).port();
    }

    String url() {
        return "http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port");
    }

    RestClient client() {
        return RestClient.create(url());
    }

    SaleReport run(Sale sale) {
        return client().post().uri("/api/sales/{sale}", sale).retrieve().requiredBody(SaleReport.class);
    }

    /** Does the same as the button at a master. */
    void failOver(int port) {
        client().post().uri("/api/servers/{port}/failover", port).retrieve().toBodilessEntity();
    }

    /** The reported events, the newest first. */
    List<String> news() {
        return state().news().stream().map(News.Item::text).toList();
    }

    ShopController.State state() {
        return client().get().uri("/api/state").retrieve().requiredBody(ShopController.State.class);
    }

    /** The purchases in the order of their start. */
    List<Purchase> purchases(Sale sale) {
        Purchase[] purchases = client().get()
                .uri("/api/sales/{sale}/purchases", sale)
                .retrieve()
                .requiredBody(Purchase[].class);
        return Stream.of(purchases).sorted(Comparator.comparing(Purchase::from)).toList();
    }

    /** The names of the instances that this one sees alive. */
    List<String> names() {
        return state().instances().stream()
                .filter(ShopController.Shown::alive)
                .map(ShopController.Shown::name)
                .toList();
    }

    /** The names of the instances that hold a lock. */
    List<String> holders(String lock) {
        return state().holders().stream()
                .filter(holder -> holder.lock().equals(lock))
                .map(ShopController.Holder::instance)
                .toList();
    }

    /** All fields and values of a hash in Redis. */
    List<String> hash(String key) {
        return context.getBean(StringRedisTemplate.class).<String, String>opsForHash().entries(key).entrySet().stream()
                .flatMap(entry -> Stream.of(entry.getKey(), entry.getValue()))
                .toList();
    }

    /** Whether code that the build has generated creates the bean with the lock. */
    boolean generatedAheadOfTime() {
        return context.getBeanFactory().getBeanDefinition("shop") instanceof RootBeanDefinition shop
                && shop.getInstanceSupplier() instanceof BeanInstanceSupplier;
    }

    /** Kills Redis like {@code kill -9}. */
    void killRedis() {
        Properties server = context.getBean(StringRedisTemplate.class).execute((RedisCallback<Properties>)
                connection -> connection.serverCommands().info("server"));
        long pid = Long.parseLong(Objects.requireNonNull(server).getProperty("process_id"));
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    }

    @Override
    public void close() {
        context.close();
    }
}
