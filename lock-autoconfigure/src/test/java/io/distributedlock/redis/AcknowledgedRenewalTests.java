/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which confirmations count, with a master whose replies the test controls. */
class AcknowledgedRenewalTests {

    private final FakeMaster master = new FakeMaster();

    private final AcknowledgedRenewal renewal = new AcknowledgedRenewal(master, 1);

    private static final class FakeMaster implements AcknowledgedRenewal.Master {

        private final List<CompletableFuture<List<RenewReply>>> renewed = new ArrayList<>();

        private final List<CompletableFuture<Long>> awaited = new ArrayList<>();

        private int changes;

        private boolean failing;

        @Override
        public List<CompletableFuture<List<RenewReply>>> renew(List<List<RenewCommand>> requests) {
            if (failing) {
                throw new StackOverflowError("on purpose");
            }
            List<CompletableFuture<List<RenewReply>>> answers = new ArrayList<>();
            requests.forEach(request -> answers.add(new CompletableFuture<>()));
            renewed.addAll(answers);
            return answers;
        }

        @Override
        public CompletableFuture<Long> await(int replicas) {
            CompletableFuture<Long> answer = new CompletableFuture<>();
            awaited.add(answer);
            return answer;
        }

        @Override
        public int changes() {
            return changes;
        }
    }

    private CompletableFuture<List<RenewReply>> ask(String name) {
        return renewal.renew(List.of(command(name)));
    }

    private static List<RenewReply> reply() {
        return List.of(new RenewReply(true, 7, 0));
    }

    @Test
    void aRenewalThatEnoughReplicasConfirmCounts() {
        CompletableFuture<List<RenewReply>> asked = ask("a");
        master.renewed.get(0).complete(reply());
        assertThat(asked).isNotDone();
        master.awaited.get(0).complete(1L);

        assertThat(asked).isCompletedWithValue(reply());
    }

    @Test
    void theReplyOfTheMasterIsEnoughForARenewalThatNeedsNoConfirmation() {
        CompletableFuture<List<RenewReply>> first = ask("a");
        CompletableFuture<List<RenewReply>> confirmed = ask("b");
        CompletableFuture<List<RenewReply>> unconfirmed = renewal.renewUnconfirmed(command("c"));
        master.renewed.get(0).complete(reply());
        // It follows those that are under way.
        assertThat(master.renewed).hasSize(1);
        master.awaited.get(0).complete(1L);
        master.renewed.get(1).complete(reply());
        master.renewed.get(2).complete(reply());

        assertThat(first).isCompletedWithValue(reply());
        assertThat(unconfirmed).isCompletedWithValue(reply());
        assertThat(confirmed).isNotDone();
        master.awaited.get(1).complete(1L);
        assertThat(confirmed).isCompletedWithValue(reply());
    }

    @Test
    void noConfirmationIsRequestedForItAlone() {
        CompletableFuture<List<RenewReply>> unconfirmed = renewal.renewUnconfirmed(command("a"));
        master.renewed.get(0).complete(reply());

        assertThat(unconfirmed).isCompletedWithValue(reply());
        assertThat(master.awaited).isEmpty();
        ask("b");
        assertThat(master.renewed).hasSize(2);
    }

    private static RenewCommand command(String name) {
        return new RenewCommand(name, 1, 1_000, 7, false);
    }

    /** A new connection has written nothing, so all replicas confirm at once. */
    @Test
    void aConfirmationOnAnotherConnectionConfirmsNothing() {
        CompletableFuture<List<RenewReply>> asked = ask("a");
        master.renewed.get(0).complete(reply());
        master.changes += 2;
        master.awaited.get(0).complete(5L);

        assertThatThrownBy(asked::join)
                .hasCauseInstanceOf(LeaseStoreException.class)
                .hasMessageContaining("the connection broke");
    }

    /** For lack of memory or stack, for example. */
    @Test
    void aGroupThatCannotBeSentDoesNotBlockTheNext() {
        master.failing = true;
        CompletableFuture<List<RenewReply>> failed = ask("a");
        assertThatThrownBy(failed::join).hasCauseInstanceOf(LeaseStoreException.class);
        master.failing = false;

        CompletableFuture<List<RenewReply>> asked = ask("b");
        master.renewed.get(0).complete(reply());
        master.awaited.get(0).complete(1L);

        assertThat(asked).isCompletedWithValue(reply());
    }

