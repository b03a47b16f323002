/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of this instance of the shop; the values are in {@code application.yml}.
 *
 * @param instance the name of this instance on the page
 * @param redis in which shape the instances start their own Redis
 * @param redisPort the port of the Redis that the instances start, or the first of several ports; 0 selects a free port
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
