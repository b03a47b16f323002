/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Renewal;
import io.distributedlock.testing.TcpProxy;
import io.distributedlock.testing.TcpStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The network between one JVM and each server. */
final class InstanceNetwork implements AutoCloseable {

    private final Map<Integer, TcpProxy> proxies = new LinkedHashMap<>();

    private volatile @Nullable Integer chosen;

    /**
     * @param editors may change the commands of each connection to a server
     * @param renewals gets what the JVM renews
     */
    InstanceNetwork(
            String jvm, List<Integer> servers, IntFunction<TcpStream.Editor> editors, Consumer<Renewal> renewals) {
        for (int server : servers) {
            TcpProxy proxy = TcpProxy.to(server);
            proxy.requests().tap(() -> new RenewalSniffer(jvm, renewals));
            proxy.requests().edit(() -> editors.apply(server));
            proxies.put(server, proxy);
        }
    }

    /** The port of each proxy, by that of its server. */
    Map<Integer, Integer> ports() {
        return proxies.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().port()));
    }

    /** The way to the only server, or to the one that was chosen. */
    TcpProxy chosen() {
        if (chosen != null) {
            return Objects.requireNonNull(proxies.get(chosen), "no such server");
        }
        if (proxies.size() != 1) {
            throw new IllegalStateException("There are " + proxies.size() + " servers");
        }
        return proxies.values().iterator().next();
    }

    /** @param server the port of the server to which faults refer from now on */
    void choose(int server) {
        chosen = server;
    }

    @Override
    public void close() {
        proxies.values().forEach(TcpProxy::close);
    }
}
