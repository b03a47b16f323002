/** Locks around transactions, and transactions around locks. */
@NullMarked
package io.distributedlock.transaction;

import org.jspecify.annotations.NullMarked;
