/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;

/** Attributes that contradict each other. */
final class AnnotationRules {

    private AnnotationRules() {}

    static void check(DistributedLocked annotation, LockedMethod where) {
        if (annotation.mode() == LockMode.SHARED && !annotation.minHold().isEmpty()) {
            throw where.refuse(
                    "minHold",
                    annotation.minHold(),
                    "it is not supported with mode = SHARED, whose holds share one lease in Redis",
                    "Leave out minHold or mode = SHARED.",
                    null);
        }
        if (!annotation.key().isEmpty() && !annotation.keyGenerator().isEmpty()) {
            throw where.refuse(
                    "keyGenerator",
                    annotation.keyGenerator(),
                    "there is a key as well, and only one of them can make the lock name",
                    "Leave out key or keyGenerator.",
                    null);
        }
        if (!annotation.fallback().isEmpty() && KotlinDetector.isSuspendingFunction(where.method())) {
            throw where.refuse(
                    "fallback",
                    annotation.fallback(),
                    "a suspending function has none",
                    "Catch LockNotAcquiredException where it is called.",
                    null);
        }
        if (annotation.whenBusy() == WhenBusy.SKIP && !annotation.fallback().isEmpty()) {
            throw where.refuse(
                    "fallback",
                    annotation.fallback(),
                    "a call that is skipped has no fallback",
                    "Leave out fallback or whenBusy = SKIP.",
                    null);
        }
        if (!annotation.maxHold().isEmpty() && !annotation.renew()) {
            throw where.refuse(
                    "maxHold",
                    annotation.maxHold(),
                    "a hold with renew = false ends with its lease",
                    "Leave out maxHold or renew = false.",
                    null);
        }
    }

    static void checkHolds(
            @Nullable Duration minHold, @Nullable Duration maxHold, DistributedLocked annotation, LockedMethod where) {
        if (minHold == null) {
            return;
        }
        if (maxHold != null && minHold.compareTo(maxHold) > 0) {
            throw where.refuse(
                    "minHold",
                    annotation.minHold(),
                    "it is longer than maxHold = \"" + annotation.maxHold() + "\", at which the lock is lost",
                    "Shorten minHold, or lengthen maxHold.",
                    null);
        }
        if (minHold.compareTo(LockRequest.MAX_LEASE) > 0) {
            throw where.refuse("minHold", annotation.minHold(), "it must be at most 365 days", "Shorten it.", null);
        }
    }
}
