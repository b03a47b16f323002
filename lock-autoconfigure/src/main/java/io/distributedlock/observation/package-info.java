/** Metrics, observations and warnings for operators. */
@NullMarked
package io.distributedlock.observation;

import org.jspecify.annotations.NullMarked;
