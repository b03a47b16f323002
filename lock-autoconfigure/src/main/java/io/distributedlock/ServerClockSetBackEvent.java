package io.distributedlock;

import java.time.Duration;

/**
 * Redis' clock was found to run behind where it has been. Leases end later than they should then, which is harmless, but a
 * fencing token that is taken from that clock may be lower than one of the same lock that neither Redis nor this instance
 * remembers. Keep the servers' clocks slewed, not stepped.
 *
 * @param lockName the lock whose token showed it; all locks are concerned
 * @param by how far at least
 */
public record ServerClockSetBackEvent(String lockName, Duration by) implements LockEvent {}
