/**
 * The layer inside this JVM: callers queue here, and only one of them at a time stands for the instance in Redis. It
 * knows nothing of Redis or Spring; what it needs from them is the port {@link io.distributedlock.engine.LeaseStore}.
 */
@NullMarked
package io.distributedlock.engine;

import org.jspecify.annotations.NullMarked;
