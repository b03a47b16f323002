/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

/** The two sales to compare. Each has a product of its own, so that their numbers never mix. */
enum Sale {
    WITHOUT_LOCK("mug"),
    WITH_LOCK("teapot");

    private final String product;

    Sale(String product) {
        this.product = product;
    }

    String product() {
        return product;
    }
}
