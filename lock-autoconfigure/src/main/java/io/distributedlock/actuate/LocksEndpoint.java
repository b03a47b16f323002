/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import java.time.Clock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Shows what this instance or all instances hold and wait for, shows one lock, and takes a lock away. A lock name may
 * have slashes: what comes after {@code locks/} is the name. Web servers refuse or change some paths (an encoded slash,
 * two slashes in a row); {@code locks?name=} takes every name. Taking away needs
 * {@code management.endpoint.locks.access=unrestricted}.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

    private static final Log log = LogFactory.getLog(LocksEndpoint.class);

    private final LockOperations locks;

    private final InstanceView instance;

    private final FleetView fleet;

    private final LockDetails details;

    /**
     * @param locks asked about single locks, and told to take them away
     * @param monitor asked what this and other instances hold
     * @param label what operators call this instance
     */
    public LocksEndpoint(LockOperations locks, LockMonitor monitor, InstanceLabel label) {
        this(locks, monitor, label, Clock.systemUTC());
    }

    LocksEndpoint(LockOperations locks, LockMonitor monitor, InstanceLabel label, Clock clock) {
        this.locks = locks;
        this.instance = new InstanceView(locks, monitor, label, clock);
        this.fleet = new FleetView(monitor, clock);
        this.details = new LockDetails(locks, monitor, label, clock);
    }

    /**
     * What this instance holds and waits for; of all instances with {@code scope=fleet}; or the lock of that name, as
     * {@link #lock} shows it.
     *
     * @param name a lock, or null
     * @param scope {@code instance}, which is the default, or {@code fleet}
     * @param after of the fleet: only locks whose names come after this one
     * @param limit of the fleet: how many locks, from 1 to 500; 100 if not given
     * @throws InvalidEndpointRequestException if there is no such scope, or the limit is out of its range
     */
    @ReadOperation
    public Object locks(
            @Nullable String name, @Nullable String scope, @Nullable String after, @Nullable Integer limit) {
        if (name != null) {
            return details.of(name);
        }
        if (scope == null || scope.equals("instance")) {
            return instance.describe();
        }
        if (!scope.equals("fleet")) {
            throw new InvalidEndpointRequestException("The scope is 'instance' or 'fleet'", "No such scope");
        }
        int locksAtMost = limit == null ? FleetView.DEFAULT_LIMIT : limit;
        if (locksAtMost < 1 || locksAtMost > FleetView.MAX_LIMIT) {
            throw new InvalidEndpointRequestException(
                    "The limit is from 1 to " + FleetView.MAX_LIMIT, "Limit out of range");
        }
        return fleet.describe(after == null ? "" : after, locksAtMost);
    }

    /** One lock, as Redis and the instances see it. */
    @ReadOperation
    public LockDescriptor lock(@Selector(match = Match.ALL_REMAINING) String... name) {
        return details.of(String.join("/", name));
    }

    /** Takes the lock away from its holder, which learns of it. Answers 204, or 404 if nobody held it. */
    @DeleteOperation
    public WebEndpointResponse<Void> forceRelease(@Selector(match = Match.ALL_REMAINING) String... name) {
        return takeAway(String.join("/", name));
    }

    /** As {@link #forceRelease}, for names that cannot be part of a path. */
    @DeleteOperation
    public WebEndpointResponse<Void> forceReleaseNamed(String name) {
        return takeAway(name);
    }

    private WebEndpointResponse<Void> takeAway(String name) {
        boolean released = locks.forceRelease(name);
        log.warn("Lock '" + forLog(name) + "': " + (released ? "taken away" : "to be taken away, but nobody held it")
                + ", as asked for through the locks endpoint");
        return new WebEndpointResponse<>(released ? 204 : 404);
    }

    /** A name comes from outside: it must not begin a line of its own in the log, nor fill it. */
    private static String forLog(String name) {
        String oneLine = name.replaceAll("[\\p{Cntrl}\\p{Zl}\\p{Zp}]", "?");
        return oneLine.length() <= 200 ? oneLine : oneLine.substring(0, 200) + "...";
    }
}
