@NullMarked
package io.distributedlock.testing;

import org.jspecify.annotations.NullMarked;
