/**
 * From the annotation to the call. An annotation is parsed and checked once, into a
 * {@link io.distributedlock.interceptor.LockOperation}; the {@link io.distributedlock.interceptor.LockOperationSource}
 * keeps it for each method and target class. The advisor selects methods with it, the interceptor passes calls to the
 * support class, and that runs them with the {@link io.distributedlock.interceptor.ReturnTypeAdapter} of their return
 * type.
 */
@NullMarked
package io.distributedlock.interceptor;

import org.jspecify.annotations.NullMarked;
