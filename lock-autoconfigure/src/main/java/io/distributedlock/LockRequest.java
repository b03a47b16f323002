/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lock to acquire and its options. Immutable: every method returns a new request. Two requests are equal if all
 * their options are. Options that are not set come from the settings ({@code distributed-lock.lease}, {@code .wait},
 * {@code .max-hold}). Safe for use by any number of threads.
 *
 * @since 0.1.0
 */
public final class LockRequest {

    /** The shortest lease that is accepted. */
    public static final Duration MIN_LEASE = Duration.ofMillis(10);

    /** The longest lease that is accepted. */
    public static final Duration MAX_LEASE = Duration.ofDays(365);

    /** The longest name that is accepted, in characters. */
    public static final int MAX_NAME_LENGTH = 65_536;

    private static final Duration FOREVER = Duration.ofNanos(-1);

    /** In global order, without duplicates, at least one. */
    private final List<String> names;

    private final @Nullable Duration lease;

    private final @Nullable Duration waitUpTo;

    private final boolean renew;

    private final @Nullable Duration maxHold;

    private final @Nullable Duration minHold;

    private final @Nullable String owner;

    private final boolean reentrant;

    private final @Nullable LockOwner logicalOwner;

    private final LockOrigin origin;

    private final LockMode mode;

    private final Duration waited;

    private LockRequest(Draft draft) {
        this.names = draft.names;
        this.lease = draft.lease;
        this.waitUpTo = draft.waitUpTo;
        this.renew = draft.renew;
        this.maxHold = draft.maxHold;
        this.minHold = draft.minHold;
        this.owner = draft.owner;
        this.reentrant = draft.reentrant;
        this.logicalOwner = draft.logicalOwner;
        this.origin = draft.origin;
        this.mode = draft.mode;
        this.waited = draft.waited;
        RequestRules.requireConsistency(this);
    }

    /** The components of a request before their validation. */
    private static final class Draft {

        private final List<String> names;

        private @Nullable Duration lease;

        private @Nullable Duration waitUpTo;

        private boolean renew = true;

        private @Nullable Duration maxHold;

        private @Nullable Duration minHold;

        private @Nullable String owner;

        private boolean reentrant = true;

        private @Nullable LockOwner logicalOwner;

        private LockOrigin origin = LockOrigin.NONE;

        private LockMode mode = LockMode.EXCLUSIVE;

        private Duration waited = Duration.ZERO;

        Draft(List<String> names) {
            this.names = names;
        }
    }

    private LockRequest with(Consumer<Draft> change) {
        return with(names, change);
    }

    private LockRequest with(List<String> others, Consumer<Draft> change) {
        Draft draft = new Draft(others);
        draft.lease = lease;
        draft.waitUpTo = waitUpTo;
        draft.renew = renew;
        draft.maxHold = maxHold;
        draft.minHold = minHold;
        draft.owner = owner;
        draft.reentrant = reentrant;
        draft.logicalOwner = logicalOwner;
        draft.origin = origin;
        draft.mode = mode;
        draft.waited = waited;
        change.accept(draft);
        return new LockRequest(draft);
    }

    /**
     * A request with the default settings.
     *
     * @param name the name of the lock
     * @return the request
     * @throws IllegalArgumentException if the name is null, blank, or longer than {@link #MAX_NAME_LENGTH}
     */
    public static LockRequest of(String name) {
        return new LockRequest(new Draft(List.of(RequestRules.requireText("lock name", name))));
    }

