package io.distributedlock;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is to be locked and how. Immutable: every method returns a new request. What is not said comes from the settings
 * ({@code distributed-lock.lease}, {@code .wait}, {@code .max-hold}).
 */
public final class LockRequest {

    /** The shortest lease that is accepted. */
    public static final Duration MIN_LEASE = Duration.ofMillis(10);

    /** The longest lease that is accepted. */
    public static final Duration MAX_LEASE = Duration.ofDays(365);

    /** The longest name that is accepted, in characters. */
    public static final int MAX_NAME_LENGTH = 65_536;

    private static final Duration FOREVER = Duration.ofNanos(-1);

    private final String name;

    private final @Nullable Duration lease;

    private final @Nullable Duration waitUpTo;

    private final boolean renew;

    private final @Nullable Duration maxHold;

    private final @Nullable String owner;

    private final boolean reentrant;

    private final @Nullable LockOwner logicalOwner;

    private LockRequest(
            String name,
            @Nullable Duration lease,
            @Nullable Duration waitUpTo,
            boolean renew,
            @Nullable Duration maxHold,
            @Nullable String owner,
            boolean reentrant,
            @Nullable LockOwner logicalOwner) {
        if (!renew && maxHold != null) {
            throw new IllegalArgumentException("Lock '" + name + "': maxHold " + maxHold
                    + " makes no sense with renew(false), whose lease is a hard end already. Leave out one of them.");
        }
        this.name = name;
        this.lease = lease;
        this.waitUpTo = waitUpTo;
        this.renew = renew;
        this.maxHold = maxHold;
        this.owner = owner;
        this.reentrant = reentrant;
        this.logicalOwner = logicalOwner;
    }

    /**
     * A request with the default settings.
     *
     * @throws IllegalArgumentException if the name is null, blank, or longer than {@link #MAX_NAME_LENGTH}
     */
    public static LockRequest of(String name) {
        return new LockRequest(requireText("lock name", name), null, null, true, null, null, true, null);
    }

    /**
     * How long Redis keeps the lock if nobody renews it: the time others wait after a crash. While the hold lasts it is
     * renewed every third of it, unless {@link #renew(boolean) renew(false)}.
     *
     * @param lease from {@link #MIN_LEASE} to {@link #MAX_LEASE}
     */
    public LockRequest lease(Duration lease) {
        return new LockRequest(name, requireLease(lease), waitUpTo, renew, maxHold, owner, reentrant, logicalOwner);
    }

    /** How long to wait for the lock: zero tries once, a negative time waits without limit. */
    public LockRequest waitUpTo(Duration wait) {
        Objects.requireNonNull(wait, "wait");
        return new LockRequest(
                name, lease, wait.isNegative() ? FOREVER : wait, renew, maxHold, owner, reentrant, logicalOwner);
    }

    /** Waits without limit. */
    public LockRequest waitForever() {
        return waitUpTo(FOREVER);
    }

    /** Tries once. */
    public LockRequest noWait() {
        return waitUpTo(Duration.ZERO);
    }

    /**
     * Whether the lease is renewed while the hold lasts (the default). If not, the hold is lost when the lease ends.
     *
     * @throws IllegalArgumentException if it is not to be renewed and has a {@link #maxHold(Duration)}
     */
    public LockRequest renew(boolean renew) {
        return new LockRequest(name, lease, waitUpTo, renew, maxHold, owner, reentrant, logicalOwner);
    }

    /**
     * The age at which the hold is lost, however busy its holder: a bound for methods that hang.
     *
     * @param maxHold positive
     * @throws IllegalArgumentException if it is not positive, or the lease is not renewed and so has a hard end already
     */
    public LockRequest maxHold(Duration maxHold) {
        Objects.requireNonNull(maxHold, "maxHold");
        if (maxHold.isNegative() || maxHold.isZero()) {
            throw new IllegalArgumentException("maxHold must be positive, but is " + maxHold);
        }
        return new LockRequest(name, lease, waitUpTo, renew, maxHold, owner, reentrant, logicalOwner);
    }

    /**
     * Names the owner, instead of the calling thread. The same owner is the same in every thread and instance: acquiring
     * again is a re-entry, and {@link LockOperations#release(String, String)} gives a hold back from anywhere. Such holds
     * are counted in Redis, so each of them costs its round trips. Owner ids are no secrets.
     *
     * @throws IllegalArgumentException if the owner is null, blank, or longer than {@link #MAX_NAME_LENGTH}
     */
    public LockRequest owner(String owner) {
        return new LockRequest(
                name, lease, waitUpTo, renew, maxHold, requireText("owner", owner), reentrant, logicalOwner);
    }

    /** Whether the owner may acquire again what it holds (the default). If not, that is refused at once as busy. */
    public LockRequest reentrant(boolean reentrant) {
        return new LockRequest(name, lease, waitUpTo, renew, maxHold, owner, reentrant, logicalOwner);
    }

    /**
     * Names the owner of asynchronous work in this JVM, instead of the calling thread: what this owner holds is entered
     * again without a round trip. An explicit {@link #owner(String) owner} goes before it.
     */
    public LockRequest logicalOwner(LockOwner owner) {
        Objects.requireNonNull(owner, "owner");
        return new LockRequest(name, lease, waitUpTo, renew, maxHold, this.owner, reentrant, owner);
    }

    public String name() {
        return name;
    }

    /** The lease, or null for the default. */
    public @Nullable Duration lease() {
        return lease;
    }

    /** The wait, negative for no limit, or null for the default. */
    public @Nullable Duration waitUpTo() {
        return waitUpTo;
    }

    public boolean renew() {
        return renew;
    }

    /** The greatest age of the hold, or null for the default. */
    public @Nullable Duration maxHold() {
        return maxHold;
    }

    /** The explicit owner, or null if the owner is the calling thread. */
    public @Nullable String owner() {
        return owner;
    }

    public boolean reentrant() {
        return reentrant;
    }

    /** The owner in this JVM, or null if it is the calling thread, or for an asynchronous request, nobody else. */
    public @Nullable LockOwner logicalOwner() {
        return logicalOwner;
    }

    /**
     * Checks a lease, for those who take one from elsewhere.
     *
     * @throws IllegalArgumentException if it is outside {@link #MIN_LEASE} to {@link #MAX_LEASE}
     */
    public static Duration requireLease(Duration lease) {
        Objects.requireNonNull(lease, "lease");
        if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("A lease must be from 10 ms to 365 days, but is " + lease);
        }
        return lease;
    }

    private static String requireText(String what, String text) {
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException("The " + what + " must not be null or blank");
        }
        if (text.length() > MAX_NAME_LENGTH) {
            throw new IllegalArgumentException(
                    "The " + what + " must have at most " + MAX_NAME_LENGTH + " characters, but has " + text.length());
        }
        return text;
    }

    @Override
    public String toString() {
        return "LockRequest[name=" + name + ", lease=" + lease + ", waitUpTo=" + waitUpTo + ", renew=" + renew
                + ", maxHold=" + maxHold + ", owner=" + owner + ", reentrant=" + reentrant + "]";
    }
}
