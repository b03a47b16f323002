package io.distributedlock.sample;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.core.env.Environment;
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
        System.out.printf("%nA shop with two products. Redis: %s%n", redis.place());
        run(Sale.WITHOUT_LOCK, "without the lock");
        run(Sale.WITH_LOCK, "with @DistributedLocked");
        System.out.printf(
                "%nThe page is at http://localhost:%s. A second instance: start this again with --server.port=8081%n%n",
                environment.getProperty("local.server.port"));
    }

    private void run(Sale sale, String how) {
        System.out.printf("%nSelling %ss %s%n", sale.product(), how);
        ProgressBar bar = new ProgressBar(System.out);
        SaleReport report = sales.run(sale, bar::show);
        System.out.printf(
                "%n  sold %d of %d, to %d customers at %d instance(s)%n",
                report.sold(), report.stock(), report.customers(), report.instances());
    }
}