    /**
     * A request for several locks with the default settings. All of them are acquired, or none. Duplicate names count
     * once. They are acquired in their natural order, which is the same for all callers, so that two requests whose
     * names overlap cannot wait for each other, unless their callers already hold other locks. The wait applies to all
     * of them together. A request that one of them refuses, since the caller holds it already, is refused before it
     * waits for any, as far as this instance knows.
     *
     * <p>All have one handle, and are released together. If one is lost while the caller waits for the next, the
     * acquisition ends at once with a {@link LockUnavailableException} that names the cause. If one is lost later, the
     * handle is lost; the others stay held and are renewed until it is closed, since the work under it may still be
     * running.
     *
     * @param names the names of the locks
     * @return the request
     * @throws IllegalArgumentException if there is no name, or one is null, blank, or longer than
     *     {@link #MAX_NAME_LENGTH}
     */
    public static LockRequest ofAll(Collection<String> names) {
        return new LockRequest(new Draft(inOrder(names)));
    }

    private static List<String> inOrder(Collection<String> names) {
        Objects.requireNonNull(names, "names");
        TreeSet<String> sorted = new TreeSet<>();
        for (String name : names) {
            sorted.add(RequestRules.requireText("lock name", name));
        }
        if (sorted.isEmpty()) {
            throw new IllegalArgumentException("The names to lock must not be empty");
        }
        return List.copyOf(sorted);
    }

    /**
     * The same for one of its {@link #names()}, or for any other name.
     *
     * @param other the name of the lock
     * @return the new request
     * @throws IllegalArgumentException if the name is null, blank, or longer than {@link #MAX_NAME_LENGTH}
     */
    public LockRequest named(String other) {
        return with(List.of(RequestRules.requireText("lock name", other)), draft -> {});
    }

    /**
     * The same for any other names, as in {@link #ofAll}.
     *
     * @param others the names of the locks
     * @return the new request
     * @throws IllegalArgumentException if there is no name, or one is null, blank, or longer than
     *     {@link #MAX_NAME_LENGTH}
     */
    public LockRequest namedAll(Collection<String> others) {
        return with(inOrder(others), draft -> {});
    }

    /**
     * How long Redis keeps the lock without a renewal: the time for which other callers wait after a crash. While the
     * hold lasts, it is renewed every third of this time, unless {@link #renew(boolean) renew(false)}.
     *
     * @param lease from {@link #MIN_LEASE} to {@link #MAX_LEASE}
     * @return the new request
     * @throws IllegalArgumentException if the lease is outside that range, or shorter than the {@link #minHold minimum
     *     hold} although it is not renewed
     */
    public LockRequest lease(Duration lease) {
        requireLease(lease);
        return with(draft -> draft.lease = lease);
    }

    /**
     * How long to wait for the lock: zero tries once, a negative time waits without limit. At the end of the wait one
     * more request may be sent to Redis, which takes a tenth of a second at most. If the lock is still busy, the search
     * for its holder, which the message of the exception names, may take another tenth of a second, except after a
     * single try. A caller without any reply by then waits for the first one, for one command time-out since the
     * beginning of its wait.
     *
     * @param wait the time to wait
     * @return the new request
     * @throws NullPointerException if the time is null
     */
    public LockRequest waitUpTo(Duration wait) {
        Objects.requireNonNull(wait, "wait");
        return with(draft -> draft.waitUpTo = wait.isNegative() ? FOREVER : wait);
    }

    /**
     * Counts time that the caller has waited already, for other locks of the same work, towards the wait. The default
     * is zero.
     *
     * @param waited the time; a negative one counts as zero
     * @return the new request
     * @throws NullPointerException if the time is null
     */
    public LockRequest waited(Duration waited) {
        Duration counted = waited.isNegative() ? Duration.ZERO : waited;
        return with(draft -> draft.waited = counted);
    }

    /**
     * Waits without limit.
     *
     * @return the new request
     */
    public LockRequest waitForever() {
        return waitUpTo(FOREVER);
    }

    /**
     * Tries once.
     *
     * @return the new request
     */
    public LockRequest noWait() {
        return waitUpTo(Duration.ZERO);
    }

