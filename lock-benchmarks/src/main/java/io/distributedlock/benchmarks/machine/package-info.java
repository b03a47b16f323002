/** Redis and what it counts, the delayed network, worker JVMs, and the computer they share. */
@NullMarked
package io.distributedlock.benchmarks.machine;

import org.jspecify.annotations.NullMarked;
