/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.LockAssert;
import io.distributedlock.annotation.DistributedLocked;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/** Runs a sale: announces it to all instances and waits until their customers are served. */
@Service
class Sales {

    /** The channel for announcements of sales. Every instance listens to it, also the announcing instance. */
    static final String CHANNEL = "shop:sales";

    /** How long a sale waits for an instance that listens to the announcements. */
    private static final Duration JOINING = Duration.ofSeconds(10);

    private final StringRedisTemplate redis;

    private final Listeners listeners;

    private final Ledger ledger;

    private final PurchaseLog log;

    private final ShopProperties properties;

    Sales(StringRedisTemplate redis, Listeners listeners, Ledger ledger, PurchaseLog log, ShopProperties properties) {
        this.redis = redis;
        this.listeners = listeners;
        this.ledger = ledger;
        this.log = log;
        this.properties = properties;
    }

    /**
     * Runs one sale at a time: a second sale waits, at any instance. An instance that dies during the sale no longer
     * takes part. A short outage of Redis only delays the sale, as long as this lock outlives the outage.
     */
    @DistributedLocked(key = "'sale'", maxHold = "60s")
    SaleReport run(Sale sale, Consumer<SaleReport> watcher) {
        ledger.open(sale.product(), properties.stock());
        log.clear(sale.product());
        int instances = announce(sale);
        long joinBy = System.nanoTime() + JOINING.toNanos();
        SaleReport report = ledger.report(sale);
        while (!report.over() || (report.parts().size() < instances && System.nanoTime() - joinBy < 0)) {
            watcher.accept(report);
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            LockAssert.assertLocked();
            report = next(report);
        }
        watcher.accept(report);
        return report;
    }

    /** Returns the next report, or the previous one while Redis does not reply. */
    private SaleReport next(SaleReport before) {
        SaleReport report;
        try {
            report = ledger.report(before.sale());
        } catch (DataAccessException ex) {
            return before;
        }
        if (report.stock() == 0) {
            throw new IllegalStateException("Redis has lost the numbers of this sale. Start it once more.");
        }
        return report;
    }

    private int announce(Sale sale) {
        int instances = listeners.of(CHANNEL);
        if (instances == 0) {
            throw new IllegalStateException("No instance listens for sales yet; try again in a second");
        }
        redis.convertAndSend(CHANNEL, sale.name());
        return instances;
    }
}
