/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockMode;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;

/**
 * The attributes of an annotation, each read once: every read of an annotation is a call of a proxy, which costs most
 * of the start while that code is still interpreted.
 *
 * @param key also if it was written as {@code value}
 * @param annotation for the log
 */
record LockAttributes(
        String key,
        String name,
        String lease,
        String waitUpTo,
        boolean renew,
        String maxHold,
        String minHold,
        String keyGenerator,
        LockMode mode,
        String condition,
        String fallback,
        String operations,
        WhenBusy whenBusy,
        WhenLost whenLost,
        boolean reentrant,
        DistributedLocked annotation) {

    /** The attributes of an annotation in which {@code value} and {@code key} are the same or one is left out. */
    static LockAttributes of(DistributedLocked annotation) {
        String key = annotation.key();
        return new LockAttributes(
                key.isEmpty() ? annotation.value() : key,
                annotation.name(),
                annotation.lease(),
                annotation.waitUpTo(),
                annotation.renew(),
                annotation.maxHold(),
                annotation.minHold(),
                annotation.keyGenerator(),
                annotation.mode(),
                annotation.condition(),
                annotation.fallback(),
                annotation.operations(),
                annotation.whenBusy(),
                annotation.whenLost(),
                annotation.reentrant(),
                annotation);
    }
}
