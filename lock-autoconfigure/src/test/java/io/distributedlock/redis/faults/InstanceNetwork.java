/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Renewal;
import io.distributedlock.testing.TcpProxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The network between one JVM and each server. */
final class InstanceNetwork implements AutoCloseable {

    private final Map<Integer, TcpProxy> proxies = new LinkedHashMap<>();

    /** @param renewals gets what the JVM renews */
    InstanceNetwork(String jvm, List<Integer> servers, Consumer<Renewal> renewals) {
        for (int server : servers) {
            TcpProxy proxy = TcpProxy.to(server);
            proxy.requests().tap(() -> new RenewalSniffer(jvm, renewals));
            proxies.put(server, proxy);
        }
    }

    /** The port of each proxy, by that of its server. */
    Map<Integer, Integer> ports() {
        return proxies.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().port()));
    }

    /** The way to the only server. */
    TcpProxy only() {
        if (proxies.size() != 1) {
            throw new IllegalStateException("There are " + proxies.size() + " servers");
        }
        return proxies.values().iterator().next();
    }

    @Override
    public void close() {
        proxies.values().forEach(TcpProxy::close);
    }
}
