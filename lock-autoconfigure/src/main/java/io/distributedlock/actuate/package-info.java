/** What operators see and do through Spring Boot Actuator. */
@NullMarked
package io.distributedlock.actuate;

import org.jspecify.annotations.NullMarked;
