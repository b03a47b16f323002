/** The code of the JVMs that put load on a lock. */
@NullMarked
package io.distributedlock.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
