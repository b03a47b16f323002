/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Several locks that are acquired and released as one: the names of a request in the engine, the annotations of a
 * method in the interceptor. Internal.
 */
@NullMarked
package io.distributedlock.composite;

import org.jspecify.annotations.NullMarked;
