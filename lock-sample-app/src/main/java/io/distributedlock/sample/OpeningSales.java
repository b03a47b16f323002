/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.DistributedLockException;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.core.env.Environment;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/** Runs both sales once at start and prints how they went. */
@Component
@ConditionalOnBooleanProperty("shop.opening-sales")
class OpeningSales implements ApplicationRunner {

    private final Sales sales;

    private final RedisWatch redis;

    private final Terminal terminal;

    private final Environment environment;

    OpeningSales(Sales sales, RedisWatch redis, Terminal terminal, Environment environment) {
        this.sales = sales;
        this.redis = redis;
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public void run(ApplicationArguments arguments) {
        terminal.line("One shop, two sales. Redis: " + redis.place());
        try {
            run(Sale.WITHOUT_LOCK, "without the lock");
            run(Sale.WITH_LOCK, "with @DistributedLocked");
        } catch (DataAccessException | DistributedLockException | IllegalStateException ex) {
            terminal.line("  The sale broke off: " + ex.getMessage());
        }
        int port = environment.getRequiredProperty("local.server.port", Integer.class);
        terminal.line("The page: http://localhost:" + port);
        terminal.line("Another instance joins in: start it with --server.port=" + (port + 1));
    }

    private void run(Sale sale, String how) {
        terminal.line("Selling " + sale.product() + "s " + how);
        SaleReport report = sales.run(sale, terminal::progress);
        terminal.line("  " + report.summary());
    }
}
