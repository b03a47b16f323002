/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockUnavailableException;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The requests of the page. */
@RestController
@RequestMapping("/api")
class ShopController {

    private final Sales sales;

    private final Ledger ledger;

    private final PurchaseLog log;

    private final LockOperations locks;

    private final DeathWatch deaths;

    private final Tills tills;

    private final News news;

    private final RedisWatch redis;

    private final FailoverWatch failovers;

    private final ShopProperties properties;

    ShopController(
            Sales sales,
            Ledger ledger,
            PurchaseLog log,
            LockOperations locks,
            DeathWatch deaths,
            Tills tills,
            News news,
            RedisWatch redis,
            FailoverWatch failovers,
            ShopProperties properties) {
        this.sales = sales;
        this.ledger = ledger;
        this.log = log;
        this.locks = locks;
        this.deaths = deaths;
        this.tills = tills;
        this.news = news;
        this.redis = redis;
        this.failovers = failovers;
        this.properties = properties;
    }

    /**
     * The current holder of a lock.
     *
     * @param dead whether that instance died, so that only the end of the lease frees the lock
     */
    record Holder(String lock, String instance, boolean dead, long token, long remainingMillis, int waitingInstances) {}

    /** An instance as the page shows it. */
    record Shown(String name, boolean alive) {}

    /**
     * The state of the shop, without the purchases.
     *
     * @param busy how many tills of this instance wait for the lock or sell at this moment
     * @param servers the servers of the shop's own Redis if there are several
     */
    record State(
            String instance,
            String redis,
            boolean redisUp,
            int busy,
            List<Shown> instances,
            List<Holder> holders,
            List<SaleReport> sales,
            List<News.Item> news,
            List<RedisServer> servers) {}

    @GetMapping("/state")
    State state() {
        try {
            return redis.up() ? state(true, holders(), reports()) : state(false, List.of(), List.of());
        } catch (DataAccessException | LockUnavailableException ex) {
            return state(false, List.of(), List.of());
        }
    }

    private State state(boolean redisUp, List<Holder> holders, List<SaleReport> reports) {
        List<Shown> instances = deaths.seen().stream()
                .map(instance -> new Shown(instance.name(), !deaths.isDead(instance.id())))
                .toList();
        return new State(
                properties.instance(),
                redis.place(),
                redisUp,
                tills.busy(),
                instances,
                holders,
                reports,
                news.latest(),
                failovers.seen());
    }

    private List<SaleReport> reports() {
        return Stream.of(Sale.values()).map(ledger::report).toList();
    }

    @GetMapping("/sales/{sale}/purchases")
    List<Purchase> purchases(@PathVariable Sale sale) {
        return log.all(sale.product());
    }

    @PostMapping("/sales/{sale}")
    SaleReport run(@PathVariable Sale sale) {
        return sales.run(sale, report -> {});
    }

    @ExceptionHandler(LockNotAcquiredException.class)
    ProblemDetail busy() {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "Another sale is running.");
    }

    @ExceptionHandler({DistributedLockException.class, DataAccessException.class, IllegalStateException.class})
    ProblemDetail brokeOff(RuntimeException ex) {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "The sale broke off: " + ex.getMessage());
    }

    private List<Holder> holders() {
        return DeathWatch.LOCKS.stream()
                .flatMap(name -> locks.inspect(name).stream())
                .map(lock -> new Holder(
                        lock.name(),
                        deaths.nameOf(lock.owner()),
                        deaths.isDeadOwner(lock.owner()),
                        lock.fencingToken(),
                        lock.remainingLease().toMillis(),
                        lock.waitingInstances()))
                .toList();
    }
}
