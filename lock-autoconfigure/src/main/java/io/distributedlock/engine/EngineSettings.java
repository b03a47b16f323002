/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Default values of requests, and settings of the engine.
 *
 * @param lease the default lease
 * @param waitUpTo the default wait; negative for no limit
 * @param maxHold the default maximum time of a hold, at least 10 ms, or null for none
 * @param commandTimeout maximum time to wait for one reply of the store, at most one day; shorter leases shorten it
 * @param maxPasses maximum number of consecutive local hand-overs while another instance waits; 0 for none
 * @param maxBatch maximum duration of consecutive local hand-overs while another instance waits
 * @param shutdownGrace how long holds may continue when the engine is closed
 * @param retention how long a lease is kept after the last local release, while no other instance waits; zero for no
 *     retention
 * @param release whether a release waits for the reply of the store
 * @param maxWaiters maximum number of callers that may wait for one lock in this instance, and of explicit owners and
 *     readers together; callers that try once do not count
 * @since 0.1.0
 */
public record EngineSettings(
        Duration lease,
        Duration waitUpTo,
        @Nullable Duration maxHold,
        Duration commandTimeout,
        int maxPasses,
        Duration maxBatch,
        Duration shutdownGrace,
        Duration retention,
        Release release,
        int maxWaiters) {

    /** Whether the caller that closes a handle waits for the reply of the store. */
    public enum Release {
        /** The caller waits, and gets an exception if the lock was lost before or the release is not confirmed. */
        AWAIT,
        /** The caller does not wait. An earlier loss is then reported by an event only. */
        ASYNC
    }

    /** The longest {@link #commandTimeout()}: one day. */
    public static final Duration MAX_COMMAND_TIMEOUT = Duration.ofDays(1);

    /** The default of {@link #lease()}, in seconds. This and the next ones are also the defaults of the properties. */
    public static final int DEFAULT_LEASE_SECONDS = 30;

    /** The default of {@link #waitUpTo()}, in seconds. */
    public static final int DEFAULT_WAIT_SECONDS = 10;

    /** The default of {@link #commandTimeout()}, in seconds. */
    public static final int DEFAULT_COMMAND_TIMEOUT_SECONDS = 2;

    /** However short a lease is, the engine waits at least this long for the reply to a command about it. */
    private static final long SHORTEST_REPLY_TIMEOUT_NANOS = 100_000_000;

    /** The default of {@link #maxPasses()}. */
    public static final int DEFAULT_MAX_PASSES = 32;

    /** The default of {@link #maxBatch()}, in milliseconds. */
    public static final int DEFAULT_MAX_BATCH_MILLIS = 10;

    /** The default of {@link #shutdownGrace()}, in seconds. */
    public static final int DEFAULT_SHUTDOWN_GRACE_SECONDS = 5;

    /** The default of {@link #maxWaiters()}. */
    public static final int DEFAULT_MAX_WAITERS = 100_000;

    /**
     * The settings without any property: lease {@value #DEFAULT_LEASE_SECONDS} s, wait {@value #DEFAULT_WAIT_SECONDS}
     * s, command time-out {@value #DEFAULT_COMMAND_TIMEOUT_SECONDS} s, {@value #DEFAULT_MAX_PASSES} passes or
     * {@value #DEFAULT_MAX_BATCH_MILLIS} ms, grace {@value #DEFAULT_SHUTDOWN_GRACE_SECONDS} s, no maximum time of a
     * hold, no retention, awaited release, {@value #DEFAULT_MAX_WAITERS} waiters.
     */
    public static final EngineSettings DEFAULTS = new EngineSettings(
            Duration.ofSeconds(DEFAULT_LEASE_SECONDS),
            Duration.ofSeconds(DEFAULT_WAIT_SECONDS),
            null,
            Duration.ofSeconds(DEFAULT_COMMAND_TIMEOUT_SECONDS),
            DEFAULT_MAX_PASSES,
            Duration.ofMillis(DEFAULT_MAX_BATCH_MILLIS),
            Duration.ofSeconds(DEFAULT_SHUTDOWN_GRACE_SECONDS));

    /**
     * Settings without retention, with awaited release, and with at most {@value #DEFAULT_MAX_WAITERS} waiters.
     *
     * @param lease the default lease, from 10 ms to 365 days
     * @param waitUpTo the default wait; negative for no limit
     * @param maxHold the default maximum time of a hold, at least 10 ms, or null for none
     * @param commandTimeout maximum time to wait for one reply of the store, positive and at most one day
     * @param maxPasses maximum number of consecutive local hand-overs while another instance waits; 0 for none
     * @param maxBatch maximum duration of consecutive local hand-overs while another instance waits
     * @param shutdownGrace how long holds may continue when the engine is closed
     * @throws IllegalArgumentException if a value is outside its range
     */
    public EngineSettings(
            Duration lease,
            Duration waitUpTo,
            @Nullable Duration maxHold,
            Duration commandTimeout,
            int maxPasses,
            Duration maxBatch,
            Duration shutdownGrace) {
        this(
                lease,
                waitUpTo,
                maxHold,
                commandTimeout,
                maxPasses,
                maxBatch,
                shutdownGrace,
                Duration.ZERO,
                Release.AWAIT,
                DEFAULT_MAX_WAITERS);
    }

    @SuppressWarnings("doclint:missing") // The record describes the components.
    public EngineSettings {
        LockRequest.requireLease(lease);
        Objects.requireNonNull(waitUpTo, "waitUpTo");
        if (maxHold != null) {
            LockRequest.requireMaxHold(maxHold);
        }
        requirePositive("commandTimeout", commandTimeout);
        if (commandTimeout.compareTo(MAX_COMMAND_TIMEOUT) > 0) {
            throw new IllegalArgumentException("commandTimeout must be at most one day, but is " + commandTimeout);
        }
        if (maxPasses < 0) {
            throw new IllegalArgumentException("maxPasses must not be negative, but is " + maxPasses);
        }
        requireNotNegative("maxBatch", maxBatch);
        requireNotNegative("shutdownGrace", shutdownGrace);
        requireNotNegative("retention", retention);
        Objects.requireNonNull(release, "release");
        if (maxWaiters < 1) {
            throw new IllegalArgumentException("maxWaiters must be positive, but is " + maxWaiters);
        }
    }

    /**
     * How long the engine waits for the reply to a command about a lease: at most {@link #commandTimeout()}, and a
     * third of that lease, but not less than 100 ms for a short one.
     *
     * @param leaseNanos the lease, in nanoseconds
     * @return the time in nanoseconds
     */
    public long replyTimeout(long leaseNanos) {
        return Math.min(ResolvedRequest.nanos(commandTimeout), Math.max(leaseNanos / 3, SHORTEST_REPLY_TIMEOUT_NANOS));
    }

    private static void requireNotNegative(String what, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(what + " must not be negative, but is " + value);
        }
    }

    private static void requirePositive(String what, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(what + " must be positive, but is " + value);
        }
    }

    /**
     * These settings, with another retention.
     *
     * @param other zero for none
     * @return the new settings
     * @throws IllegalArgumentException if it is negative
     */
    public EngineSettings withRetention(Duration other) {
        return new EngineSettings(
                lease,
                waitUpTo,
                maxHold,
                commandTimeout,
                maxPasses,
                maxBatch,
                shutdownGrace,
                other,
                release,
                maxWaiters);
    }

    /**
     * These settings, with another way to release.
     *
     * @param other the way to release
     * @return the new settings
     */
    public EngineSettings withRelease(Release other) {
        return new EngineSettings(
                lease,
                waitUpTo,
                maxHold,
                commandTimeout,
                maxPasses,
                maxBatch,
                shutdownGrace,
                retention,
                other,
                maxWaiters);
    }

    /**
     * These settings, with another limit of waiters.
     *
     * @param other at least 1
     * @return the new settings
     * @throws IllegalArgumentException if it is less than 1
     */
    public EngineSettings withMaxWaiters(int other) {
        return new EngineSettings(
                lease,
                waitUpTo,
                maxHold,
                commandTimeout,
                maxPasses,
                maxBatch,
                shutdownGrace,
                retention,
                release,
                other);
    }
}
