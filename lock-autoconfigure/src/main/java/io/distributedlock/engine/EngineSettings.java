package io.distributedlock.engine;

import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the engine does where a request does not say.
 *
 * @param lease the default lease
 * @param waitUpTo the default wait; negative for no limit
 * @param maxHold the default greatest age of a hold, or null for none
 * @param commandTimeout the longest time to wait for one answer of the store; shorter leases shorten it
 * @param maxPasses how often in a row a lock is passed on inside this instance while another instance waits; 0 for never
 * @param maxBatch for how long in a row a lock is passed on inside this instance while another instance waits
 * @param shutdownGrace how long holds may go on when the engine is closed
 */
public record EngineSettings(
        Duration lease,
        Duration waitUpTo,
        @Nullable Duration maxHold,
        Duration commandTimeout,
        int maxPasses,
        Duration maxBatch,
        Duration shutdownGrace) {

    /** Lease 30 s, wait 10 s, command time-out 2 s, 32 passes or 10 ms, grace 5 s. */
    public static final EngineSettings DEFAULTS = new EngineSettings(
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            null,
            Duration.ofSeconds(2),
            32,
            Duration.ofMillis(10),
            Duration.ofSeconds(5));

    public EngineSettings {
        LockRequest.requireLease(lease);
        Objects.requireNonNull(waitUpTo, "waitUpTo");
        requirePositive("maxHold", maxHold);
        requirePositive("commandTimeout", commandTimeout);
        if (maxPasses < 0) {
            throw new IllegalArgumentException("maxPasses must not be negative, but is " + maxPasses);
        }
        if (maxBatch.isNegative()) {
            throw new IllegalArgumentException("maxBatch must not be negative, but is " + maxBatch);
        }
        if (shutdownGrace.isNegative()) {
            throw new IllegalArgumentException("shutdownGrace must not be negative, but is " + shutdownGrace);
        }
    }

    private static void requirePositive(String what, @Nullable Duration value) {
        if (value != null && (value.isNegative() || value.isZero())) {
            throw new IllegalArgumentException(what + " must be positive, but is " + value);
        }
    }
}
