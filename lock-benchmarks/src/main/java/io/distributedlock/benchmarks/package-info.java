/** The lock and its alternatives, side by side in one run. */
@NullMarked
package io.distributedlock.benchmarks;

import org.jspecify.annotations.NullMarked;
