package io.distributedlock.sample;

/**
 * One customer at the till, and the hold of the lock that it took, if any. The times are for display: they come from the
 * clock of the instance, in microseconds. Nothing is decided by them.
 *
 * @param thread the till
 * @param token the fencing token of the hold; 0 without a lock
 * @param sold false if nothing was left
 */
record Purchase(String instance, String thread, long from, long to, long token, boolean sold) {}
