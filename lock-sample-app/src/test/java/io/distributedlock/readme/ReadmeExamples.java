package io.distributedlock.readme;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import java.math.BigDecimal;
import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/** The examples of the README, line by line: {@link ReadmeTests} compares them and runs them. */
final class ReadmeExamples {

    private ReadmeExamples() {}

    record Order(String id, BigDecimal amount) {}

    record Receipt(String orderId) {}

    interface Bank {

        Receipt charge(Order order);
    }

    interface Import {

        void run(long fencingToken);

        void stop();
    }

    @Service
    static class Payments {

        private final Bank bank;

        Payments(Bank bank) {
            this.bank = bank;
        }

        @DistributedLocked(name = "order", key = "#order.id", waitUpTo = "2s")
        public Receipt pay(Order order) {
            return bank.charge(order);
        }
    }

    @Service
    static class Imports {

        private final LockOperations locks;

        Imports(LockOperations locks) {
            this.locks = locks;
        }

        void run(Import job) {
            LockRequest request = LockRequest.of("import").waitUpTo(Duration.ofSeconds(2));
            try (LockHandle lock = locks.acquire(request)) {
                lock.onLost(job::stop);
                job.run(lock.fencingToken());
            }
        }
    }

    @Service
    static class Accounts {

        private final JdbcClient jdbc;

        Accounts(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLocked(name = "account", key = "#id")
        public void book(long id, BigDecimal amount) {
            long token = LockHandle.current().orElseThrow().fencingToken();
            String sql = "update account set balance = balance + ?, token = ? where id = ? and token <= ?";
            if (jdbc.sql(sql).params(amount, token, id, token).update() == 0) {
                throw new IllegalStateException("Somebody has booked since: this call was too late");
            }
        }
    }
}
