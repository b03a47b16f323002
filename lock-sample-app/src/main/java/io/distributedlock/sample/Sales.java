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

    /** Where a sale is announced; every instance listens, also the one that announces. */
    static final String CHANNEL = "shop:sales";

    /** How long a sale waits for an instance that has heard of it. */
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
     * One sale at a time: a second one waits, on whichever instance it is started. An instance that dies in the middle
     * of it no longer takes part. A short break of Redis only delays it, as long as this lock outlives the break.
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

    /** The same again while Redis does not answer. */
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
