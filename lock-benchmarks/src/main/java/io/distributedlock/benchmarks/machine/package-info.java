/** Redis and its counters, the delayed network, the worker JVMs, and the computer that they share. */
@NullMarked
package io.distributedlock.benchmarks.machine;

import org.jspecify.annotations.NullMarked;
