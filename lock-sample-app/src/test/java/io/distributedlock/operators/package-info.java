/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
/** The endpoint of several JVMs. Outside of the sample's package, so that the sample does not scan it. */
@NullMarked
package io.distributedlock.operators;

import org.jspecify.annotations.NullMarked;