    /** Of a cluster: one slot has moved, the others have not. */
    @Test
    void aRefusedRenewalDoesNotAffectTheOthers() {
        CompletableFuture<List<RenewReply>> first = ask("a");
        CompletableFuture<List<RenewReply>> moved = ask("b");
        CompletableFuture<List<RenewReply>> there = ask("c");
        master.renewed.get(0).complete(reply());
        master.awaited.get(0).complete(1L);
        master.renewed.get(1).completeExceptionally(new IllegalStateException("moved"));
        master.renewed.get(2).complete(reply());
        master.awaited.get(1).complete(1L);

        assertThat(first).isCompletedWithValue(reply());
        assertThatThrownBy(moved::join).hasMessageContaining("moved");
        assertThat(there).isCompletedWithValue(reply());
    }

    /** With replicas that are silent, each group lasts a whole time-out. */
    @Test
    void allThatArriveDuringAConfirmationShareTheNext() {
        ask("a");
        List<CompletableFuture<List<RenewReply>>> others = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            others.add(ask("b" + i));
        }
        master.renewed.get(0).complete(reply());
        master.awaited.get(0).complete(0L);
        master.renewed.forEach(renewed -> renewed.complete(reply()));
        master.awaited.get(1).complete(0L);

        assertThat(others).allMatch(CompletableFuture::isCompletedExceptionally);
    }

    @Test
    void noConfirmationIsRequestedIfNothingWasRenewed() {
        CompletableFuture<List<RenewReply>> asked = ask("a");
        master.renewed.get(0).completeExceptionally(new IllegalStateException("refused"));

        assertThat(master.awaited).isEmpty();
        assertThatThrownBy(asked::join).hasMessageContaining("refused");
    }

    @Test
    void renewalsThatArriveDuringAConfirmationAreConfirmedTogether() {
        ask("a");
        List<CompletableFuture<List<RenewReply>>> others = List.of(ask("b"), ask("c"), ask("d"));
        assertThat(master.renewed).hasSize(1);
        master.renewed.get(0).complete(reply());
        master.awaited.get(0).complete(0L);
        assertThat(master.renewed).hasSize(4);
        master.renewed.forEach(each -> each.complete(reply()));
        assertThat(master.awaited).hasSize(2);
        master.awaited.get(1).complete(0L);

        assertThat(others)
                .allSatisfy(other -> assertThatThrownBy(other::join)
                        .hasCauseInstanceOf(AcknowledgedRenewal.ShortfallException.class));
    }

    /** The master has renewed the lease, so the outcome is not that of the command that was to confirm it. */
    @ParameterizedTest
    @CsvSource({
        "UNCONFIRMED, NOPERM User locks has no permissions to run the 'wait' command",
        "UNKNOWN, ERR WAIT cannot be used with replica instances.",
        "UNKNOWN, LOADING Redis is loading the dataset in memory"
    })
    void aRenewalWhoseConfirmationIsRefusedWasExecuted(Effect effect, String error) {
        CompletableFuture<List<RenewReply>> asked = ask("a");
        master.renewed.get(0).complete(reply());
        master.awaited.get(0).completeExceptionally(new RedisCommandExecutionException(error));

        assertThatThrownBy(asked::join)
                .hasMessageContaining(error)
                .cause()
                .isInstanceOfSatisfying(
                        LeaseStoreException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(effect));
    }

    @Test
    void aRenewalWhoseConfirmationCouldNotBeRequestedWasExecuted() {
        CompletableFuture<List<RenewReply>> asked = ask("a");
        master.renewed.get(0).complete(reply());
        master.awaited
                .get(0)
                .completeExceptionally(new RedisException("Currently not connected. Commands are rejected."));

        assertThatThrownBy(asked::join)
                .cause()
                .isInstanceOfSatisfying(
                        LeaseStoreException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN));
    }
}
