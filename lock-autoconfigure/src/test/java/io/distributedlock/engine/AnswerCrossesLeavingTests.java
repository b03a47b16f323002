package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The last waiter leaves while the answer that grants it the lock is already there, but not looked at yet. */
class AnswerCrossesLeavingTests {

    private final OneAnswerStore store = new OneAnswerStore();

    @Test
    void whatTheAnswerBroughtIsGivenBack() throws InterruptedException {
        try (LockEngine engine = new LockEngine(store, EngineSettings.DEFAULTS)) {
            Waiter waiter = new Waiter(engine, Terms.of(LockRequest.of("crossed"), EngineSettings.DEFAULTS), this);
            engine.locks().enqueue(waiter);
            NamedLock lock = waiter.lock();
            Thread answering;
            synchronized (lock) {
                answering = new Thread(() -> store.answer.complete(new LeaseStore.AcquireReply.Granted(7, 0)));
                answering.start();
                await().until(() -> answering.getState() == Thread.State.BLOCKED);
                lock.leave(waiter);
            }
            answering.join();
            await().untilAsserted(() -> assertThat(store.released).containsExactly(store.asked));
        }
    }

    private static final class OneAnswerStore implements LeaseStore {

        private final CompletableFuture<AcquireReply> answer = new CompletableFuture<>();

        private final List<Long> released = new CopyOnWriteArrayList<>();

        private volatile long asked;

        @Override
        public CompletableFuture<AcquireReply> acquire(AcquireCommand command) {
            asked = command.number();
            return answer;
        }

        @Override
        public CompletableFuture<ReleaseReply> release(ReleaseCommand command) {
            released.add(command.number());
            return CompletableFuture.completedFuture(new ReleaseReply(ReleaseReply.Outcome.RELEASED, 7, null));
        }

        @Override
        public CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<Optional<LockState>> inspect(String name) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<ReleaseResult> releaseOwner(String name, String owner, long floor) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<Boolean> forceRelease(String name, long floor) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<Void> ready() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void listen(Listener listener) {}
    }
}
