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
 * depends on them. A reply counts only with the random number of an open request, a {@link ReplyQueue} sends the
 * replies, and messages have a maximum length: forged ones cost little and have no effect. An instance of an older
 * version does not reply.
 */
final class InstanceQueries implements DeadlockSearch.Reports {

    /** Maximum wait for a reply. */
    private static final long TIMEOUT_MILLIS = 500;

    private static final int OPEN = 64;

    private static final int LONGEST_MESSAGE = 32_768;

    private final InstanceMessenger messenger;

    private final ReplyQueue replies;

    private final Function<String, @Nullable HoldReport> holds;

    private final InstanceLabels labels;

    private final Map<String, CompletableFuture<HoldReply>> open = new ConcurrentHashMap<>();

    /** @param holds the report of this instance about a lock, null if no caller of it holds it */
    InstanceQueries(
            InstanceMessenger messenger,
            ReplyQueue replies,
            InstanceLabels labels,
            Function<String, @Nullable HoldReport> holds) {
        this.labels = labels;
        this.messenger = messenger;
        this.replies = replies;
        this.holds = holds;
    }

    @Override
    public Optional<HoldReport> of(String instance, String lockName) {
        return replyOf(instance, lockName).hold();
    }

    HoldReply replyOf(String instance, String lockName) {
        CompletableFuture<HoldReply> result = request(instance, lockName, TIMEOUT_MILLIS);
        try {
            return result.get(2 * TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return HoldReply.NONE;
        } catch (TimeoutException | ExecutionException ex) {
            return HoldReply.NONE;
        }
    }

    /** Does not block. Completes with the reply, and empty after that time. */
    CompletableFuture<Optional<HoldReport>> query(String instance, String lockName, long millis) {
        return request(instance, lockName, millis).thenApply(HoldReply::hold);
    }

    private CompletableFuture<HoldReply> request(String instance, String lockName, long millis) {
        if (instance.equals(messenger.self())) {
            HoldReply own = new HoldReply(true, Optional.ofNullable(holds.apply(lockName)));
            return CompletableFuture.completedFuture(own);
        }
        String number = InstanceMessenger.number();
        String message = InstanceMessage.request(messenger.replyAddress(instance), number, lockName);
        boolean possible = InstanceMessage.isInstance(instance) && messenger.isPossible();
        if (!possible || message.length() > LONGEST_MESSAGE || open.size() >= OPEN) {
            return CompletableFuture.completedFuture(HoldReply.NONE);
        }
        CompletableFuture<HoldReply> result = new CompletableFuture<>();
        open.put(number, result);
        result.whenComplete((report, failure) -> open.remove(number));
        messenger.send(instance, message);
        messenger.later(millis, () -> result.complete(HoldReply.NONE));
        return result.thenApply(reply -> isAbout(lockName, reply) ? learn(instance, reply) : HoldReply.NONE);
    }

    private static boolean isAbout(String lockName, HoldReply reply) {
        return reply.hold()
                .map(HoldReport::lockName)
                .filter(name -> !name.equals(lockName))
                .isEmpty();
    }

    private HoldReply learn(String instance, HoldReply reply) {
        reply.hold().ifPresent(replied -> labels.learn(instance, replied.label()));
        return reply;
    }

    /**
     * Called on the network's thread.
     *
     * @return false if it is no request or reply
     */
    boolean message(String message) {
        if (message.startsWith(InstanceMessage.REPORT)) {
            replied(message);
            return true;
        }
        if (message.startsWith(InstanceMessage.REQUEST)) {
            if (message.length() <= LONGEST_MESSAGE) {
                replies.add(() -> reply(message));
            }
            return true;
        }
        return false;
    }

    private void replied(String message) {
        CompletableFuture<HoldReply> result =
                message.length() > LONGEST_MESSAGE ? null : open.remove(InstanceMessage.word(message, 1));
        if (result != null) {
            result.complete(InstanceMessage.reply(message));
        }
    }

    private void reply(String message) {
        String requester = InstanceMessage.word(message, 1);
        String name = InstanceMessage.nameIn(message);
        if (name != null && InstanceMessage.isAddress(requester)) {
            messenger.send(requester, InstanceMessage.report(InstanceMessage.word(message, 2), holds.apply(name)));
        }
    }
}
