/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockTemplate;
import io.distributedlock.redis.history.History;
import io.distributedlock.redis.history.RecordedLocks;
import io.distributedlock.redis.history.Renewal;
import io.distributedlock.redis.history.StallWatch;
import io.distributedlock.testing.ChildRequests;
import io.distributedlock.testing.ChildRequests.Request;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.StopSignal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An instance in a JVM of its own. Each lane is a worker. */
final class FaultTestbedChild {

    private final RedisLockTemplate template;

    private final int truthPort;

    /** Those that no proxy has seen. */
    private final Queue<Renewal> renewals;

    private volatile @Nullable Workload round;

    private FaultTestbedChild(RedisLockTemplate template, int truthPort, Queue<Renewal> renewals) {
        this.template = template;
        this.truthPort = truthPort;
        this.renewals = renewals;
    }

    /**
     * The arguments are the way to Redis, the port of what is never broken, the retention and the command time-out in
     * milliseconds.
     */
    public static void main(String[] args) {
        Queue<Renewal> renewals = new ConcurrentLinkedQueue<>();
        LettuceConnectionFactory factory = InstanceConnection.of(args[0]).connectionFactory(renewals::add);
        RedisLockTemplate template = new RedisLockTemplate(
                factory, FaultTestbed.PREFIX, settings(millis(args[3])).withRetention(millis(args[2])));
        template.start();
        warmUp(template);
        Runtime.getRuntime().addShutdownHook(new Thread(template::close));
        FaultTestbedChild child = new FaultTestbedChild(template, Integer.parseInt(args[1]), renewals);
        StallWatch.start(child::history);
        ChildRequests.serve(child::answer);
    }

    private static Duration millis(String text) {
        return Duration.ofMillis(Long.parseLong(text));
    }

    private static EngineSettings settings(Duration commandTimeout) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return new EngineSettings(
                defaults.lease(),
                defaults.waitUpTo(),
                defaults.maxHold(),
                commandTimeout,
                defaults.maxPasses(),
                defaults.maxBatch(),
                Duration.ofMillis(200));
    }

    private static void warmUp(RedisLockTemplate template) {
        while (true) {
            try {
                template.acquire(LockRequest.of("warm-up").lease(Duration.ofSeconds(1)))
                        .close();
                return;
            } catch (LockUnavailableException | LockLostException | LockReleaseUnconfirmedException e) {
                // Redis is not there yet, or a busy machine needs longer than that for the classes.
            }
        }
    }

    private @Nullable History history() {
        Workload current = round;
        return current == null ? null : current.history();
    }

    private String answer(Request request) {
        return switch (request.name()) {
            case "clock" -> Long.toString(System.nanoTime());
            case "begin" -> begin(request);
            case "work" -> work(request.text(0), request.number(1), WorkerRole.valueOf(request.text(2)));
            case "stop" -> stop();
            case "end" -> end();
            case "probe" -> probe();
            case "renewals" -> renewals();
            default -> throw new IllegalArgumentException(request.name());
        };
    }

    private Workload current() {
        return Optional.ofNullable(round).orElseThrow();
    }

    /**
     * The arguments are the directory of the history, the name of this JVM, lease, pause, and the names of the locks.
     */
    private String begin(Request request) {
        renewals.clear();
        History history = History.open(Path.of(request.text(0)), request.text(1));
        round = new Workload(
                history,
                new RecordedLocks(template, history),
                List.of(request.text(4).split(",")),
                Duration.ofMillis(request.number(2)),
                (int) request.number(3),
                new StopSignal());
        return "begun";
    }

    private String stop() {
        current().over().set();
        return "stopping";
    }

    private String work(String owner, long seed, WorkerRole role) {
        try (RespClient truth = RespClient.connect(truthPort)) {
            return Integer.toString(new Worker(current(), truth, new Random(seed), owner, role).work());
        }
    }

    private String end() {
        current().history().close();
        round = null;
        return "ended";
    }

    private String renewals() {
        return renewals.stream()
                .map(renewal -> renewal.nanos() + " " + renewal.text() + " " + renewal.lock() + "\n")
                .collect(Collectors.joining());
    }

    /**
     * Takes each lock once, as the only one who wants it, and tries again while replies are missing. Gives what could
     * not be had. The history knows of these holds, too: on a busy machine one may last until it is renewed.
     */
    private String probe() {
        StringBuilder failed = new StringBuilder();
        long end = System.nanoTime() + Noise.patience().toNanos();
        for (String name : current().names()) {
            RuntimeException failure;
            do {
                failure = failureOfAnAcquisition(name);
            } while (isMissingReply(failure) && System.nanoTime() - end < 0);
            if (failure != null) {
                failed.append(name).append(": ").append(failure).append('\n');
            }
        }
        return failed.toString();
    }

    private @Nullable RuntimeException failureOfAnAcquisition(String name) {
        LockRequest request = LockRequest.of(name).lease(current().lease());
        try (LockHandle handle =
                current().locks().acquire(request.waitUpTo(current().lease().multipliedBy(2)))) {
            handle.throwIfLost();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** A reply that comes late on a busy machine says nothing of the lock. */
    private static boolean isMissingReply(@Nullable RuntimeException failure) {
        return failure instanceof LockReleaseUnconfirmedException || failure instanceof LockUnavailableException;
    }
}