    /**
     * Whether the lease is renewed while the hold lasts (the default). If not, the hold is lost when the lease ends.
     *
     * @param renew whether to renew
     * @return the new request
     * @throws IllegalArgumentException if the lease is not renewed and the request has a {@link #maxHold(Duration)}, or
     *     a {@link #minHold(Duration)} that is longer than its {@link #lease(Duration)}
     */
    public LockRequest renew(boolean renew) {
        return with(draft -> draft.renew = renew);
    }

    /**
     * The maximum time of the hold, after which it is lost even if its holder is active: a bound for methods that hang.
     * Of several names, it begins when the last one is granted.
     *
     * @param maxHold at least {@link #MIN_LEASE}
     * @return the new request
     * @throws IllegalArgumentException if it is shorter than that, if the lease is not renewed and so has a hard end
     *     already, or if it is shorter than {@link #minHold(Duration)}
     */
    public LockRequest maxHold(Duration maxHold) {
        requireMaxHold(maxHold);
        return with(draft -> draft.maxHold = maxHold);
    }

    /**
     * The lock becomes free no earlier than this time after the grant, also for other callers of the same instance. The
     * release does not wait for it: it shortens the lease to the rest of that time. For work that must not run again
     * soon, such as a job that several schedulers start at about the same moment. A re-entry does not change it. It
     * does not apply after a loss, so an acquisition fails with {@link IllegalArgumentException} if it is longer than
     * the {@code distributed-lock.max-hold} that applies to the request.
     *
     * @param minHold positive, at most 365 days
     * @return the new request
     * @throws IllegalArgumentException if it is outside that range, longer than {@link #maxHold(Duration)} or than a
     *     {@link #lease(Duration)} that is not renewed, or the request has an explicit {@link #owner(String)} or the
     *     mode {@link LockMode#SHARED}
     */
    public LockRequest minHold(Duration minHold) {
        RequestRules.requireMinHold(minHold);
        return with(draft -> draft.minHold = minHold);
    }

    /**
     * Sets an explicit owner, instead of the calling thread. It is the same owner in every thread and instance:
     * acquiring again is a re-entry, and {@link LockOperations#release(String, String)} releases a hold from any
     * instance. Such holds are counted in Redis, so each of them costs round trips. A hold whose instance has died ends
     * with its own lease, also if the owner acquires the lock again, for example after a restart. Owner ids are not
     * secret.
     *
     * @param owner the id of the owner
     * @return the new request
     * @throws IllegalArgumentException if the owner is null, blank, or longer than {@link #MAX_NAME_LENGTH}, or the
     *     request has a {@link #minHold(Duration)} or the mode {@link LockMode#SHARED}
     */
    public LockRequest owner(String owner) {
        RequestRules.requireText("owner", owner);
        return with(draft -> draft.owner = owner);
    }

    /**
     * Whether the owner may acquire a lock again that it holds (the default). If not, such a request is refused at once
     * as busy. Of several requests of one explicit {@link #owner(String) owner} that wait and are not re-entrant, the
     * first gets the lock; the others are refused with their next request to Redis, in the same instance at once, and
     * otherwise within a second if they are near the head of the line.
     *
     * @param reentrant whether it may
     * @return the new request
     */
    public LockRequest reentrant(boolean reentrant) {
        return with(draft -> draft.reentrant = reentrant);
    }

    /**
     * Sets the owner of asynchronous work in this JVM, instead of the calling thread: it re-enters the locks that it
     * holds without a round trip. An explicit {@link #owner(String) owner} takes precedence.
     *
     * @param owner the owner
     * @return the new request
     */
    public LockRequest logicalOwner(LockOwner owner) {
        Objects.requireNonNull(owner, "owner");
        return with(draft -> draft.logicalOwner = owner);
    }

    /**
     * Sets the origin of the request, for metrics, spans and the endpoint. The default is {@link LockOrigin#NONE}.
     *
     * @param origin the origin
     * @return the new request
     */
    public LockRequest origin(LockOrigin origin) {
        Objects.requireNonNull(origin, "origin");
        return with(draft -> draft.origin = origin);
    }

