/** The lock template and its protocol in Redis: scripts, keys, messages, and connections of its own through Lettuce. */
@NullMarked
package io.distributedlock.redis;

import org.jspecify.annotations.NullMarked;
