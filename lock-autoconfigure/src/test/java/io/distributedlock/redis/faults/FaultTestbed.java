/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.FencedStore;
import io.distributedlock.redis.history.CheckerBounds;
import io.distributedlock.redis.history.Event;
import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import io.distributedlock.redis.history.Fault;
import io.distributedlock.redis.history.History;
import io.distributedlock.redis.history.HistoryChecker;
import io.distributedlock.redis.history.HistoryReport;
import io.distributedlock.redis.history.Model;
import io.distributedlock.redis.history.Renewal;
import io.distributedlock.redis.history.StallWatch;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Several JVMs whose workers use the same locks, each with a network of its own to one Redis. Play is in rounds: each
 * has names and a history of its own, so the arena can be used again whatever was broken in the round before.
 *
 * @param <T> the topology of Redis
 */
final class FaultTestbed<T extends FaultTarget> implements AutoCloseable {

    static final String PREFIX = "lock:";

    /** In milliseconds; longer on a machine that is too busy to open connections in that time. */
    static final String COMMAND_TIMEOUT_PROPERTY = "faults.commandTimeout";

    static final Duration COMMAND_TIMEOUT = Duration.ofMillis(Long.getLong(COMMAND_TIMEOUT_PROPERTY, 300));

    /**
     * What may be added to the time of a call at least, apart from times in which the machine was seen to stand still.
     */
    private static final Duration NOISE = Duration.ofMillis(700);

    /** From the end of a lease until a waiter that got no message asks again. */
    private static final Duration POLL = Duration.ofSeconds(1);

    /** From when instances may listen again until they do. */
    private static final Duration RESUBSCRIBE = Duration.ofSeconds(6);

    /** In every arena, one instance keeps its leases for a while. */
    private static final int RETENTION_MILLIS = 20;

    /**
     * How big it is.
     *
     * @param pauseMicros how long a worker rests between two locks, on average
     */
    record Size(int jvms, int workers, int locks, Duration lease, int pauseMicros) {}

    private final Size size;

    private final T redis;

    /** Has the counters and the fenced stores. Never broken. */
    private final EmbeddedRedis truth = EmbeddedRedis.start();

    private final Queue<Renewal> renewals = new ConcurrentLinkedQueue<>();

    private final List<ClientProcess> members = new ArrayList<>();

    private final StallWatch stalls = StallWatch.start(this::historyOrNull);

    private int started;

    private volatile @Nullable History history;

    private Path directory = Path.of(".");

    private List<String> names = List.of();

    private long seed;

    private Duration lease;

    /** @param redis closed with this object */
    FaultTestbed(Size size, T redis) {
        this.size = size;
        this.redis = redis;
        this.lease = size.lease();
        List<CompletableFuture<ClientProcess>> starting = IntStream.range(0, size.jvms())
                .mapToObj(i -> Background.supply(this::startMember))
                .toList();
        starting.forEach(each -> members.add(each.join()));
    }

    private ClientProcess startMember() {
        int number;
        synchronized (renewals) {
            number = started++;
        }
        int retention = number % size.jvms() == 1 ? RETENTION_MILLIS : 0;
        return ClientProcess.start("jvm" + number, redis, truth.port(), retention, renewals::add);
    }

    T redis() {
        return redis;
    }

    /** The names of the locks of this round. */
    List<String> names() {
        return names;
    }

    List<ClientProcess> members() {
        return members;
    }

    Duration lease() {
        return lease;
    }

    private @Nullable History historyOrNull() {
        return history;
    }

    private History history() {
        return Objects.requireNonNull(history, "no round");
    }

    /** Sets all workers to work on new locks. The directory for the histories must not exist. */
    void begin(Path roundDirectory, String name, long roundSeed, Duration roundLease) {
        directory = roundDirectory.toAbsolutePath();
        seed = roundSeed;
        lease = roundLease;
        names = IntStream.range(0, size.locks()).mapToObj(i -> name + "-" + i).toList();
        renewals.clear();
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try (RespClient client = truth.connect()) {
            client.call("FLUSHALL");
            names.forEach(each -> client.call("SET", "counter:" + each, "0"));
        }
        history = History.open(directory, "test");
        members.forEach(this::compareClock);
        members.forEach(this::setToWork);
    }

    private void compareClock(ClientProcess member) {
        history().compareClock(member.name(), member::clock);
    }

    private void setToWork(ClientProcess member) {
        member.ask("begin", directory, member.name(), lease.toMillis(), size.pauseMicros(), String.join(",", names));
        member.work(size.workers(), seed + 1_000L * members.indexOf(member));
    }

