/** The endpoint and the health indicator of the locks for Spring Boot Actuator. */
@NullMarked
package io.distributedlock.actuate;

import org.jspecify.annotations.NullMarked;
