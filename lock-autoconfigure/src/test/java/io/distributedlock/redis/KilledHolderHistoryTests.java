/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.redis.history.CheckerBounds;
import io.distributedlock.redis.history.Fault;
import io.distributedlock.redis.history.History;
import io.distributedlock.redis.history.HistoryChecker;
import io.distributedlock.redis.history.HistoryReport;
import io.distributedlock.redis.history.Model;
import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.SafetyViolations;
import io.distributedlock.testing.Seeds;
import io.distributedlock.testing.TestLength;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole way of a history: two JVMs with four workers each write it, one of them is killed, and the checker judges
 * it.
 */
@Tag(TestLength.FULL)
@ExtendWith(SafetyViolations.class)
class KilledHolderHistoryTests {

    private static StandaloneServer server;

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, server.redis());

    @TempDir
    Path directory;

    private final long seed = Seeds.of("killedHolderHistory.seed");

    private final TestCallers callers = new TestCallers();

    private final List<ChildJvm> children = new ArrayList<>();

    @AfterEach
    void close() {
        children.forEach(ChildJvm::close);
        callers.close();
    }

    @BeforeAll
    static void start() {
        server = new StandaloneServer();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void everythingIsKeptWhenAHolderIsKilled() {
        try (RespClient redis = server.redis().connect();
                History history = History.open(directory, "test")) {
            HistoryChild.NAMES.forEach(name -> redis.call("SET", "counter:" + name, "0"));
            startChildren(history, "a", "b");
            List<CompletableFuture<String>> survivors = work(children.get(0));
            work(children.get(1));
            children.forEach(child -> awaitTurns(child, 50));
            kill(history, children.get(1), "b");
            awaitTurns(children.get(0), turns(children.get(0)) + 100);
            children.get(0).ask("control", "stop");
            survivors.forEach(answer -> ChildJvm.await(answer, LIMIT));

            HistoryReport verdict = judge(redis);
            System.out.println(verdict);
            verdict.assertGreen();
            assertThat(verdict.hits()).containsOnlyKeys(Fault.KILL).containsValue(1);
            assertThat(verdict.grants()).isGreaterThan(200);
            assertThat(verdict.worstHandOver())
                    .as("the dead one's lease")
                    .isLessThan(bounds().handOver().plus(HistoryChild.LEASE));
        }
    }

    private void startChildren(History history, String... names) {
        String port = Integer.toString(server.redis().port());
        List<TestCallers.Call<ChildJvm>> starting = new ArrayList<>();
        for (String name : names) {
            starting.add(callers.call(() -> ChildJvm.start(HistoryChild.class, port, directory.toString(), name)));
        }
        TestCallers.getAllInto(children, starting);
        for (int i = 0; i < names.length; i++) {
            ChildJvm child = children.get(i);
            history.compareClock(names[i], () -> Long.parseLong(child.ask("control", "clock")));
        }
    }

    private List<CompletableFuture<String>> work(ChildJvm child) {
        int first = 4 * children.indexOf(child);
        return IntStream.range(first, first + 4)
                .mapToObj(worker -> child.send("worker" + worker, "work", seed + worker))
                .toList();
    }

    private static int turns(ChildJvm child) {
        return Integer.parseInt(child.ask("control", "turns"));
    }

    private static void awaitTurns(ChildJvm child, int count) {
        await().atMost(LIMIT).until(() -> turns(child) >= count);
    }

    /** While it holds a lock for sure, and others wait for it or are about to. */
    private static void kill(History history, ChildJvm child, String name) {
        child.ask("keeper", "keep", HistoryChild.NAMES.get(0));
        Fault fault = history.breaking(Fault.KILL, name);
        child.signal("KILL");
        assertThat(child.awaitExit(LIMIT)).isTrue();
        fault.hit();
    }

    private static CheckerBounds bounds() {
        Duration noise = Noise.now();
        return new CheckerBounds(
                Templates.IMPATIENT.commandTimeout().plus(noise),
                Duration.ofSeconds(1).plus(noise),
                HistoryChild.LEASE);
    }

    private HistoryReport judge(RespClient redis) {
        HistoryChecker checker = new HistoryChecker("SIGKILL of a holder", seed, Model.NO_LOSS, bounds());
        for (String name : HistoryChild.NAMES) {
            checker.counter(name, Long.parseLong(redis.text("GET", "counter:" + name)));
            checker.store(name, FencedStore.accepted(redis, "store:" + name));
        }
        return checker.leftovers(leftovers(redis)).judge(History.read(directory));
    }

    /**
     * What is still there when the last lease must have ended. The mark of a cancellation may be there for two leases,
     * and that of the warm-up has a longer one.
     */
    private static List<String> leftovers(RespClient redis) {
        Stopwatch watch = Stopwatch.start();
        await().pollInterval(Duration.ofMillis(10))
                .until(() -> redis.keys(Templates.PREFIX + "*").isEmpty()
                        || watch.elapsed().compareTo(HistoryChild.LEASE.multipliedBy(2)) > 0);
        return redis.keys(Templates.PREFIX + "*").stream()
                .filter(key -> !key.endsWith("}cancelled") || redis.number("PTTL", key) == -1)
                .toList();
    }
}
