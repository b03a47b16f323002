/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.DistributedLockException;
import io.distributedlock.sample.SaleReport.Part;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.springframework.boot.task.SimpleAsyncTaskExecutorBuilder;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/** This instance's part of a sale: its customers queue up, and its tills serve them side by side. */
@Component
class Tills {

    private static final long PATIENCE = Duration.ofSeconds(30).toNanos();

    private static final long PAUSE = Duration.ofMillis(200).toNanos();

    private final Shop shop;

    private final Ledger ledger;

    private final PurchaseLog log;

    private final ShopProperties properties;

    private final Instances instances;

    private final SimpleAsyncTaskExecutorBuilder threads;

    private final AtomicLong sales = new AtomicLong();

    private final AtomicInteger busy = new AtomicInteger();

    /** One sale at this instance: its number here, the customers that are still to come, and those that have left. */
    private record Work(Sale sale, long number, AtomicInteger queue, AtomicInteger served) {}

    Tills(
            Shop shop,
            Ledger ledger,
            PurchaseLog log,
            ShopProperties properties,
            Instances instances,
            SimpleAsyncTaskExecutorBuilder threads) {
        this.shop = shop;
        this.ledger = ledger;
        this.log = log;
        this.properties = properties;
        this.instances = instances;
        this.threads = threads.threadNamePrefix("till-");
    }

    /** How many tills wait for the lock or sell at this moment. */
    int busy() {
        return busy.get();
    }

    /** Returns when the last customer has left, or when the next sale begins. */
    void serveAll(Sale sale) {
        String product = sale.product();
        int customers = properties.customers();
        Work work = new Work(sale, sales.incrementAndGet(), new AtomicInteger(customers), new AtomicInteger());
        ledger.joined(product, new Part(instances.ownId(), properties.instance(), customers, 0, false, false));
        Executor tills = threads.build();
        CompletableFuture.allOf(IntStream.range(0, properties.tills())
                        .mapToObj(till -> CompletableFuture.runAsync(() -> serve(work), tills))
                        .toArray(CompletableFuture[]::new))
                .join();
        patiently(work, () -> {
            ledger.finished(product, instances.ownId());
            return work;
        });
    }

    private void serve(Work work) {
        String product = work.sale().product();
        while (isCurrent(work) && work.queue().getAndDecrement() > 0) {
            browse();
            Purchase purchase = patiently(work, () -> sell(work.sale()));
            int served = work.served().incrementAndGet();
            patiently(work, () -> {
                log.add(product, purchase);
                ledger.served(product, instances.ownId(), served);
                return purchase;
            });
        }
    }

    /** Repeats a step while there is no Redis or the lease of a dead instance lasts, but only for a limited time. */
    private <T> T patiently(Work work, Supplier<T> step) {
        long begin = System.nanoTime();
        while (true) {
            try {
                return step.get();
            } catch (DistributedLockException | DataAccessException ex) {
                if (!isCurrent(work) || System.nanoTime() - begin > PATIENCE) {
                    throw ex;
                }
                LockSupport.parkNanos(PAUSE);
            }
        }
    }

    private boolean isCurrent(Work work) {
        return work.number() == sales.get();
    }

    private Purchase sell(Sale sale) {
        long came = Shop.micros();
        busy.incrementAndGet();
        try {
            return switch (sale) {
                case WITHOUT_LOCK -> shop.sellWithoutLock(sale.product(), came);
                case WITH_LOCK -> shop.sellWithLock(sale.product(), came);
            };
        } finally {
            busy.decrementAndGet();
        }
    }

    private void browse() {
        long longest = properties.browsing().toNanos();
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longest + 1));
    }
}
