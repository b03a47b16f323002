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

    Purchase sellWithoutLock(String product) {
        return sell(product, 0);
    }

    /** One customer at a time for each product, at whatever instance. */
    @DistributedLocked(name = "stock", key = "#product", lease = "5s")
    Purchase sellWithLock(String product) {
        return sell(product, LockHandle.current().orElseThrow().fencingToken());
    }

    /** Reads, thinks and writes: right only as long as nobody else writes in between. */
    private Purchase sell(String product, long token) {
        long from = micros();
        int left = ledger.left(product);
        if (left > 0) {
            LockSupport.parkNanos(properties.selling().toNanos());
            ledger.setLeft(product, left - 1);
        }
        String till = Thread.currentThread().getName();
        return new Purchase(properties.instance(), till, from, micros(), token, left > 0);
    }

    private static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
