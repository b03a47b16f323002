/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The label of this instance: {@code distributed-lock.instance-label}, or else the name of the application, the host,
 * the port of the server if there is one, and the process id, as in {@code shop@host-1:8080/4711}.
 *
 * @since 0.1.0
 */
public final class InstanceLabel {

    private final Environment environment;

    private final @Nullable String label;

    private final String application;

    private volatile @Nullable String host;

    /**
     * Reads the label, or else the name of the application. They are read once, since they may contain a random part.
     *
     * @param environment has the label, or else the name of the application and the port of its server
     */
    public InstanceLabel(Environment environment) {
        this(environment, property(environment, "distributed-lock.instance-label"));
    }

    /**
     * Reads the name of the application, once.
     *
     * @param environment has the name of the application and the port of its server
     * @param label the label; null or blank for the default
     */
    public InstanceLabel(Environment environment, @Nullable String label) {
        this.environment = environment;
        this.label = label;
        String name = property(environment, "spring.application.name");
        this.application = name == null ? "application" : name;
    }

    /** Without an exception for a placeholder that cannot be resolved. */
    private static @Nullable String property(Environment environment, String name) {
        return Binder.get(environment).bind(name, String.class).orElse(null);
    }

    /**
     * The default is determined at each call, since the port is not known before the server has started.
     *
     * @return the label, not blank
     */
    public String text() {
        return label == null || label.isBlank() ? defaultText() : label;
    }

    private String defaultText() {
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
