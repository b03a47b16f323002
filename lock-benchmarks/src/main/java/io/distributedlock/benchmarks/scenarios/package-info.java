/** What is done to the locks, in rounds, and how it becomes measurements. */
@NullMarked
package io.distributedlock.benchmarks.scenarios;

import org.jspecify.annotations.NullMarked;
