/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Renewal;
import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** One JVM of the arena, with the network that is between it and Redis. */
final class ClientProcess implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** On a busy machine, a probe is repeated for half a minute, and the last one may take a while. */
    private static final Duration PROBE_LIMIT = Duration.ofSeconds(90);

    private final String name;

    private final InstanceNetwork network;

    private final ChildJvm jvm;

    private final List<CompletableFuture<String>> work = new ArrayList<>();

    private ClientProcess(String name, InstanceNetwork network, ChildJvm jvm) {
        this.name = name;
        this.network = network;
        this.jvm = jvm;
    }

    static ClientProcess start(String name, FaultTarget redis, int truth, int retention, Consumer<Renewal> renewals) {
        InstanceNetwork network = new InstanceNetwork(name, redis.ports(), redis::editor, renewals);
        try {
            ChildJvm jvm = ChildJvm.start(
                    FaultTestbedChild.class,
                    redis.connection(network.ports()).argument(),
                    Integer.toString(truth),
                    Integer.toString(retention),
                    Long.toString(FaultTestbed.COMMAND_TIMEOUT.toMillis()));
            return new ClientProcess(name, network, jvm);
        } catch (RuntimeException e) {
            network.close();
            throw e;
        }
    }

    String name() {
        return name;
    }

    /** The way to the only server, or to the one that was chosen. */
    TcpProxy network() {
        return network.chosen();
    }

    /** @param server the port of the server to which {@link #network()} leads from now on */
    void choose(int server) {
        network.choose(server);
    }

    void signal(String signal) {
        jvm.signal(signal);
    }

    boolean awaitExit() {
        return jvm.awaitExit(LIMIT);
    }

    long clock() {
        return Long.parseLong(ask("clock"));
    }

    String ask(String request, Object... arguments) {
        return jvm.ask("control", request, arguments);
    }

    String probe() {
        return ChildJvm.await(jvm.send("control", "probe"), PROBE_LIMIT);
    }

    /** Those that it has seen itself. */
    List<Renewal> renewals() {
        return ask("renewals")
                .lines()
                .map(line -> line.split(" ", 3))
                .map(words -> new Renewal(name, words[2], Long.parseLong(words[0]), Boolean.parseBoolean(words[1])))
                .toList();
    }

    void work(int workers, long seed) {
        work.clear();
        for (int i = 0; i < workers; i++) {
            work.add(jvm.send("worker" + i, "work", name + "-" + i, seed + i, WorkerRole.of(i)));
        }
    }

    /** Waits until all workers have stopped, and returns how often they had a lock. */
    int awaitWork() {
        return work.stream()
                .mapToInt(each -> Integer.parseInt(ChildJvm.await(each, LIMIT)))
                .sum();
    }

    String errors() {
        return jvm.errors();
    }

    @Override
    public void close() {
        network.close();
        jvm.close();
    }
}
