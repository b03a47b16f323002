/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import io.distributedlock.benchmarks.contenders.ContenderKind;

/** The order to use many names that begin with the prefix, divided among threads. */
public record NamesOrder(ContenderKind kind, int port, String prefix, int count, int threads) {}
