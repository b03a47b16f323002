/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChildJvmTests {

    @Test
    void answersInLanes() {
        try (ChildJvm child = ChildJvm.start(RedisChild.class)) {
            assertThat(child.ask("a", "echo", "", "two words", 3, "é\n🔒")).isEqualTo("|two words|3|é\n🔒");
            assertThat(child.ask("a", "thread")).isEqualTo("lane-a").isEqualTo(child.ask("a", "thread"));
            assertThat(child.ask("b", "thread")).isEqualTo("lane-b");
            assertThatExceptionOfType(ChildJvm.Failure.class)
                    .isThrownBy(() -> child.ask("a", "fail", "on purpose"))
                    .withMessageContaining("on purpose")
                    .satisfies(e -> assertThat(e.type()).isEqualTo("java.lang.UnsupportedOperationException"));
        }
    }

    @Test
    void stopsAndContinues() throws Exception {
        try (ChildJvm child = ChildJvm.start(RedisChild.class)) {
            child.signal("STOP");
            CompletableFuture<String> answer = child.send("a", "echo", "late");
            assertThat(answer.completeOnTimeout("none", 200, TimeUnit.MILLISECONDS)
                            .get())
                    .isEqualTo("none");
            child.signal("CONT");
            assertThat(child.ask("a", "echo", "again")).isEqualTo("again");
        }
    }

    @Test
    void failsRequestsOfAChildThatHasEnded() {
        try (ChildJvm child = ChildJvm.start(RedisChild.class)) {
            child.signal("KILL");
            assertThat(child.awaitExit(Duration.ofSeconds(10))).isTrue();
            assertThatIllegalStateException().isThrownBy(() -> child.ask("a", "echo"));
        }
    }

    @Test
    void reportsWhyAChildDidNotStart() {
        assertThatIllegalStateException()
                .isThrownBy(() -> ChildJvm.start(NoMain.class))
                .withMessageContaining("NoMain");
    }

    @Test
    void neverOutlivesItsParentEvenWhenStopped() {
        try (ChildJvm parent = ChildJvm.start(ParentOfChild.class)) {
            long running = Long.parseLong(parent.ask("a", "start"));
            long stopped = Long.parseLong(parent.ask("a", "start"));
            Processes.signal("STOP", stopped);
            assertThat(ProcessHandle.of(running)).isPresent();
            parent.signal("KILL");
            await().until(() -> ProcessHandle.of(running).isEmpty()
                    && ProcessHandle.of(stopped).isEmpty());
        }
    }

    static final class NoMain {}

    static final class ParentOfChild {

        public static void main(String[] args) {
            ChildRequests.serve(
                    request -> Long.toString(ChildJvm.start(LeafChild.class).pid()));
        }
    }

    static final class LeafChild {

        public static void main(String[] args) {
            ChildRequests.serve(request -> "");
        }
    }
}
