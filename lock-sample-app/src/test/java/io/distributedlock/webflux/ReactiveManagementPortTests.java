/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** A reactive application whose endpoints have a port, a context and a base path of their own. Redis is away. */
class ReactiveManagementPortTests {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private static int status(ConfigurableApplicationContext application, String port, String path) throws IOException {
        String number = application.getEnvironment().getRequiredProperty(port);
        URI uri = URI.create("http://localhost:" + number + path);
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setRequestProperty("Connection", "close");
        connection.setReadTimeout(60_000);
        return connection.getResponseCode();
    }

    @Test
    void aPathWithAnEmptySegmentNamesNoLock() throws IOException {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.REACTIVE)
                .properties(
                        "server.port=0",
                        "management.server.port=0",
                        "management.server.base-path=/manage",
                        "spring.main.banner-mode=off",
                        "spring.data.redis.port=1",
                        "distributed-lock.command-timeout=200ms",
                        "management.endpoints.web.exposure.include=locks")
                .run()) {
            String management = "local.management.port";
            assertThat(status(application, management, "/manage/actuator/locks/a/b"))
                    .isEqualTo(503);
            assertThat(status(application, management, "/manage/actuator/locks/a//b"))
                    .isEqualTo(400);
            assertThat(status(application, management, "/manage/actuator/locks/a/b/"))
                    .isEqualTo(400);
            assertThat(status(application, "local.server.port", "/actuator/locks/a//b"))
                    .isEqualTo(404);
        }
    }
}
