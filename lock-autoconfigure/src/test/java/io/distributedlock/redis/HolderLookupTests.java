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

    private final List<String> messages = new ArrayList<>();

    private boolean connected;

    private final InstanceLabels labels = new InstanceLabels();

    private @Nullable HoldReport own;

    private @Nullable HoldReport reported;

    private CompletableFuture<@Nullable String> written = CompletableFuture.completedFuture(null);

    private final InstanceId self = new InstanceId();

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
                    if (method.getName().equals("commands") && connected) {
                        return (RedisConnections.CommandWriter)
                                command -> messages.add(command.getArgs().toCommandString());
                    }
                    return method.getReturnType() == boolean.class ? false : null;
                });
        LockKeys keys = new LockKeys("lock:");
        InstanceMessenger messenger =
                new InstanceMessenger(connections, keys, self, new FleetDirectory(connections, keys));
        return new HolderLookup(
                store,
                messenger,
                new InstanceQueries(messenger, new ReplyQueue(), labels, name -> reported),
                labels,
                id -> written,
                name -> own);
    }

    private interface ServerReplies {

        Object to(String method);
    }

    private <T> T fake(Class<T> type, ServerReplies answers) {
        return type.cast(Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answers.to(method.getName())));
    }

    private static Optional<LockState> heldBy(String owner, boolean explicit, String... instances) {
        return Optional.of(
                new LockState("a", owner, 1, Duration.ofSeconds(30), 0, false, explicit, List.of(instances), null));
    }

    @Test
    void callersWhoseWaitsEndTogetherShareOneRequest() {
        CompletableFuture<@Nullable String> one = lookup.of("a", true);
        CompletableFuture<@Nullable String> two = lookup.of("a", true);
        labels.learn("AAAAAAAA", "till 1");
        asked.get(0).complete(heldBy("AAAAAAAA", false, "AAAAAAAA"));

        assertThat(asked).hasSize(1);
        assertThat(one).isCompletedWithValue("till 1 (AAAAAAAA)");
        assertThat(two).isCompletedWithValue("till 1 (AAAAAAAA)");
        assertThat(lookup.of("a", true)).isNotDone();
        assertThat(asked).hasSize(2);
    }

    @Test
    void aSingleTrySendsNoRequestToOtherInstances() {
        assertThat(lookup.of("a", false)).isCompletedWithValue(null);
        assertThat(asked).isEmpty();
    }

    @Test
    void aSingleTryDoesNotWaitForTheRequestOfAnotherCaller() {
        CompletableFuture<@Nullable String> asking = lookup.of("a", true);

        assertThat(lookup.of("a", false)).isCompletedWithValue(null);
        assertThat(asking).isNotDone();
    }

    @Test
    void ofSeveralReadersTheFirstIsNamed() {
        CompletableFuture<@Nullable String> answer = lookup.of("a", true);
        asked.get(0).complete(heldBy("AAAAAAAA, BBBBBBBB, CCCCCCCC", false, "AAAAAAAA", "BBBBBBBB", "CCCCCCCC"));

        assertThat(answer).isCompletedWithValue("AAAAAAAA and 2 more");
    }

    @Test
    void aHolderThatDoesNotReplyIsNamedByItsLabelInRedis() {
        written = CompletableFuture.completedFuture("till 3");
        CompletableFuture<@Nullable String> answer = lookup.of("a", true);
        asked.get(0).complete(heldBy("AAAAAAAA", false, "AAAAAAAA"));

        assertThat(answer).isCompletedWithValue("till 3 (AAAAAAAA)");
    }

    /** A server that hangs replies neither that there is a label nor that there is none. */
    @Test
    void theReplyOfAHolderIsUsedAlsoIfRedisDoesNotReply() {
        written = new CompletableFuture<>();
        reported = new HoldReport("a", 1, "till 4", "exec-1", null, Duration.ofMillis(700), List.of());
        String holder = self.publicPart();
        CompletableFuture<@Nullable String> answer = lookup.of("a", true);
        asked.get(0).complete(heldBy(holder, false, holder));

        assertThat(answer).isCompletedWithValue("till 4 for 700 ms ('exec-1')");
    }

    @Test
    void aHolderWhoseLabelIsNotReadInTimeIsNamedByItsId() {
        written = new CompletableFuture<>();
        CompletableFuture<@Nullable String> answer = lookup.of("a", true);
        asked.get(0).complete(heldBy("AAAAAAAA", false, "AAAAAAAA"));
        assertThat(answer).isNotDone();
        timers.get(timers.size() - 1).run();

        assertThat(answer).isCompletedWithValue("AAAAAAAA");
    }

    @Test
    void anExplicitOwnerIsNoListWhateverItsNameIs() {
        labels.learn("AAAAAAAA", "till 1");
        CompletableFuture<@Nullable String> answer = lookup.of("a", true);
        asked.get(0).complete(heldBy("billing, nightly", true, "AAAAAAAA"));

        assertThat(answer).isCompletedWithValue("billing, nightly, in till 1 (AAAAAAAA)");
    }

    @Test
    void aHoldOfThisInstanceIsKnownWithoutARequest() {
        own = new HoldReport("a", 1, "till 2", "exec-1", null, Duration.ofMillis(12_700), List.of());

        assertThat(lookup.of("a", true)).isCompletedWithValue("till 2 for 12 s ('exec-1')");
        assertThat(asked).isEmpty();
    }

    /** They come from other instances and go to the log: none of them may begin a line there. */
    @Test
    void labelsCallersAndOwnersStayInTheirLine() {
        own = new HoldReport("a", 1, "till\n2", "exec\n1", null, Duration.ofMillis(700), List.of());
        assertThat(lookup.of("a", true)).isCompletedWithValue("till\\u000A2 for 700 ms ('exec\\u000A1')");

        own = null;
        CompletableFuture<String> holder = lookup.of("a", true);
        asked.get(0).complete(heldBy("owner\nof all", true));
        assertThat(holder).isCompletedWithValue("owner\\u000Aof all");
    }

    @Test
    void aLockThatHasBecomeFreeHasNoHolder() {
        CompletableFuture<@Nullable String> answer = lookup.of("a", true);
        asked.get(0).complete(Optional.empty());

        assertThat(answer).isCompletedWithValue(null);
    }

    @Test
    void withoutAReplyOrAfterAFailureTheHolderIsUnknown() {
        CompletableFuture<@Nullable String> late = lookup.of("a", true);
        CompletableFuture<@Nullable String> refused = lookup.of("b", true);
        timers.get(0).run();
        asked.get(1).completeExceptionally(new IllegalStateException("refused"));

        assertThat(late).isCompletedWithValue(null);
        assertThat(refused).isCompletedWithValue(null);
    }

    /** A thousand locks whose waits end at once are no thousand questions. */
    @Test
    void theNumberOfOpenRequestsIsBounded() {
        for (int i = 0; i < 1_000; i++) {
            lookup.of("lock " + i, true);
        }
        assertThat(asked).hasSize(64);
    }

    /** Otherwise an asynchronous caller would never hear that its wait is over. */
    @Test
    void openRequestsEndWithTheInstance() {
        CompletableFuture<@Nullable String> open = lookup.of("a", true);
        lookup.close();

        assertThat(open).isCompletedWithValue(null);
        assertThat(lookup.of("b", true)).isCompletedWithValue(null);
        assertThat(asked).hasSize(1);
    }

    /** A holder that dies later can be named then. */
    @Test
    void aLongWaitRequestsTheLabelsThatAreUnknown() {
        connected = true;
        labels.learn("AAAAAAAA", "till 1");
        lookup.keptWaiting("a");
        asked.get(0).complete(heldBy("AAAAAAAA, BBBBBBBB", false, "AAAAAAAA", "BBBBBBBB"));

        assertThat(messages).singleElement().asString().contains("BBBBBBBB");
    }

    @Test
    void theRequestsOfLongWaitsAreFewAndEndWithTheInstance() {
        connected = true;
        for (int i = 0; i < 1_000; i++) {
            lookup.keptWaiting("lock " + i);
        }
        assertThat(asked).hasSizeBetween(1, 20);
        asked.get(0).completeExceptionally(new IllegalStateException("refused"));
        assertThat(messages).isEmpty();

        int before = asked.size();
        HolderLookup closed = lookup();
        closed.close();
        closed.keptWaiting("a");
        assertThat(asked).hasSize(before);
    }
}
