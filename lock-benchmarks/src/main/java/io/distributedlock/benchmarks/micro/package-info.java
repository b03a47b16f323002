/** The pieces that never leave the JVM, measured by JMH. */
@NullMarked
package io.distributedlock.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
