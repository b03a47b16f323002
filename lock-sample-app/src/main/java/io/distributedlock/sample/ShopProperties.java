/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * How this instance of the shop works; the values are in {@code application.yml}.
 *
 * @param instance what this instance is called on the page
 * @param redis in which shape the instances start their own Redis
 * @param redisPort where the instances find their own Redis; the first of several servers; 0 starts one at any free
 *     port
 * @param openingSales whether both sales are run once at start
 * @param stock how many pieces a sale has
 * @param customers how many customers come to this instance in a sale
 * @param tills how many of them are served at the same time
 * @param browsing how long a customer looks around at most before buying
 * @param selling how long a sale takes between reading the stock and writing it
 */
@ConfigurationProperties("shop")
record ShopProperties(
        String instance,
        RedisShape redis,
        int redisPort,
        boolean openingSales,
        int stock,
        int customers,
        int tills,
        Duration browsing,
        Duration selling) {}
