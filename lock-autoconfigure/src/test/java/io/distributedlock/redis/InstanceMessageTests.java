/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.HoldReport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstanceMessageTests {

    private static HoldReport report(String label, List<HoldReport.Wait> waits) {
        return new HoldReport("order:1", 7, label, "exec-1", null, Duration.ofSeconds(2), waits, 3, "4bf92f35");
    }

    private static List<HoldReport.Wait> waitsFor(String... names) {
        return IntStream.range(0, names.length)
                .mapToObj(i -> new HoldReport.Wait(names[i], "id" + i))
                .toList();
    }

    private static HoldReport told(HoldReport report) {
        return InstanceMessage.report(InstanceMessage.report("number", report)).orElseThrow();
    }

    @Test
    void aReportArrivesAsItWasSent() {
        HoldReport report = report("till 1", waitsFor("order:2", "order:3"));

        assertThat(told(report)).isEqualTo(report);
    }

    /** They were read as question marks, so that the holder of such a lock was not found. */
    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "a\uD800",
                "\uDC00b",
                "\uDFFF\uD800",
                "\uD800\uD83D\uDE00\uDBFF",
                "\uD7FF\uD800\uE000",
                "a?",
                "a\uFFFD",
                ""
            })
    void namesWithLoneSurrogatesArriveAsTheyWereSent(String name) {
        assertThat(InstanceMessage.nameIn(InstanceMessage.request("AAAAAAAA", "number", name)))
                .isEqualTo(name);
        assertThat(FleetMessage.after(FleetMessage.list("AAAAAAAA", "number", 5, name)))
                .isEqualTo(name);
    }

    @Test
    void allOtherTextsAreInUtf8AsOlderVersionsReadThem() {
        String text = IntStream.rangeClosed(0, Character.MAX_CODE_POINT)
                .filter(point -> point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE)
                .mapToObj(Character::toString)
                .collect(Collectors.joining());

        assertThat(MessageText.bytes(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
        assertThat(MessageText.of(MessageText.bytes(text))).isEqualTo(text);
    }

    /** A reply is one message, whatever its sender holds and waits for. */
    @Test
    void aReplyIsBounded() {
        HoldReport told = told(report("l".repeat(5_000), waitsFor("a", "w".repeat(5_000), "b", "c", "d", "e", "f")));

        assertThat(told.label()).hasSize(1_000);
        assertThat(told.waits()).extracting(HoldReport.Wait::lockName).containsExactly("a", "b", "c", "d");
        assertThat(told.waiters()).isEqualTo(3);
    }

    /** It has sent no number of callers. */
    @Test
    void aReplyOfAnOlderVersionIsRead() {
        String words = InstanceMessage.report("number", report("till 1", waitsFor("order:2")));
        HoldReport told = InstanceMessage.report(words.substring(0, words.lastIndexOf(' ')))
                .orElseThrow();

        assertThat(told.waits()).extracting(HoldReport.Wait::lockName).containsExactly("order:2");
        assertThat(told.waiters()).isZero();
        assertThat(told.traceId()).isNull();
    }

    @Test
    void anIncompleteReplyIsNone() {
        String words = InstanceMessage.report("number", report("till 1", List.of()));

        for (int end = 0; end < words.length(); end++) {
            if (words.charAt(end) == ' ') {
                Optional<HoldReport> told = InstanceMessage.report(words.substring(0, end));
                assertThat(told.isPresent()).isEqualTo(end == words.lastIndexOf(' '));
            }
        }
    }

    /** The sender of a request names the channel of the reply, and must not choose any other one. */
    @Test
    void onlyAChannelOfAnInstanceIsAnAddress() {
        assertThat(InstanceMessage.isAddress("AAAAAAAA")).isTrue();
        assertThat(InstanceMessage.isAddress("AAAAAAAA{1a}")).isTrue();
        assertThat(InstanceMessage.isAddress("AAAAAAAA{1a}b")).isFalse();
        assertThat(InstanceMessage.isAddress("AAAAAAAAA")).isFalse();
        assertThat(InstanceMessage.isAddress("AAAAAAAA:other")).isFalse();
    }
}
