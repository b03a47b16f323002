/** Locks in the context of a reactive subscription. Needs Reactor. */
@NullMarked
package io.distributedlock.reactive;

import org.jspecify.annotations.NullMarked;
