package io.distributedlock.sample;

import io.distributedlock.LockAssert;
import io.distributedlock.annotation.DistributedLocked;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/** Runs a sale: announces it to all instances and waits until their customers are served. */
@Service
class Sales {

    /** Where a sale is announced; every instance listens, also the one that announces. */
    static final String CHANNEL = "shop:sales";

    private final StringRedisTemplate redis;

    private final Ledger ledger;

    private final PurchaseLog log;

    private final ShopProperties properties;

    Sales(StringRedisTemplate redis, Ledger ledger, PurchaseLog log, ShopProperties properties) {
        this.redis = redis;
        this.ledger = ledger;
        this.log = log;
        this.properties = properties;
    }

    /**
     * One sale at a time: a second one waits, on whichever instance it is started. If an instance dies in the middle of
     * it, the sale never ends by itself, but is ended by {@code maxHold}.
     */
    @DistributedLocked(key = "'sale'", maxHold = "30s")
    SaleReport run(Sale sale, Consumer<SaleReport> watcher) {
        ledger.open(sale.product(), properties.stock());
        log.clear(sale.product());
        announce(sale);
        SaleReport report = ledger.report(sale);
        while (!report.over()) {
            watcher.accept(report);
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            LockAssert.assertLocked();
            report = ledger.report(sale);
        }
        watcher.accept(report);
        return report;
    }

    private void announce(Sale sale) {
        Long instances = redis.convertAndSend(CHANNEL, sale.name());
        if (instances == null || instances == 0) {
            throw new IllegalStateException("No instance listens for sales yet; try again in a second");
        }
        ledger.expect(sale.product(), instances, instances * properties.customers());
    }
}
