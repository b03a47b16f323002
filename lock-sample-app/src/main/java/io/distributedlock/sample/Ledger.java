/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.sample.SaleReport.Part;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/** The numbers of each product, in Redis where all instances see them: the stock and the progress of the sale. */
@Component
class Ledger {

    /** How long the numbers of a shop stay in Redis if all its instances are killed. */
    static final Duration KEPT = Duration.ofHours(1);

    static final List<String> KEYS = Stream.of(Sale.values())
            .map(Sale::product)
            .flatMap(product -> Stream.of(key(product), PurchaseLog.key(product)))
            .toList();

    private static final RedisScript<Long> LOOK = RedisScript.of(new ClassPathResource("look.lua"), Long.class);

    private static final RedisScript<Long> SELL = RedisScript.of(new ClassPathResource("sell.lua"), Long.class);

    private final StringRedisTemplate redis;

    private final HashOperations<String, String, String> numbers;

    private final DeathWatch deaths;

    Ledger(StringRedisTemplate redis, DeathWatch deaths) {
        this.redis = redis;
        this.numbers = redis.opsForHash();
        this.deaths = deaths;
    }

    void open(String product, int stock) {
        redis.delete(key(product));
        put(product, Map.of("stock", "" + stock, "left", "" + stock));
    }

    /**
     * Returns the number of pieces that are left.
     *
     * @param token the fencing token of the lock, 0 without one; from now on, older tokens are rejected
     */
    int left(String product, long token) {
        Long left = redis.execute(LOOK, List.of(key(product)), "" + token);
        return left == null ? 0 : Math.toIntExact(left);
    }

    /**
     * Writes the number of pieces left after a sale, and counts the sale.
     *
     * @param token the fencing token of the lock, 0 without one
     * @return false if a holder with a newer token has written already; then nothing is changed
     */
    boolean sell(String product, int left, long token) {
        Long written = redis.execute(SELL, List.of(key(product)), "" + left, "" + token);
        return written != null && written == 1;
    }

    void joined(String product, Part part) {
        put(product, Map.of("customers:" + part.id(), "" + part.customers(), "instance:" + part.id(), part.instance()));
    }

    void served(String product, String instance, int customers) {
        put(product, Map.of("served:" + instance, "" + customers));
    }

    void finished(String product, String instance) {
        put(product, Map.of("finished:" + instance, "1"));
    }

    SaleReport report(Sale sale) {
        Map<String, String> of = numbers.entries(key(sale.product()));
        List<Part> parts = of.keySet().stream()
                .filter(field -> field.startsWith("instance:"))
                .map(field -> part(of, field.substring("instance:".length())))
                .sorted(Comparator.comparing(Part::instance))
                .toList();
        boolean over = !parts.isEmpty() && parts.stream().allMatch(part -> part.finished() || part.dead());
        return new SaleReport(sale, number(of.get("stock")), number(of.get("sold")), parts, over);
    }

    private Part part(Map<String, String> of, String id) {
        return new Part(
                id,
                of.getOrDefault("instance:" + id, id),
                number(of.get("customers:" + id)),
                number(of.get("served:" + id)),
                of.containsKey("finished:" + id),
                deaths.isDead(id));
    }

    private void put(String product, Map<String, String> fields) {
        numbers.putAll(key(product), fields);
        redis.expire(key(product), KEPT);
    }

    private static String key(String product) {
        return "shop:product:" + product;
    }

    private static int number(@Nullable String text) {
        return text == null ? 0 : Integer.parseInt(text);
    }
}
