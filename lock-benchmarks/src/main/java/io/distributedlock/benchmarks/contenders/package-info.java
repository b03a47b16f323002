/** The contenders: every lock behind the same two calls. */
@NullMarked
package io.distributedlock.benchmarks.contenders;

import org.jspecify.annotations.NullMarked;
