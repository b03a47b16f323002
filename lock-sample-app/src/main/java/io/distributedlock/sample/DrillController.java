/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The buttons of the operators' view. */
@RestController
@RequestMapping("/api/drills")
class DrillController {

    private final Drills drills;

    DrillController(Drills drills) {
        this.drills = drills;
    }

    @PostMapping("/hang")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void hang() {
        drills.hang();
    }

    @PostMapping("/deadlock")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void deadlock() {
        drills.deadlock();
    }
}
