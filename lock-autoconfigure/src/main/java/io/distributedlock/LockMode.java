/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

/** Who may hold a lock at the same time. */
public enum LockMode {

    /** One holder at a time. The default. */
    EXCLUSIVE,

    /** Many readers, or one {@link #EXCLUSIVE} holder. Not supported yet: a request for it is refused. */
    SHARED
}
