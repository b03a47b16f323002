/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.Objects;

/** What a {@link LockRequest} refuses: values outside their range, and options that contradict each other. */
final class RequestRules {

    private RequestRules() {}

    /** @throws IllegalArgumentException if two options of the request contradict each other */
    static void requireConsistency(LockRequest request) {
        Duration maxHold = request.maxHold();
        Duration minHold = request.minHold();
        boolean hasOwner = request.owner() != null;
        boolean shared = request.mode() == LockMode.SHARED;
        if (!request.renew() && maxHold != null) {
            throw refused(
                    request,
                    "maxHold " + maxHold
                            + " makes no sense with renew(false), whose lease is a hard end already."
                            + " Leave out one of them.");
        }
        if (minHold != null && maxHold != null && minHold.compareTo(maxHold) > 0) {
            throw refused(
                    request,
                    "minHold " + minHold + " is longer than maxHold " + maxHold
                            + ". Shorten minHold, or lengthen maxHold.");
        }
        Duration lease = request.lease();
        if (minHold != null && !request.renew() && lease != null && minHold.compareTo(lease) > 0) {
            throw refused(
                    request,
                    "minHold " + minHold + " is longer than lease " + lease
                            + ", which is not renewed. Shorten minHold, or lengthen lease.");
        }
        if (minHold != null && hasOwner) {
            throw refused(
                    request,
                    "minHold is not supported with an explicit owner,"
                            + " whose holds are released one by one from any instance. Leave out one of them.");
        }
        if (shared && hasOwner) {
            throw refused(request, "the mode SHARED is not supported with an explicit owner. Leave out one of them.");
        }
        if (shared && minHold != null) {
            throw refused(
                    request,
                    "minHold is not supported with the mode SHARED, whose holds share one lease in Redis. Leave"
                            + " out one of them.");
        }
    }

    private static IllegalArgumentException refused(LockRequest request, String why) {
        return new IllegalArgumentException("Lock '" + LockNames.show(request.name()) + "': " + why);
    }

    static String requireText(String what, String text) {
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException("The " + what + " must not be null or blank");
        }
        if (text.length() > LockRequest.MAX_NAME_LENGTH) {
            throw new IllegalArgumentException("The " + what + " must have at most " + LockRequest.MAX_NAME_LENGTH
                    + " characters, but has " + text.length());
        }
        return text;
    }

    static void requirePositive(String what, Duration duration) {
        Objects.requireNonNull(duration, what);
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(what + " must be positive, but is " + duration);
        }
    }

    static void requireMinHold(Duration minHold) {
        requirePositive("minHold", minHold);
        if (minHold.compareTo(LockRequest.MAX_LEASE) > 0) {
            throw new IllegalArgumentException("minHold must be at most 365 days, but is " + minHold);
        }
    }
}
