/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.RedisException;

/** It is unknown which server is the master. */
final class MasterUnknownException extends RedisException {

    private static final long serialVersionUID = 1L;

    MasterUnknownException(String message) {
        super(message);
    }
}
