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

    private final Environment environment;

    OpeningSales(Sales sales, RedisWatch redis, Environment environment) {
        this.sales = sales;
        this.redis = redis;
        this.environment = environment;
    }

    @Override
    public void run(ApplicationArguments arguments) {
        System.out.printf("%nOne shop, two sales. Redis: %s%n", redis.place());
        try {
            run(Sale.WITHOUT_LOCK, "without the lock");
            run(Sale.WITH_LOCK, "with @DistributedLocked");
        } catch (DataAccessException | DistributedLockException | IllegalStateException ex) {
            System.out.printf("%n  The sale broke off: %s%n", ex.getMessage());
        }
        int port = environment.getRequiredProperty("local.server.port", Integer.class);
        System.out.printf("%nThe page: http://localhost:%d%n", port);
        System.out.printf("Another instance joins in: start it with --server.port=%d%n%n", port + 1);
    }

    private void run(Sale sale, String how) {
        System.out.printf("%nSelling %ss %s%n", sale.product(), how);
        SaleReport report = sales.run(sale, new ProgressBar(System.out)::show);
        System.out.printf(
                "%n  sold %d of %d (customers: %d, instances: %d)%n",
                report.sold(), report.stock(), report.customers(), report.instances());
    }
}
