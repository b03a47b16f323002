/**
 * Distributed locks: what an application calls. {@link io.distributedlock.LockOperations} is the entry point for code,
 * {@link io.distributedlock.annotation.DistributedLocked} the one for annotated methods.
 */
@NullMarked
package io.distributedlock;

import org.jspecify.annotations.NullMarked;
