/** Auto-configures locks in a Spring Boot application with the starter alone, and reports missing requirements. */
@NullMarked
package io.distributedlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
