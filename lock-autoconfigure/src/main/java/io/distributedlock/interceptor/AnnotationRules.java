/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.WhenBusy;
import java.time.Duration;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Attributes that contradict each other.
 *
 * @param isLeftOut whether an attribute has its default, by its name and text: also if its placeholders are empty
 */
record AnnotationRules(LockAttributes attributes, LockedMethod where, BiPredicate<String, String> isLeftOut) {

    void check() {
        if (attributes.mode() == LockMode.SHARED && has("minHold", attributes.minHold())) {
            throw where.refuse(
                    "minHold",
                    attributes.minHold(),
                    "it is not supported with mode = SHARED, whose holds share one lease in Redis",
                    "Leave out minHold or mode = SHARED.",
                    null);
        }
        if (has("key", attributes.key()) && has("keyGenerator", attributes.keyGenerator())) {
            throw where.refuse(
                    "keyGenerator",
                    attributes.keyGenerator(),
                    "there is a key as well, and only one of them can make the lock name",
                    "Leave out key or keyGenerator.",
                    null);
        }
        if (attributes.whenBusy() == WhenBusy.SKIP && has("fallback", attributes.fallback())) {
            throw where.refuse(
                    "fallback",
                    attributes.fallback(),
                    "a call that is skipped has no fallback",
                    "Leave out fallback or whenBusy = SKIP.",
                    null);
        }
        if (!attributes.renew() && has("maxHold", attributes.maxHold())) {
            throw where.refuse(
                    "maxHold",
                    attributes.maxHold(),
                    "a hold with renew = false ends with its lease",
                    "Leave out maxHold or renew = false.",
                    null);
        }
    }

    private boolean has(String attribute, String text) {
        return !text.isEmpty() && !isLeftOut.test(attribute, text);
    }

    /** @param maxHoldByDefault the limit without {@code maxHold}, or null for none */
    static void checkHolds(
            @Nullable Duration lease,
            @Nullable Duration minHold,
            @Nullable Duration maxHold,
            @Nullable Duration maxHoldByDefault,
            LockAttributes attributes,
            LockedMethod where) {
        if (minHold == null) {
            return;
        }
        if (minHold.compareTo(LockRequest.MAX_LEASE) > 0) {
            throw where.refuse("minHold", attributes.minHold(), "it must be at most 365 days", "Shorten it.", null);
        }
        if (!attributes.renew() && lease != null && minHold.compareTo(lease) > 0) {
            throw where.refuse(
                    "minHold",
                    attributes.minHold(),
                    "it is longer than lease = \"" + attributes.lease() + "\", which is not renewed",
                    "Shorten minHold, or lengthen lease.",
                    null);
        }
        if (maxHold == null && maxHoldByDefault != null && minHold.compareTo(maxHoldByDefault) > 0) {
            throw where.refuse(
                    "minHold",
                    attributes.minHold(),
                    "it is longer than the property distributed-lock.max-hold, at which the lock is lost",
                    "Shorten minHold, or give the method a longer maxHold.",
                    null);
        }
        if (maxHold != null && minHold.compareTo(maxHold) > 0) {
            throw where.refuse(
                    "minHold",
                    attributes.minHold(),
                    "it is longer than maxHold = \"" + attributes.maxHold() + "\", at which the lock is lost",
                    "Shorten minHold, or lengthen maxHold.",
                    null);
        }
    }
}
