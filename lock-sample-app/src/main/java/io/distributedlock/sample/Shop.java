/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLocked;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.stereotype.Service;

/** Sells one piece to one customer: the same code without and with the lock. */
@Service
class Shop {

    private final Ledger ledger;

    private final ShopProperties properties;

    Shop(Ledger ledger, ShopProperties properties) {
        this.ledger = ledger;
        this.properties = properties;
    }

    Purchase sellWithoutLock(String product, long came) {
        return sell(product, came, 0);
    }

    /**
     * Serves one customer at a time for each product, at any instance. The fencing token rejects a till that is too
     * late.
     */
    @DistributedLocked(name = "stock", key = "#product", lease = "5s")
    Purchase sellWithLock(String product, long came) {
        return sell(product, came, LockHandle.current().orElseThrow().fencingToken());
    }

    /** Reads, waits and writes. The result is right only if no other till writes in between. */
    private Purchase sell(String product, long came, long token) {
        long from = micros();
        boolean sold = false;
        int left = ledger.left(product, token);
        if (left > 0) {
            LockSupport.parkNanos(properties.selling().toNanos());
            sold = ledger.sell(product, left - 1, token);
        }
        String till = Thread.currentThread().getName();
        return new Purchase(properties.instance(), till, came, from, micros(), token, sold);
    }

    /** The time of day, only for display. */
    static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
