/** The sample application: a small shop. */
@NullMarked
package io.distributedlock.sample;

import org.jspecify.annotations.NullMarked;
