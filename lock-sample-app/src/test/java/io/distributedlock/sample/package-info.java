/** Tests of the sample and of what the README says. */
@NullMarked
package io.distributedlock.sample;

import org.jspecify.annotations.NullMarked;
