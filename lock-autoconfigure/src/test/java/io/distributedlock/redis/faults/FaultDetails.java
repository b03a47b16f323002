/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Model;

/**
 * What each {@link FaultRow} says of itself.
 *
 * @param what the fault in words
 * @param phases how often it is played in half of the profile for long tests; once in the ordinary build
 */
record FaultDetails<T extends FaultTarget>(String id, String what, Model model, int phases, Injection<T> injection) {}
