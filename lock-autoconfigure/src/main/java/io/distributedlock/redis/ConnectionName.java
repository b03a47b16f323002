/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

/**
 * The name of this instance's connections in {@code CLIENT LIST}, which relates the id in an entry to a process:
 * {@code lock:<instance>@<host>:<pid>}, after the application's own client name if it has one.
 */
final class ConnectionName {

    private ConnectionName() {}

    /** Null if the connection has no name. */
    static @Nullable String of(LettuceClientConfiguration application, InstanceId instance) {
        String own = application.getClientName().orElse(null);
        if (own == null && isNamedBySeparateCommand(application)) {
            return null;
        }
        String name = "lock:" + instance.publicPart() + "@" + host() + ":"
                + ProcessHandle.current().pid();
        return (own == null ? name : own + "/" + name).replaceAll("[^!-~]", "_");
    }

    /** Otherwise it is a part of HELLO, and a user without the right to that command could not connect. */
    private static boolean isNamedBySeparateCommand(LettuceClientConfiguration application) {
        return application
                .getClientOptions()
                .map(ClientOptions::getConfiguredProtocolVersion)
                .filter(version -> version == ProtocolVersion.RESP2)
                .isPresent();
    }

    private static String host() {
        String known = System.getenv("HOSTNAME");
        if (known != null && !known.isBlank()) {
            return known;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            return "unknown";
        }
    }
}
