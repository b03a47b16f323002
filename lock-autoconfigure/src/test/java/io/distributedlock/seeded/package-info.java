/** Whether the tests notice bugs: they are run against copies of the code that have one. */
@NullMarked
package io.distributedlock.seeded;

import org.jspecify.annotations.NullMarked;
