/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.RedisURI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * Addresses of servers and Sentinels, with the credentials, TLS settings and names that the application has configured
 * for them.
 */
record RedisUris(LettuceClientConfiguration client, RedisConfiguration target) {

    private static final int DEFAULT_SENTINEL_PORT = 26379;

    int database() {
        return RedisConfiguration.getDatabaseOrElse(target, () -> 0);
    }

    RedisURI server(String host, int port) {
        RedisURI.Builder uri = common(host, port);
        uri.withDatabase(database());
        client.getClientName().ifPresent(uri::withClientName);
        RedisCredentialsProviderFactory credentials =
                client.getRedisCredentialsProviderFactory().orElse(null);
        if (credentials != null) {
            uri.withAuthentication(credentials.createCredentialsProvider(target));
        } else if (target instanceof WithAuthentication with) {
            authenticate(uri, with.getUsername(), with.getPassword());
        }
        return uri.build();
    }

    List<RedisURI> sentinels(RedisSentinelConfiguration sentinels) {
        return sentinels.getSentinels().stream()
                .map(node -> sentinel(sentinels, node))
                .toList();
    }

    private RedisURI sentinel(RedisSentinelConfiguration sentinels, RedisNode node) {
        Integer port = node.getPort();
        RedisURI.Builder uri = common(String.valueOf(node.getHost()), port == null ? DEFAULT_SENTINEL_PORT : port);
        RedisCredentialsProviderFactory credentials =
                client.getRedisCredentialsProviderFactory().orElse(null);
        if (credentials != null) {
            uri.withAuthentication(credentials.createSentinelCredentialsProvider(sentinels));
        } else {
            authenticate(uri, sentinels.getSentinelUsername(), sentinels.getSentinelPassword());
        }
        return uri.build();
    }

    private RedisURI.Builder common(String host, int port) {
        return RedisURI.Builder.redis(host, port)
                .withSsl(client.isUseSsl())
                .withVerifyPeer(client.getVerifyMode())
                .withStartTls(client.isStartTls())
                .withTimeout(client.getCommandTimeout());
    }

    private static void authenticate(RedisURI.Builder uri, @Nullable String user, RedisPassword password) {
        if (!password.isPresent()) {
            return;
        }
        if (user == null || user.isEmpty()) {
            uri.withPassword(password.get());
        } else {
            uri.withAuthentication(user, password.get());
        }
    }
}
