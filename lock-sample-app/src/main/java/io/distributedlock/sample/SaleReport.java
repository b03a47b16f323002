/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import java.util.List;

/**
 * The progress of a sale.
 *
 * @param stock how many pieces there were
 * @param sold how many customers paid for one
 * @param parts the progress of each instance that takes part
 * @param over whether each of them has served all its customers, or died
 */
record SaleReport(Sale sale, int stock, int sold, List<Part> parts, boolean over) {

    /**
     * The part of one instance in a sale.
     *
     * @param id the id of the instance in Redis
     * @param instance the name of the instance on the page
     * @param customers how many customers came to it
     * @param served how many of them have left, with a piece or without
     * @param finished whether all of them have left
     * @param dead whether the instance died before that
     */
    record Part(String id, String instance, int customers, int served, boolean finished, boolean dead) {}

    int customers() {
        return parts.stream().mapToInt(Part::customers).sum();
    }

    int served() {
        return parts.stream().mapToInt(Part::served).sum();
    }

    /** A summary in one line, for the terminal. */
    String summary() {
        String verdict =
                sold > stock ? (sold - stock) + " too many" : sold == stock ? "exact" : (stock - sold) + " left";
        String who = parts.size() == 1 ? "1 instance" : parts.size() + " instances";
        return "sold %d of %d: %s (%d customers, %s)".formatted(sold, stock, verdict, customers(), who);
    }
}
