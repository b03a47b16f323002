@NullMarked
package io.distributedlock.benchmarks.contenders;

import org.jspecify.annotations.NullMarked;
