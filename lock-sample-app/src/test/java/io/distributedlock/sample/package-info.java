/** Tests of the sample. */
@NullMarked
package io.distributedlock.sample;

import org.jspecify.annotations.NullMarked;
