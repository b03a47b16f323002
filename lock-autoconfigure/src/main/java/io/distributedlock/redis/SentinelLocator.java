/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Asks all Sentinels, and listens to all of them. The answer with the highest configuration epoch counts, and the epoch
 * never goes back: a Sentinel that was cut off may still name the old master. Only when most Sentinels name an older
 * epoch, as after they were set up anew, is that the truth.
 */
final class SentinelLocator implements MasterLocator {

    private static final long LIMIT_MILLIS = 1_000;

    private final RedisClient client;

    private final EventExecutorGroup executors;

    private final String master;

    private final List<SentinelLink> links;

    /** The answer that counted; guarded by this object. */
    private @Nullable SentinelAnswer latest;

    /** @param client closed with this object */
    SentinelLocator(RedisClient client, List<RedisURI> sentinels, String master, EventExecutorGroup executors) {
        this.client = client;
        this.executors = executors;
        this.master = master;
        this.links = sentinels.stream()
                .map(uri -> new SentinelLink(client, uri, master, executors))
                .toList();
    }

    @Override
    public void open(Runnable hint) {
        links.forEach(link -> link.listen(hint));
    }

    @Override
    public CompletableFuture<InetSocketAddress> locate() {
        Collector<SentinelAnswer> question =
                new Collector<>(executors, links.size(), LIMIT_MILLIS, answer -> answer.address() != null);
        links.forEach(link -> link.ask().whenComplete(question::answered));
        return question.end().thenApply(this::decide);
    }

    private synchronized InetSocketAddress decide(Collector<SentinelAnswer> question) {
        List<SentinelAnswer> answers = question.answers();
        Optional<SentinelAnswer> best = answers.stream()
                .filter(answer -> answer.address() != null)
                .max(Comparator.comparingLong(SentinelAnswer::epoch));
        SentinelAnswer counts = best.map(answer -> isStale(answer, answers) ? latest : answer)
                .orElse(answers.isEmpty() ? latest : null);
        InetSocketAddress address = counts == null ? null : counts.address();
        if (address == null) {
            throw new MasterUnknownException(why(question));
        }
        latest = counts;
        return address;
    }

    private boolean isStale(SentinelAnswer answer, List<SentinelAnswer> answers) {
        SentinelAnswer known = latest;
        if (known == null || answer.epoch() >= known.epoch()) {
            return false;
        }
        long same = answers.stream().filter(answer::equals).count();
        return 2 * same <= links.size();
    }

    private String why(Collector<SentinelAnswer> question) {
        if (!question.answers().isEmpty()) {
            return "the Sentinels know no master named '" + master
                    + "'. Correct spring.data.redis.sentinel.master, or have them monitor it";
        }
        return question.failures().stream()
                .findFirst()
                .map(failure -> "no Sentinel can be asked: " + LettuceFailures.reason(failure))
                .orElse("no Sentinel answers");
    }

    @Override
    public String description() {
        return "'" + master + "' of the Sentinels at "
                + links.stream().map(SentinelLink::address).collect(Collectors.joining(", "));
    }

    @Override
    public void close() {
        links.forEach(SentinelLink::close);
        LockClientFactory.shutdown(client);
    }
}
