/** The scenarios, their rounds, and the calculation of the measurements. */
@NullMarked
package io.distributedlock.benchmarks.scenarios;

import org.jspecify.annotations.NullMarked;
