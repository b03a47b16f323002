/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.DistributedLockException;
import java.util.Locale;
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

    private final FailoverWatch failovers;

    private final Terminal terminal;

    private final ShopProperties properties;

    private final Environment environment;

    OpeningSales(
            Sales sales,
            RedisWatch redis,
            FailoverWatch failovers,
            Terminal terminal,
            ShopProperties properties,
            Environment environment) {
        this.sales = sales;
        this.redis = redis;
        this.failovers = failovers;
        this.terminal = terminal;
        this.properties = properties;
        this.environment = environment;
    }

    @Override
    public void run(ApplicationArguments arguments) {
        terminal.line("One shop, two sales. Redis: " + redis.place());
        failovers.seen().forEach(server -> terminal.line("  " + server));
        try {
            run(Sale.WITHOUT_LOCK, "without the lock");
            run(Sale.WITH_LOCK, "with @DistributedLocked");
        } catch (DataAccessException | DistributedLockException | IllegalStateException ex) {
            terminal.line("  The sale broke off: " + ex.getMessage());
        }
        int port = environment.getRequiredProperty("local.server.port", Integer.class);
        terminal.line("The page: http://localhost:" + port);
        RedisShape shape = properties.redis();
        String sameShape = shape == RedisShape.SINGLE
                ? ""
                : " --shop.redis=" + shape.name().toLowerCase(Locale.ROOT);
        terminal.line("Another instance joins in: start it with --server.port=" + (port + 1) + sameShape);
    }

    private void run(Sale sale, String how) {
        terminal.line("Selling " + sale.product() + "s " + how);
        SaleReport report = sales.run(sale, terminal::progress);
        terminal.line("  " + report.summary());
    }
}
