/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.HoldReport;
import io.distributedlock.LockState;
import io.distributedlock.engine.LeaseStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who holds a busy lock, asked of a Redis and of instances that answer when the test says so. */
class HolderLookupTests {

    private final List<CompletableFuture<Optional<LockState>>> asked = new ArrayList<>();

    private final List<Runnable> timers = new ArrayList<>();

    private final InstanceLabels labels = new InstanceLabels();

    private @Nullable HoldReport own;

    private final HolderLookup lookup = lookup();

    private HolderLookup lookup() {
        LeaseStore store = fake(LeaseStore.class, method -> {
            assertThat(method).isEqualTo("inspect");
            CompletableFuture<Optional<LockState>> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
        });
        RedisConnections connections = (RedisConnections) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RedisConnections.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("later")) {
                        timers.add((Runnable) arguments[0]);
                    }
                    return method.getReturnType() == boolean.class ? false : null;
                });
        InstanceMessenger messenger = new InstanceMessenger(connections, new LockKeys("lock:"), new InstanceId());
        return new HolderLookup(
                store,
                messenger,
                new InstanceQueries(messenger, new AnswerQueue(), labels, name -> own),
                labels,
                name -> own);
    }

    private interface Answers {

        Object to(String method);
    }

    private <T> T fake(Class<T> type, Answers answers) {
        return type.cast(Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answers.to(method.getName())));
    }

    private static Optional<LockState> heldBy(String owner) {
        return Optional.of(new LockState("a", owner, 1, Duration.ofSeconds(30), 0));
    }

    @Test
    void callersWhoseWaitsEndTogetherShareOneQuestion() {
        CompletableFuture<@Nullable String> one = lookup.of("a", true);
        CompletableFuture<@Nullable String> two = lookup.of("a", true);
        labels.learn("AAAAAAAA", "till 1");
        asked.get(0).complete(heldBy("AAAAAAAA"));

        assertThat(asked).hasSize(1);
        assertThat(one).isCompletedWithValue("till 1 (AAAAAAAA)");
        assertThat(two).isCompletedWithValue("till 1 (AAAAAAAA)");
        assertThat(lookup.of("a", true)).isNotDone();
        assertThat(asked).hasSize(2);
    }

    @Test
    void aSingleTryAsksNobody() {
        assertThat(lookup.of("a", false)).isCompletedWithValue(null);
        assertThat(asked).isEmpty();
    }

    @Test
    void aSingleTryDoesNotWaitForTheQuestionOfAnother() {
        CompletableFuture<@Nullable String> asking = lookup.of("a", true);

        assertThat(lookup.of("a", false)).isCompletedWithValue(null);
        assertThat(asking).isNotDone();
    }

    @Test
    void ofSeveralReadersTheFirstIsNamed() {
        CompletableFuture<@Nullable String> answer = lookup.of("a", true);
        asked.get(0).complete(heldBy("AAAAAAAA, BBBBBBBB, CCCCCCCC"));

        assertThat(answer).isCompletedWithValue("AAAAAAAA and 2 more");
    }

    @Test
    void aHoldOfThisInstanceIsKnownWithoutAQuestion() {
        own = new HoldReport("a", 1, "till 2", "exec-1", null, Duration.ofMillis(12_700), List.of());

        assertThat(lookup.of("a", true)).isCompletedWithValue("till 2 for 12 s ('exec-1')");
        assertThat(asked).isEmpty();
    }

    @Test
    void aLockThatHasBecomeFreeHasNoHolder() {
        CompletableFuture<@Nullable String> answer = lookup.of("a", true);
        asked.get(0).complete(Optional.empty());

        assertThat(answer).isCompletedWithValue(null);
    }

    @Test
    void noAnswerAndAFailureAreNoHolder() {
        CompletableFuture<@Nullable String> late = lookup.of("a", true);
        CompletableFuture<@Nullable String> refused = lookup.of("b", true);
        timers.get(0).run();
        asked.get(1).completeExceptionally(new IllegalStateException("refused"));

        assertThat(late).isCompletedWithValue(null);
        assertThat(refused).isCompletedWithValue(null);
    }

    /** A thousand locks whose waits end at once are no thousand questions. */
    @Test
    void questionsThatAreOpenHaveABound() {
        for (int i = 0; i < 1_000; i++) {
            lookup.of("lock " + i, true);
        }
        assertThat(asked).hasSize(64);
    }

    /** Otherwise an asynchronous caller would never hear that its wait is over. */
    @Test
    void whatIsOpenEndsWithTheInstance() {
        CompletableFuture<@Nullable String> open = lookup.of("a", true);
        lookup.close();

        assertThat(open).isCompletedWithValue(null);
        assertThat(lookup.of("b", true)).isCompletedWithValue(null);
        assertThat(asked).hasSize(1);
    }
}
