/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The buttons at the servers. */
@RestController
@RequestMapping("/api/servers")
class RedisController {

    private final FailoverWatch failovers;

    RedisController(FailoverWatch failovers) {
        this.failovers = failovers;
    }

    @PostMapping("/{port}/failover")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void failOver(@PathVariable int port) {
        failovers.failOver(port);
    }

    @ExceptionHandler(IllegalStateException.class)
    ProblemDetail refused(IllegalStateException ex) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(ex.getMessage()));
    }
}
