/** Makes a Spring Boot application lock by nothing but the starter, and says what is missing if it cannot. */
@NullMarked
package io.distributedlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
