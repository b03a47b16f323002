/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ShardMailboxTests {

    private static final long START = Long.MAX_VALUE - 1_000;

    private final ShardMailbox mailbox = new ShardMailbox("id", 7, "channel");

    private static long after(long millis) {
        return START + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** The silence of a frozen master is measured from the first request without a reply. */
    @Test
    void theSubscriptionIsRepeatedOnceASecond() {
        assertThat(mailbox.begin(START)).isTrue();
        assertThat(mailbox.succeeded(null, after(5))).isTrue();

        assertThat(mailbox.begin(after(500))).isFalse();
        assertThat(mailbox.begin(after(1_000))).isTrue();
        assertThat(mailbox.succeeded(null, after(1_005))).isFalse();
        assertThat(mailbox.begin(after(1_500))).isFalse();
        assertThat(mailbox.begin(after(2_000))).isTrue();
    }

    @Test
    void anAttemptWithoutAReplyIsRepeatedAfterFiveSeconds() {
        assertThat(mailbox.begin(START)).isTrue();

        assertThat(mailbox.begin(after(4_999))).isFalse();
        assertThat(mailbox.begin(after(5_000))).isTrue();
        assertThat(mailbox.isSubscribed()).isFalse();
    }

    @Test
    void anAttemptThatFailedIsRepeatedAtOnce() {
        assertThat(mailbox.begin(START)).isTrue();
        mailbox.failed();

        assertThat(mailbox.begin(after(1))).isTrue();
    }

    /** As while the server runs a long script: messages arrive when that ends. */
    @Test
    void aPostponedRepetitionKeepsTheSubscription() {
        assertThat(mailbox.begin(START)).isTrue();
        mailbox.succeeded(null, after(5));
        assertThat(mailbox.begin(after(1_000))).isTrue();
        mailbox.postponed();

        assertThat(mailbox.isSubscribed()).isTrue();
        assertThat(mailbox.begin(after(1_001))).isTrue();
    }

    @Test
    void aFailedRepetitionEndsTheSubscription() {
        assertThat(mailbox.begin(START)).isTrue();
        mailbox.succeeded(null, after(5));
        assertThat(mailbox.begin(after(1_000))).isTrue();
        mailbox.failed();

        assertThat(mailbox.isSubscribed()).isFalse();
    }

    /** The master has another address now. */
    @Test
    void aSubscriptionOnAnEarlierConnectionDoesNotCount() {
        StatefulRedisPubSubConnection<String, String> first = connection();
        StatefulRedisPubSubConnection<String, String> second = connection();
        mailbox.use(first);
        assertThat(mailbox.succeeded(first, START)).isTrue();

        mailbox.use(second);
        assertThat(mailbox.isSubscribed()).isFalse();
        assertThat(mailbox.succeeded(first, after(1))).isFalse();
        assertThat(mailbox.isSubscribed()).isFalse();
        assertThat(mailbox.succeeded(second, after(2))).isTrue();
        assertThat(mailbox.isOn(first)).isFalse();
        assertThat(mailbox.isOn(second)).isTrue();
    }

    @SuppressWarnings("unchecked")
    private static StatefulRedisPubSubConnection<String, String> connection() {
        return (StatefulRedisPubSubConnection<String, String>) Proxy.newProxyInstance(
                ShardMailboxTests.class.getClassLoader(),
                new Class<?>[] {StatefulRedisPubSubConnection.class},
                (connection, method, arguments) -> {
                    throw new AssertionError(method);
                });
    }
}
