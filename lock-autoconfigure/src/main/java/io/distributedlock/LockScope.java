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

    private final @Nullable LockScope outer;

    private LockScope(LockHandle handle, @Nullable LockScope outer) {
        this.handle = handle;
        this.outer = outer;
    }

    /** Opens a scope in the calling thread. */
    public static LockScope open(LockHandle handle) {
        LockScope scope = new LockScope(handle, INNERMOST.get());
        INNERMOST.set(scope);
        return scope;
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
