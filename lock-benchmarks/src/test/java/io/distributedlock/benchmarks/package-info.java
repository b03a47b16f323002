@NullMarked
package io.distributedlock.benchmarks;

import org.jspecify.annotations.NullMarked;
