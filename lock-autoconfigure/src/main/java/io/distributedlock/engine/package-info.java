/**
 * The layer inside this JVM: callers queue here, and only one of them at a time represents the instance in Redis. It
 * does not depend on Redis or Spring; its only port is {@link io.distributedlock.engine.LeaseStore}.
 */
@NullMarked
package io.distributedlock.engine;

import org.jspecify.annotations.NullMarked;
