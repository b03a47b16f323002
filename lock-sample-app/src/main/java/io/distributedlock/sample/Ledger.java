package io.distributedlock.sample;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/** The numbers of each product, in Redis where all instances see them: what is left, and how the sale goes. */
@Component
class Ledger {

    private final StringRedisTemplate redis;

    private final HashOperations<String, String, String> numbers;

    Ledger(StringRedisTemplate redis) {
        this.redis = redis;
        this.numbers = redis.opsForHash();
    }

    void open(String product, int stock) {
        redis.delete(key(product));
        numbers.putAll(key(product), Map.of("stock", "" + stock, "left", "" + stock));
    }

    void expect(String product, long instances, long customers) {
        numbers.putAll(key(product), Map.of("instances", "" + instances, "customers", "" + customers));
    }

    int left(String product) {
        return number(numbers.get(key(product), "left"));
    }

    void setLeft(String product, int left) {
        numbers.put(key(product), "left", "" + left);
    }

    void served(String product, boolean sold) {
        numbers.increment(key(product), "sold", sold ? 1 : 0);
        numbers.increment(key(product), "served", 1);
    }

    void finished(String product) {
        numbers.increment(key(product), "finished", 1);
    }

    SaleReport report(Sale sale) {
        Map<String, String> of = numbers.entries(key(sale.product()));
        return new SaleReport(
                sale,
                number(of.get("stock")),
                number(of.get("sold")),
                number(of.get("served")),
                number(of.get("customers")),
                number(of.get("instances")),
                number(of.get("finished")));
    }

    private static String key(String product) {
        return "shop:product:" + product;
    }

    private static int number(@Nullable String text) {
        return text == null ? 0 : Integer.parseInt(text);
    }
}
