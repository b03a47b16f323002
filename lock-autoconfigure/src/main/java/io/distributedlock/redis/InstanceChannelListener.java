/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStore;
import io.distributedlock.logging.SafeLog;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import java.util.function.Predicate;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages on this instance's channel (release.lua and acquire.lua send them). A message without an
 * acquisition id of this instance, or with a token that Redis cannot have generated, has no authority and is dropped.
 */
final class InstanceChannelListener extends RedisPubSubAdapter<String, String> {

    private static final Log log = SafeLog.of(InstanceChannelListener.class);

    private static final long LONGEST_LEASE_MILLIS = LockRequest.MAX_LEASE.toMillis();

    private final LockKeys keys;

    private final InstanceId instance;

    private final ServerClockMonitor serverClock;

    private final LeaseStore.Listener listener;

    /** Receives messages that are not about a lock of this instance. */
    private final Predicate<String> queries;

    InstanceChannelListener(
            LockKeys keys,
            InstanceId instance,
            ServerClockMonitor serverClock,
            LeaseStore.Listener listener,
            Predicate<String> queries) {
        this.queries = queries;
        this.keys = keys;
        this.instance = instance;
        this.serverClock = serverClock;
        this.listener = listener;
    }

    String channel() {
        return keys.channel(instance);
    }

    /** The channel of this instance in that slot of a cluster. */
    String channel(int slot) {
        return keys.channel(instance, slot);
    }

    @Override
    public void message(String channel, String message) {
        if (queries.test(message)) {
            return;
        }
        try {
            boolean understood = message.startsWith("grant ") ? grant(message) : notice(message);
            if (!understood) {
                log.debug("Dropped a message that no server can have sent to this instance");
            }
        } catch (NumberFormatException ex) {
            log.debug("Dropped a message that cannot be read", ex);
        }
    }

    private boolean grant(String message) {
        String[] parts = message.split(" ", 6);
        long number = parts.length == 6 ? instance.number(parts[1]) : -1;
        String name = number < 0 ? null : name(parts[5]);
        if (name == null) {
            return false;
        }
        long token = Long.parseLong(parts[2]);
        long leaseMillis = Long.parseLong(parts[3]);
        int waiting = Integer.parseInt(parts[4]);
        if (!serverClock.isPlausible(token) || leaseMillis <= 0 || leaseMillis > LONGEST_LEASE_MILLIS || waiting < 0) {
            return false;
        }
        listener.granted(name, number, token, leaseMillis, waiting);
        return true;
    }

    private boolean notice(String message) {
        String[] parts = message.split(" ", 3);
        long number = parts.length == 3 ? instance.number(parts[1]) : -1;
        String name = number < 0 ? null : name(parts[2]);
        if (name == null) {
            return false;
        }
        if (parts[0].equals("near")) {
            listener.near(name, number);
        } else if (parts[0].equals("recall")) {
            listener.recalled(name, number);
        } else if (parts[0].equals("revoke")) {
            listener.revoked(name, number);
        }
        return true;
    }

    private @Nullable String name(String entry) {
        String name = keys.nameOf(entry);
        if (name != null) {
            return name;
        }
        for (String inUse : listener.names()) {
            if (keys.entry(inUse).equals(entry)) {
                return inUse;
            }
        }
        return null;
    }
}
