/** What the tests need around them: Redis as a child process, faulty networks, child JVMs, counters and leak checks. */
@NullMarked
package io.distributedlock.testing;

import org.jspecify.annotations.NullMarked;
