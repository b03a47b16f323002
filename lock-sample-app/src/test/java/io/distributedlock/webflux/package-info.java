/** The locks in a reactive application. Outside of the sample's package, so that the sample does not scan it. */
@NullMarked
package io.distributedlock.webflux;

import org.jspecify.annotations.NullMarked;
