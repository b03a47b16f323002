/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.HoldReport;
import io.distributedlock.engine.DeadlockSearch;
import io.distributedlock.engine.NanoClock;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Questions to other instances about their holds, and answers to theirs, on the channels of the instances. No lock
 * depends on them. An answer counts only with the random number of a question that is open, questions are answered by
 * one thread and no more than {@value #ANSWERS} in a second, and a message has a greatest length: forged ones cost
 * little and say nothing. An instance of an older version does not answer.
 */
final class InstanceQueries implements DeadlockSearch.Reports, AutoCloseable {

    private static final Log log = LogFactory.getLog(InstanceQueries.class);

    /** How long an answer is waited for. */
    private static final long TIMEOUT_MILLIS = 500;

    private static final int ANSWERS = 100;

    private static final int OPEN = 64;

    private static final int LONGEST_MESSAGE = 32_768;

    private static final long SECOND = 1_000_000_000;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final RedisConnections connections;

    private final LockKeys keys;

    private final String self;

    private final Function<String, @Nullable HoldReport> holds;

    private final Map<String, CompletableFuture<Optional<HoldReport>>> open = new ConcurrentHashMap<>();

    private final AtomicInteger answered = new AtomicInteger();

    private volatile long secondBegan = NanoClock.SYSTEM.nanos();

    private final ThreadPoolExecutor answers =
            new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(ANSWERS), task -> {
                Thread thread = new Thread(null, task, "distributed-lock-answers", 0, false);
                thread.setDaemon(true);
                return thread;
            });

    /** @param holds what this instance says of a lock, null if no caller of it holds it */
    InstanceQueries(
            RedisConnections connections,
            LockKeys keys,
            InstanceId self,
            Function<String, @Nullable HoldReport> holds) {
        this.connections = connections;
        this.keys = keys;
        this.self = self.publicPart();
        this.holds = holds;
        answers.allowCoreThreadTimeOut(true);
    }

    @Override
    public Optional<HoldReport> of(String instance, String lockName) {
        if (instance.equals(self)) {
            return Optional.ofNullable(holds.apply(lockName));
        }
        String question = InstanceMessage.ask(self, number(), lockName);
        if (!InstanceMessage.isInstance(instance) || question.length() > LONGEST_MESSAGE || open.size() >= OPEN) {
            return Optional.empty();
        }
        return ask(instance, InstanceMessage.word(question, 2), question)
                .filter(report -> report.lockName().equals(lockName));
    }

    private static String number() {
        return Long.toHexString(RANDOM.nextLong()) + Long.toHexString(RANDOM.nextLong());
    }

    private Optional<HoldReport> ask(String instance, String number, String question) {
        CompletableFuture<Optional<HoldReport>> answer = new CompletableFuture<>();
        open.put(number, answer);
        try {
            publish(instance, question);
            return answer.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (TimeoutException | ExecutionException ex) {
            return Optional.empty();
        } finally {
            open.remove(number);
        }
    }

    /** In a cluster an instance has other channels, on which it is not asked. */
    private void publish(String instance, String message) {
        RedisConnections.CommandWriter writer = connections.commands();
        if (writer == null || connections.routesByKey()) {
            return;
        }
        CommandArgs<String, String> operands =
                new CommandArgs<>(StringCodec.UTF8).add(keys.channel(instance)).add(message);
        try {
            writer.write(new AsyncCommand<>(
                    new Command<>(CommandType.PUBLISH, new IntegerOutput<>(StringCodec.UTF8), operands)));
        } catch (RuntimeException ex) {
            log.debug("A message to another instance could not be sent", ex);
        }
    }

    /**
     * Called on the network's thread.
     *
     * @return false if it is no question or answer
     */
    boolean message(String message) {
        if (message.startsWith(InstanceMessage.TELL)) {
            told(message);
            return true;
        }
        if (message.startsWith(InstanceMessage.ASK)) {
            asked(message);
            return true;
        }
        return false;
    }

    private void told(String message) {
        CompletableFuture<Optional<HoldReport>> answer =
                message.length() > LONGEST_MESSAGE ? null : open.remove(InstanceMessage.word(message, 1));
        if (answer != null) {
            answer.complete(InstanceMessage.report(message));
        }
    }

    private void asked(String message) {
        if (message.length() > LONGEST_MESSAGE || !mayAnswer()) {
            return;
        }
        try {
            answers.execute(() -> answer(message));
        } catch (RejectedExecutionException ex) {
            log.debug("Too many questions of other instances, or this one has stopped");
        }
    }

    private boolean mayAnswer() {
        long now = NanoClock.SYSTEM.nanos();
        if (now - secondBegan >= SECOND) {
            secondBegan = now;
            answered.set(0);
        }
        return answered.incrementAndGet() <= ANSWERS;
    }

    private void answer(String message) {
        String asker = InstanceMessage.word(message, 1);
        String name = InstanceMessage.nameIn(message);
        if (name != null && InstanceMessage.isInstance(asker)) {
            publish(asker, InstanceMessage.tell(InstanceMessage.word(message, 2), holds.apply(name)));
        }
    }

    @Override
    public void close() {
        answers.shutdownNow();
    }
}
