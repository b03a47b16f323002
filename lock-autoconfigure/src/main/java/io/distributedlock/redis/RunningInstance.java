/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.engine.DeadlockSearch;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.NanoClock;
import io.distributedlock.logging.SafeLog;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The state of a {@link RedisLockTemplate} from a start to the next stop: an identity, its connections, and the engine
 * that uses them.
 */
record RunningInstance(
        RedisConnections connections,
        LockEngine engine,
        FleetMessaging fleetMessaging,
        HolderLookup holders,
        DeadlockSearch deadlocks) {

    private static final Log log = SafeLog.of(RedisLockTemplate.class);

    /** If that fails, for example since no further thread can be created, what was opened before is closed. */
    static RunningInstance open(
            LettuceConnectionFactory application,
            LockKeys keys,
            EngineSettings settings,
            Consumer<? super LockEvent> events,
            @Nullable LockListener listener,
            @Nullable Acknowledgement acknowledgement,
            Function<String, String> label) {
        boolean cluster = application.isClusterAware();
        InstanceId id = cluster ? InstanceId.inCluster() : new InstanceId();
        Deque<AutoCloseable> opened = new ArrayDeque<>();
        try {
            LockClientFactory source = new LockClientFactory(application, settings.commandTimeout(), id);
            opened.push(source);
            RedisConnections connections = cluster
                    ? new ClusterConnections(source, keys, settings.commandTimeout())
                    : new SingleServerConnections(source, settings.commandTimeout());
            // They close the source too.
            opened.pop();
            opened.push(connections);
            ServerClockMonitor clock = new ServerClockMonitor(NanoClock.SYSTEM);
            LettuceLeaseStore direct = new LettuceLeaseStore(connections, keys, id, clock);
            LeaseStore store = acknowledgement == null
                    ? direct
                    : acknowledgement.of(
                            direct,
                            connections,
                            keys,
                            third -> new LettuceLeaseStore(third, keys, id, clock),
                            settings::replyTimeout);
            LockEngine engine = new LockEngine(store, settings, events, listener);
            opened.push(engine);
            log.info("Distributed locks: instance " + id.publicPart() + ", " + source.redis() + ", prefix '"
                    + keys.prefix() + "'");
            Supplier<String> called = () -> label.apply(id.publicPart());
            FleetMessaging fleetMessaging = new FleetMessaging(connections, keys, id, engine, called);
            opened.push(fleetMessaging);
            direct.setFleetMessaging(fleetMessaging::message, fleetMessaging::seen);
            HolderLookup holders = fleetMessaging.holders(direct);
            engine.setHolderNames(holders);
            connections.open();
            fleetMessaging.start();
            return new RunningInstance(
                    connections,
                    engine,
                    fleetMessaging,
                    holders,
                    new DeadlockSearch(engine, id.publicPart(), called, fleetMessaging.holds()));
        } catch (RuntimeException | Error ex) {
            closeAll(opened, ex);
            throw ex;
        }
    }

    private static void closeAll(Deque<AutoCloseable> opened, Throwable failure) {
        for (AutoCloseable each : opened) {
            try {
                each.close();
            } catch (Exception | Error ex) {
                failure.addSuppressed(ex);
            }
        }
    }

    /** All parts are closed, even if one of them fails. */
    void close() {
        try (connections;
                fleetMessaging;
                engine) {
            holders.close();
        }
    }
}
