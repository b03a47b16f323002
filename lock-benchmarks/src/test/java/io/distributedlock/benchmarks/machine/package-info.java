@NullMarked
package io.distributedlock.benchmarks.machine;

import org.jspecify.annotations.NullMarked;
