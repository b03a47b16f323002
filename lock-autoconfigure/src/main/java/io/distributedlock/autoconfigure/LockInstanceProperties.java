package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What operators call this instance.
 *
 * @param instanceLabel What operators call this instance. The default is application@host:port/process id.
 */
@ConfigurationProperties("distributed-lock")
record LockInstanceProperties(@Nullable String instanceLabel) {}
