/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import java.util.List;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The last purchases of each product at all instances, for the timeline. */
@Component
class PurchaseLog {

    private static final int KEPT = 10_000;

    private final StringRedisTemplate redis;

    private final JsonMapper json;

    PurchaseLog(StringRedisTemplate redis, JsonMapper json) {
        this.redis = redis;
        this.json = json;
    }

    void add(String product, Purchase purchase) {
        redis.opsForList().rightPush(key(product), json.writeValueAsString(purchase));
        redis.opsForList().trim(key(product), -KEPT, -1);
        redis.expire(key(product), Ledger.KEPT);
    }

    void clear(String product) {
        redis.delete(key(product));
    }

    List<Purchase> all(String product) {
        return redis.opsForList().range(key(product), 0, -1).stream()
                .distinct() // a till that receives no reply to its write writes again
                .map(text -> json.readValue(text, Purchase.class))
                .toList();
    }

    static String key(String product) {
        return "shop:purchases:" + product;
    }
}