    /** Breaks something once, and writes down when. Returns whether it hit. */
    boolean play(FaultRow<T> row, Random random) {
        ClientProcess victim = members.get(random.nextInt(members.size()));
        Fault fault = history().breaking(row.kind(), row.hitsJvm() ? victim.name() : row.name(), whole(row));
        boolean hit = false;
        try {
            hit = row.injection().inject(this, victim, random);
        } finally {
            if (hit) {
                fault.hit();
            } else {
                fault.missed();
            }
        }
        if (row.endsJvm()) {
            replace(victim);
        }
        return hit;
    }

    /** Where only some faults lose data, the injection says when that is. */
    private static Model whole(FaultRow<?> row) {
        return row.model() == Model.SOME_LOSS ? Model.NO_LOSS : row.model();
    }

    /**
     * Within a fault that takes longer: what Redis confirms from now until the returned one is over may be forgotten,
     * but nothing that it confirms later.
     */
    Fault losing(String kind, String target) {
        return history().breaking(kind, target, Model.DATA_LOSS);
    }

    private void replace(ClientProcess dead) {
        dead.close();
        ClientProcess next = startMember();
        members.set(members.indexOf(dead), next);
        compareClock(next);
        setToWork(next);
    }

    /** Stops all workers, looks what is left, and judges what happened. */
    HistoryReport end(String row, Model model) {
        members.forEach(member -> member.ask("stop"));
        members.forEach(ClientProcess::awaitWork);
        List<String> leftovers = new ArrayList<>();
        members.forEach(member -> leftovers.addAll(member.probe()
                .lines()
                .map(each -> member.name() + " cannot get " + each)
                .toList()));
        leftovers.addAll(leftovers());
        members.forEach(member -> renewals.addAll(member.renewals()));
        members.forEach(member -> member.ask("end"));
        History mine = history();
        history = null;
        mine.close();
        return judge(row, model, leftovers);
    }

    /** Entries end with their leases at the latest; what was cancelled is remembered for two leases. */
    private List<String> leftovers() {
        Waits.until(
                lease.toMillis() + Noise.LATEST.toMillis(),
                () -> redis.keys().stream().allMatch(FaultTestbed::isCancelled));
        Waits.until(RESUBSCRIBE.toMillis() + Noise.LATEST.toMillis(), this::isHeardByAll);
        List<String> left = new ArrayList<>();
        for (String key : redis.keys()) {
            long ttl = redis.millisToLive(key);
            boolean forgotten = isCancelled(key) && ttl != -1 && (isOfAnotherRow(key) || ttl <= 2 * lease.toMillis());
            if (!forgotten) {
                left.add("key " + key + " with " + ttl + " ms to live");
            }
        }
        if (!isHeardByAll()) {
            left.add("at each master, " + redis.listeningInstances() + " instances listen, of " + members.size());
        }
        return left;
    }

    private static boolean isCancelled(String key) {
        return key.endsWith("}cancelled");
    }

    /** The row before may have had longer leases. */
    private boolean isOfAnotherRow(String key) {
        return names.stream().noneMatch(name -> key.contains("{" + name + "}"));
    }

    private boolean isHeardByAll() {
        return redis.listeningInstances().stream().allMatch(count -> count == members.size());
    }

    private HistoryReport judge(String row, Model model, List<String> leftovers) {
        List<Event> events = History.read(directory);
        Duration measured = Noise.now();
        Duration noise = measured.compareTo(NOISE) > 0 ? measured : NOISE;
        CheckerBounds bounds = new CheckerBounds(
                COMMAND_TIMEOUT.plus(noise), POLL.plus(COMMAND_TIMEOUT).plus(noise), lease);
        HistoryChecker checker = new HistoryChecker(row, seed, model, bounds)
                .renewals(renewals)
                .redirections(redis.redirects() ? COMMAND_TIMEOUT : Duration.ZERO)
                .lateness(measured)
                .leftovers(leftovers);
        Set<String> doubtful = events.stream()
                .filter(event -> event.operation() == Operation.COUNT && event.phase() == Phase.UNKNOWN)
                .map(Event::lock)
                .collect(Collectors.toSet());
        doubtful.add(Workload.forced(names));
        try (RespClient client = truth.connect()) {
            for (String name : names) {
                checker.store(name, FencedStore.accepted(client, "store:" + name));
                if (!doubtful.contains(name)) {
                    checker.counter(name, Long.parseLong(client.text("GET", "counter:" + name)));
                }
            }
        }
        HistoryReport verdict = checker.judge(events);
        if (verdict.outcome() == HistoryReport.Outcome.GREEN) {
            forget();
        }
        return verdict;
    }

    /** Only the analysis of a failure needs the history. */
    private void forget() {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        stalls.close();
        members.forEach(ClientProcess::close);
        redis.close();
        truth.close();
    }
}
