/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;

/**
 * The clock of Redis is behind the value that it must have reached by now: it was set back, or stood still with its
 * machine. Leases end later by as much, so a lock whose holder dies stays taken for longer; and a fencing token that is
 * taken from that clock may be lower than one of the same lock that neither Redis nor this instance has stored.
 * Configure the servers' clocks to be slewed, not stepped.
 *
 * @param lockName the lock whose token showed it; all locks are affected
 * @param by how far at least
 * @since 0.1.0
 */
public record ServerClockSetBackEvent(String lockName, Duration by) implements LockEvent {}
