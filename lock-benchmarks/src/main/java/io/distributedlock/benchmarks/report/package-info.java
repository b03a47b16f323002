/** The measurements, their statistics, the marks with which they are compared, and the reports. */
@NullMarked
package io.distributedlock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
