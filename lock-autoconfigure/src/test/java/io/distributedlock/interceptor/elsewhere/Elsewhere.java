/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor.elsewhere;

import io.distributedlock.annotation.DistributedLocked;

/** A class whose subclasses in other packages cannot override its method. */
public class Elsewhere {

    @DistributedLocked
    void run() {}
}
