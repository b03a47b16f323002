package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Makes a handle the {@linkplain LockHandle#current() current} one of this thread until it is closed. Scopes nest and are
 * closed in the reverse order by the thread that opened them. Needed only by those who implement {@link LockOperations}
 * or intercept calls themselves.
 */
public final class LockScope implements AutoCloseable {

    private static final ThreadLocal<@Nullable LockScope> INNERMOST = new ThreadLocal<>();

    private final LockHandle handle;

    private final boolean lossMatters;

    private final @Nullable LockScope outer;

    private LockScope(LockHandle handle, boolean lossMatters, @Nullable LockScope outer) {
        this.handle = handle;
        this.lossMatters = lossMatters;
        this.outer = outer;
    }

    /** Opens a scope in the calling thread. */
    public static LockScope open(LockHandle handle) {
        return open(handle, true);
    }

    /** Opens a scope in the calling thread; {@link #throwIfLost()} passes over it if it does not matter. */
    public static LockScope open(LockHandle handle, boolean lossMatters) {
        LockScope scope = new LockScope(handle, lossMatters, INNERMOST.get());
        INNERMOST.set(scope);
        return scope;
    }

    /**
     * Looks at all open scopes of this thread.
     *
     * @throws LockLostException if a hold of theirs was lost whose loss matters
     */
    public static void throwIfLost() {
        for (LockScope scope = INNERMOST.get(); scope != null; scope = scope.outer) {
            if (scope.lossMatters) {
                scope.handle.throwIfLost();
            }
        }
    }

    static @Nullable LockHandle innermost() {
        LockScope scope = INNERMOST.get();
        return scope == null ? null : scope.handle;
    }

    @Override
    public void close() {
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
    }
}
