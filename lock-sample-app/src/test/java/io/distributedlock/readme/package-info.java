/**
 * The examples of the README, compiled and run. Outside of the sample's package, so that the sample does not scan it.
 */
@NullMarked
package io.distributedlock.readme;

import org.jspecify.annotations.NullMarked;
