package io.distributedlock.sample;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.springframework.boot.task.SimpleAsyncTaskExecutorBuilder;
import org.springframework.stereotype.Component;

/** This instance's part of a sale: its customers queue up, and its tills serve them side by side. */
@Component
class Tills {

    private final Shop shop;

    private final Ledger ledger;

    private final PurchaseLog log;

    private final ShopProperties properties;

    private final SimpleAsyncTaskExecutorBuilder threads;

    Tills(
            Shop shop,
            Ledger ledger,
            PurchaseLog log,
            ShopProperties properties,
            SimpleAsyncTaskExecutorBuilder threads) {
        this.shop = shop;
        this.ledger = ledger;
        this.log = log;
        this.properties = properties;
        this.threads = threads.threadNamePrefix("till-");
    }

    /** Returns when the last customer has left. */
    void serveAll(Sale sale) {
        AtomicInteger queue = new AtomicInteger(properties.customers());
        Executor tills = threads.build();
        CompletableFuture.allOf(IntStream.range(0, properties.tills())
                        .mapToObj(till -> CompletableFuture.runAsync(() -> serve(sale, queue), tills))
                        .toArray(CompletableFuture[]::new))
                .join();
        ledger.finished(sale.product());
    }

    private void serve(Sale sale, AtomicInteger queue) {
        while (queue.getAndDecrement() > 0) {
            browse();
            Purchase purchase = sell(sale);
            log.add(sale.product(), purchase);
            ledger.served(sale.product(), purchase.sold());
        }
    }

    private Purchase sell(Sale sale) {
        return switch (sale) {
            case WITHOUT_LOCK -> shop.sellWithoutLock(sale.product());
            case WITH_LOCK -> shop.sellWithLock(sale.product());
        };
    }

    private void browse() {
        long longest = properties.browsing().toNanos();
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longest + 1));
    }
}
