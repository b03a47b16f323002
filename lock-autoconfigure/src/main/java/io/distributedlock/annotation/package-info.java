/** The annotation for methods that run under a lock, and its enums. */
@NullMarked
package io.distributedlock.annotation;

import org.jspecify.annotations.NullMarked;
