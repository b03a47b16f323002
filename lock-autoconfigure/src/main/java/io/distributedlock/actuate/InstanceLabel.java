/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/**
 * The label of this instance: {@code distributed-lock.instance-label}, or else the name of the application, the host,
 * the port of the server if there is one, and the process id, as in {@code shop@host-1:8080/4711}.
 */
public final class InstanceLabel {

    private final Environment environment;

    private volatile @Nullable String host;

    /**
     * Reads nothing yet.
     *
     * @param environment has the label, or else the name of the application and the port of its server
     */
    public InstanceLabel(Environment environment) {
        this.environment = environment;
    }

    /**
     * Determined at each call, since the port is not known before the server has started.
     *
     * @return the label, not blank
     */
    public String text() {
        String label = environment.getProperty("distributed-lock.instance-label", "");
        return label.isBlank() ? defaultText() : label;
    }

    private String defaultText() {
        String application = environment.getProperty("spring.application.name", "application");
        String port = environment.getProperty("local.server.port");
        return application + "@" + host() + (port == null ? "" : ":" + port) + "/"
                + ProcessHandle.current().pid();
    }

    private String host() {
        String known = host;
        if (known == null) {
            known = lookUpHost();
            host = known;
        }
        return known;
    }

    private static String lookUpHost() {
        String named = System.getenv("HOSTNAME");
        if (named != null && !named.isBlank()) {
            return named;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            return "localhost";
        }
    }
}
