/** Measurements, what they come to, the marks they are held against, and how they are written down. */
@NullMarked
package io.distributedlock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
