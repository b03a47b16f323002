/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.InstanceReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockOrigin;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FleetMessageTests {

    private static InstanceReport sent(List<LockActivity.Held> held, List<LockActivity.Waiting> waiting) {
        LockActivity activity = new LockActivity("AAAAAAAA", true, true, held, waiting);
        List<String> messages = FleetMessage.here("7", ActivityPage.of(activity, "till 1", "", 500), 3);
        assertThat(messages).hasSizeLessThanOrEqualTo(FleetMessage.PARTS);
        String rows = messages.stream().map(each -> each.split(" ", 5)[4]).collect(Collectors.joining());
        return FleetMessage.report("AAAAAAAA", rows);
    }

    private static LockActivity.Held held(String name) {
        Duration second = Duration.ofSeconds(1);
        return new LockActivity.Held(name, 5, second, second, "main", 0, 0, LockOrigin.NONE, null);
    }

    private static LockActivity.Waiting waiting(String name) {
        return new LockActivity.Waiting(name, "main", Duration.ofSeconds(1), null, null, LockOrigin.NONE, null);
    }

    @Test
    void aPageThatFitsIsWhole() {
        InstanceReport report = sent(List.of(held("a"), held("b")), List.of(waiting("b"), waiting("c")));

        assertThat(report.cutAfter()).isNull();
        assertThat(report.held()).extracting(LockActivity.Held::name).containsExactly("a", "b");
        assertThat(report.waiting()).extracting(wait -> wait.longest().name()).containsExactly("b", "c");
    }

    /** Redis passes messages between databases, but locks of different databases are different locks. */
    @Test
    void aReplyShowsWhetherItIsOfAnotherDatabase() {
        LockActivity activity = new LockActivity("AAAAAAAA", true, true, List.of(held("a")), List.of());
        String message = FleetMessage.here("7", ActivityPage.of(activity, "till 1", "", 500), 3)
                .get(0);
        String rows = message.split(" ", 5)[4];

        assertThat(FleetMessage.isOfOtherDatabase(rows, 3)).isFalse();
        assertThat(FleetMessage.isOfOtherDatabase(rows, 0)).isTrue();
        String older = rows.replaceFirst(",3;", ";");
        assertThat(FleetMessage.isOfOtherDatabase(older, 0)).isFalse();
        assertThat(FleetMessage.report("AAAAAAAA", older)).isNotNull();
    }

    /** Otherwise the waits would be missing, and the next page would begin behind them. */
    @Test
    void aPageThatDoesNotFitEndsBetweenTwoNames() {
        List<String> names =
                IntStream.range(100, 600).mapToObj(i -> i + "x".repeat(2_000)).toList();

        InstanceReport report = sent(
                names.stream().map(FleetMessageTests::held).toList(),
                names.stream().map(FleetMessageTests::waiting).toList());

        assertThat(report.held()).hasSizeBetween(200, 499);
        assertThat(report.waiting()).hasSameSizeAs(report.held());
        String last = report.held().get(report.held().size() - 1).name();
        assertThat(report.cutAfter()).isEqualTo(last);
        assertThat(report.waiting().get(report.waiting().size() - 1).longest().name())
                .isEqualTo(last);
    }
}
