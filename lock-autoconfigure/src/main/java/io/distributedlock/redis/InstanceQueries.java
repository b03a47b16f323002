/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.HoldReport;
import io.distributedlock.LockMonitor.HoldReply;
import io.distributedlock.engine.DeadlockSearch;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests to other instances about their holds, and replies to theirs, on the channels of the instances. No lock
 * depends on them. A reply counts only with the random number of an open request, an {@link AnswerQueue} sends the
 * replies, and messages have a maximum length: forged ones cost little and have no effect. An instance of an older
 * version does not reply.
 */
final class InstanceQueries implements DeadlockSearch.Reports {

    /** Maximum wait for a reply. */
    private static final long TIMEOUT_MILLIS = 500;

    private static final int OPEN = 64;

    private static final int LONGEST_MESSAGE = 32_768;

    private final InstanceMessenger messenger;

    private final AnswerQueue answers;

    private final Function<String, @Nullable HoldReport> holds;

    private final InstanceLabels labels;

    private final Map<String, CompletableFuture<HoldReply>> open = new ConcurrentHashMap<>();

    /** @param holds the report of this instance about a lock, null if no caller of it holds it */
    InstanceQueries(
            InstanceMessenger messenger,
            AnswerQueue answers,
            InstanceLabels labels,
            Function<String, @Nullable HoldReport> holds) {
        this.labels = labels;
        this.messenger = messenger;
        this.answers = answers;
        this.holds = holds;
    }

    @Override
    public Optional<HoldReport> of(String instance, String lockName) {
        return replyOf(instance, lockName).hold();
    }

    HoldReply replyOf(String instance, String lockName) {
        CompletableFuture<HoldReply> answer = request(instance, lockName, TIMEOUT_MILLIS);
        try {
            return answer.get(2 * TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return HoldReply.NONE;
        } catch (TimeoutException | ExecutionException ex) {
            return HoldReply.NONE;
        }
    }

    /** Does not block. Completes with the reply, and empty after that time. */
    CompletableFuture<Optional<HoldReport>> ask(String instance, String lockName, long millis) {
        return request(instance, lockName, millis).thenApply(HoldReply::hold);
    }

    private CompletableFuture<HoldReply> request(String instance, String lockName, long millis) {
        if (instance.equals(messenger.self())) {
            HoldReply own = new HoldReply(true, Optional.ofNullable(holds.apply(lockName)));
            return CompletableFuture.completedFuture(own);
        }
        String number = InstanceMessenger.number();
        String question = InstanceMessage.ask(messenger.answersTo(instance), number, lockName);
        boolean possible = InstanceMessage.isInstance(instance) && messenger.isPossible();
        if (!possible || question.length() > LONGEST_MESSAGE || open.size() >= OPEN) {
            return CompletableFuture.completedFuture(HoldReply.NONE);
        }
        CompletableFuture<HoldReply> answer = new CompletableFuture<>();
        open.put(number, answer);
        answer.whenComplete((report, failure) -> open.remove(number));
        messenger.send(instance, question);
        messenger.later(millis, () -> answer.complete(HoldReply.NONE));
        return answer.thenApply(reply -> isAbout(lockName, reply) ? learn(instance, reply) : HoldReply.NONE);
    }

    private static boolean isAbout(String lockName, HoldReply reply) {
        return reply.hold()
                .map(HoldReport::lockName)
                .filter(name -> !name.equals(lockName))
                .isEmpty();
    }

    private HoldReply learn(String instance, HoldReply reply) {
        reply.hold().ifPresent(told -> labels.learn(instance, told.label()));
        return reply;
    }

    /**
     * Called on the network's thread.
     *
     * @return false if it is no request or reply
     */
    boolean message(String message) {
        if (message.startsWith(InstanceMessage.TELL)) {
            told(message);
            return true;
        }
        if (message.startsWith(InstanceMessage.ASK)) {
            if (message.length() <= LONGEST_MESSAGE) {
                answers.add(() -> answer(message));
            }
            return true;
        }
        return false;
    }

    private void told(String message) {
        CompletableFuture<HoldReply> answer =
                message.length() > LONGEST_MESSAGE ? null : open.remove(InstanceMessage.word(message, 1));
        if (answer != null) {
            answer.complete(InstanceMessage.reply(message));
        }
    }

    private void answer(String message) {
        String asker = InstanceMessage.word(message, 1);
        String name = InstanceMessage.nameIn(message);
        if (name != null && InstanceMessage.isAddress(asker)) {
            messenger.send(asker, InstanceMessage.tell(InstanceMessage.word(message, 2), holds.apply(name)));
        }
    }
}
