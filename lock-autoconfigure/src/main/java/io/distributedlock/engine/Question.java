package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStore.AcquireReply;
import java.util.concurrent.CompletableFuture;

/**
 * One sending of an acquire command.
 *
 * @param answer completes with the store's answer, or is cancelled when nobody waits for it any more
 * @param sentAt a time before it was sent
 */
record Question(CompletableFuture<AcquireReply> answer, long sentAt) {

    boolean isOpen() {
        return !answer.isDone();
    }

    /** Otherwise, or if it failed, a copy of it may still come to the store. */
    boolean wasAnswered() {
        return answer.isDone() && !answer.isCompletedExceptionally();
    }
}
