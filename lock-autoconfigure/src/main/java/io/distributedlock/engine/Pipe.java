package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;

/** Ties the answer that somebody waits for to the command that was sent for it. */
final class Pipe {

    private Pipe() {}

    /** The answer gets what the command gets; if the answer is cancelled first, so is the command. */
    static <T> void into(CompletableFuture<T> answer, CompletableFuture<T> command) {
        command.whenComplete((reply, failure) -> {
            if (failure == null) {
                answer.complete(reply);
            } else {
                answer.completeExceptionally(failure);
            }
        });
        answer.whenComplete((reply, failure) -> {
            if (answer.isCancelled()) {
                command.cancel(false);
            }
        });
    }
}
