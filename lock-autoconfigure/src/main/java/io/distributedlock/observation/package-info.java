/** What operators see of the locks. */
@NullMarked
package io.distributedlock.observation;

import org.jspecify.annotations.NullMarked;