    /**
     * Which callers may hold the lock at the same time; the default is {@link LockMode#EXCLUSIVE}. It applies to all
     * {@link #names()}.
     *
     * @param mode the mode
     * @return the new request
     * @throws IllegalArgumentException for {@link LockMode#SHARED} with an explicit {@link #owner(String)} or a
     *     {@link #minHold(Duration)}
     */
    public LockRequest mode(LockMode mode) {
        Objects.requireNonNull(mode, "mode");
        return with(draft -> draft.mode = mode);
    }

    /** {@return the name, or the first one in global order if there are several} */
    public String name() {
        return names.get(0);
    }

    /** {@return all names in global order, without duplicates; unmodifiable} */
    public List<String> names() {
        return names;
    }

    /** {@return the lease, or null for the default} */
    public @Nullable Duration lease() {
        return lease;
    }

    /** {@return the wait, negative for no limit, or null for the default} */
    public @Nullable Duration waitUpTo() {
        return waitUpTo;
    }

    /** {@return the part of the wait that has passed already, zero by default} */
    public Duration waited() {
        return waited;
    }

    /** {@return whether the lease is renewed while the hold lasts} */
    public boolean renew() {
        return renew;
    }

    /** {@return the maximum time of the hold, or null for the default} */
    public @Nullable Duration maxHold() {
        return maxHold;
    }

    /** {@return the minimum time for which the lock stays taken, or null} */
    public @Nullable Duration minHold() {
        return minHold;
    }

    /** {@return the explicit owner, or null if the owner is the calling thread} */
    public @Nullable String owner() {
        return owner;
    }

    /** {@return whether the owner may acquire a lock again that it holds} */
    public boolean reentrant() {
        return reentrant;
    }

    /** {@return the owner of asynchronous work, or null} */
    public @Nullable LockOwner logicalOwner() {
        return logicalOwner;
    }

    /** {@return the origin of the request} */
    public LockOrigin origin() {
        return origin;
    }

    /** {@return which callers may hold the lock at the same time} */
    public LockMode mode() {
        return mode;
    }

    /**
     * Validates a lease from another source.
     *
     * @param lease the lease
     * @return the same lease
     * @throws IllegalArgumentException if it is outside {@link #MIN_LEASE} to {@link #MAX_LEASE}
     */
    public static Duration requireLease(Duration lease) {
        Objects.requireNonNull(lease, "lease");
        if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("A lease must be from 10 ms to 365 days, but is " + lease);
        }
        return lease;
    }

    /**
     * Validates a maximum time of a hold from another source: a shorter one would be over before the reply of Redis.
     *
     * @param maxHold the maximum time
     * @return the same time
     * @throws IllegalArgumentException if it is shorter than {@link #MIN_LEASE}
     */
    public static Duration requireMaxHold(Duration maxHold) {
        RequestRules.requirePositive("maxHold", maxHold);
        if (maxHold.compareTo(MIN_LEASE) < 0) {
            throw new IllegalArgumentException("maxHold must be at least 10 ms, but is " + maxHold);
        }
        return maxHold;
    }

    private List<@Nullable Object> values() {
        return Arrays.asList(
                names, lease, waitUpTo, renew, maxHold, minHold, owner, reentrant, logicalOwner, origin, mode, waited);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockRequest request && values().equals(request.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    @Override
    public String toString() {
        Object wait = waitUpTo != null && waitUpTo.isNegative() ? "unlimited" : waitUpTo;
        return "LockRequest["
                + (names.size() == 1 ? "name=" + LockNames.show(name()) : "names=" + LockNames.show(names.toString()))
                + ", lease=" + lease
                + ", waitUpTo=" + wait + ", renew=" + renew + ", maxHold=" + maxHold + ", minHold=" + minHold
                + ", owner=" + (owner == null ? null : LockNames.show(owner)) + ", reentrant=" + reentrant
                + ", mode=" + mode + "]";
    }
}
