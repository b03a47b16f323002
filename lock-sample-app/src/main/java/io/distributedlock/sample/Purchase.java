/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

/**
 * One customer at the till, and the hold of the lock that it took, if any. The times are for display: they come from
 * the clock of the instance, in microseconds. Nothing is decided by them.
 *
 * @param thread the till
 * @param came when the customer came to the till, and the till began to wait for the lock
 * @param from when the till read the stock
 * @param to when it had written the stock
 * @param token the fencing token of the hold; 0 without a lock
 * @param sold false if nothing was left
 */
record Purchase(String instance, String thread, long came, long from, long to, long token, boolean sold) {}
