/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
/** The log of the library, which never fails. Internal. */
@NullMarked
package io.distributedlock.logging;

import org.jspecify.annotations.NullMarked;
