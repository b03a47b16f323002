/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.readme;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLocked;
import java.math.BigDecimal;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

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
                throw new IllegalStateException("Another call has booked since: this call was too late");
            }
        }
    }

    @RestControllerAdvice
    static class LockProblems {

        @ExceptionHandler
        ResponseEntity<ProblemDetail> busy(LockNotAcquiredException ex) {
            return problem(HttpStatus.CONFLICT, "Another caller is working on this. Try again in a moment.");
        }

        @ExceptionHandler
        ResponseEntity<ProblemDetail> unavailable(LockUnavailableException ex) {
            return problem(HttpStatus.SERVICE_UNAVAILABLE, "This cannot be done right now. Try again later.");
        }

        private static ResponseEntity<ProblemDetail> problem(HttpStatus status, String detail) {
            return ResponseEntity.status(status)
                    .header(HttpHeaders.RETRY_AFTER, "1")
                    .body(ProblemDetail.forStatusAndDetail(status, detail));
        }
    }
}
