package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;

/** A hold for work that goes on after its method has returned. Any thread may end it; only the first end counts. */
record HeldWork(LockHandle handle, LockOwner owner, CallPolicy policy) {

    /** For a part of the work, in the thread that does it. */
    LockScope open() {
        return LockScope.open(handle, policy.lossMatters(), owner);
    }

    /** The work is done. */
    void end() {
        try {
            handle.close();
        } catch (RuntimeException ex) {
            if (policy.afterSuccess(ex) != null) {
                throw ex;
            }
        }
    }

    /** The work has failed: what to throw. */
    Throwable end(Throwable failure) {
        try {
            handle.close();
            return failure;
        } catch (RuntimeException ex) {
            return policy.afterFailure(failure, ex, policy.interrupts() && LossInterrupt.isConsequence(failure));
        }
    }
}
