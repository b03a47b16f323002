/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.redis.FencedStore;
import io.distributedlock.redis.history.RecordedHandle;
import io.distributedlock.redis.history.RecordedSet;
import io.distributedlock.testing.RandomMoments;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Takes locks in every way there is, and does under them what they are there for. */
final class Worker {

    private static final int LONGEST_WAIT = 1_500;

    /** Much longer than it takes until a lock is free whatever happens. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Workload round;

    /** Where counters and fenced stores are: nothing ever happens to it. */
    private final RespClient truth;

    private final Random random;

    private final String owner;

    private final WorkerRole role;

    Worker(Workload round, RespClient truth, Random random, String owner, WorkerRole role) {
        this.round = round;
        this.truth = truth;
        this.random = random;
        this.owner = owner;
        this.role = role;
    }

    /** Returns how often it had a lock. */
    int work() {
        int holds = 0;
        while (!round.over().isSet()) {
            holds += attempt() ? 1 : 0;
            rest();
        }
        return holds;
    }

    private void rest() {
        if (role == WorkerRole.BUSY && random.nextInt(4) == 0) {
            return;
        }
        long micros = role == WorkerRole.KEEPER ? round.lease().toMillis() * 200 : round.pauseMicros();
        round.over().isSetWithin((long) (2_000 * micros * random.nextDouble()));
    }

    private boolean attempt() {
        String name = round.names().get(random.nextInt(round.names().size()));
        LockRequest request = LockRequest.of(name).lease(lease()).waitUpTo(upTo(LONGEST_WAIT));
        try {
            int way = random.nextInt(24);
            if (role == WorkerRole.PATIENT) {
                return acquire(request.waitUpTo(PATIENCE));
            } else if (role == WorkerRole.KEEPER && way < 12) {
                return way < 6 ? enterWithTheTeam() : read(round.ofReaders());
            } else if (way > 20) {
                return read(way == 21 ? name : round.ofReaders());
            } else if (way == 20 && random.nextInt(3) > 0) {
                return takeAway(random.nextBoolean());
            } else if (way < 3) {
                return hold(
                        round.locks().tryAcquire(shortLease(request).noWait()).orElse(null), request);
            } else if (way < 5) {
                return hold(round.locks().tryAcquire(request.waitUpTo(upTo(50))).orElse(null), request);
            } else if (way < 6) {
                return asynchronously(request);
            } else if (way < 8) {
                return way == 6 ? inCallbacks(request) : reactively(request);
            } else if (way == 8) {
                return acquire(request.renew(false));
            } else if (way == 9) {
                return acquire(request.owner(owner));
            } else if (way == 10 || way == 11) {
                return holdTogether();
            } else if (way == 12) {
                return acquire(
                        request.minHold(upTo((int) round.lease().toMillis()).plusMillis(1)));
            }
            return acquire(request);
        } catch (LockNotAcquiredException e) {
            return false;
        } catch (DistributedLockException | CompletionException e) {
            // A worker that gets an error does not try again at once.
            round.over().isSetWithin(random.nextInt(40_000_000));
            return false;
        }
    }

    /** Not all have the same, so that one caller's lease is seen where it counts for another one. */
    private Duration lease() {
        return role == WorkerRole.BUSY && random.nextInt(3) == 0 ? round.lease().dividedBy(2) : round.lease();
    }

    /** Who only tries may ask with a lease much shorter than that of the holder. */
    private LockRequest shortLease(LockRequest request) {
        return random.nextInt(4) == 0 ? request.lease(round.lease().dividedBy(8)) : request;
    }

    private Duration upTo(int millis) {
        return Duration.ofMillis(random.nextInt(millis));
    }

    private boolean acquire(LockRequest request) {
        return hold(round.locks().acquire(request), request);
    }

    private boolean asynchronously(LockRequest request) {
        CompletableFuture<LockHandle> future =
                round.locks().acquireAsync(request).toCompletableFuture();
        if (random.nextInt(4) == 0
                && !RandomMoments.isDoneWithin(random.nextInt(3_000_000), future)
                && future.cancel(true)) {
            return false;
        }
        return hold(future.orTimeout(60, TimeUnit.SECONDS).join(), null);
    }

    /** The work is done on the thread that receives the grant, and no thread waits for the release. */
    private boolean inCallbacks(LockRequest request) {
        return round.locks()
                .acquireAsync(request)
                .thenCompose(handle -> {
                    RecordedHandle hold = (RecordedHandle) handle;
                    work(hold, null);
                    return hold.closeAsync();
                })
                .toCompletableFuture()
                .orTimeout(60, TimeUnit.SECONDS)
                .handle((done, failure) -> endedWith(failure))
                .join();
    }

    private boolean reactively(LockRequest request) {
        return Mono.usingWhen(
                        Mono.fromCompletionStage(() -> round.locks().acquireAsync(request)),
                        handle -> Mono.fromRunnable(() -> work((RecordedHandle) handle, null))
                                .subscribeOn(Schedulers.boundedElastic()),
                        handle -> Mono.fromCompletionStage(handle::closeAsync))
                .toFuture()
                .orTimeout(60, TimeUnit.SECONDS)
                .handle((done, failure) -> endedWith(failure))
                .join();
    }

    private static boolean endedWith(Throwable failure) {
        if (failure != null) {
            throw failure instanceof CompletionException known ? known : new CompletionException(failure);
        }
        return true;
    }

    /** Other members may be inside as well, in other JVMs too. So nothing is counted. */
    private boolean enterWithTheTeam() {
        LockRequest request = LockRequest.of(round.ofTeam()).lease(lease()).waitUpTo(upTo(LONGEST_WAIT));
        try (RecordedHandle hold = round.locks().acquire(request.owner(Workload.TEAM))) {
            write(hold);
            stay(hold);
            write(hold);
        }
        return true;
    }

    /** A reader writes nothing: its token may be lower than that of the reader beside it. */
    private boolean read(String name) {
        LockRequest request = LockRequest.of(name).lease(lease()).mode(LockMode.SHARED);
        LockRequest reading = random.nextInt(4) == 0 ? request.noWait() : request.waitUpTo(upTo(LONGEST_WAIT));
        try (LockHandle handle = round.locks().tryAcquire(reading).orElse(null)) {
            if (handle instanceof RecordedHandle hold) {
                stay(hold);
            }
            return handle != null;
        }
    }

    /** Some of the locks that are acquired together, all or none. Other callers acquire them one by one. */
    private boolean holdTogether() {
        List<String> names = new ArrayList<>(round.ofSets());
        Collections.shuffle(names, random);
        LockRequest request = LockRequest.ofAll(names.subList(0, 2 + random.nextInt(names.size() - 1)))
                .lease(lease())
                .waitUpTo(upTo(random.nextBoolean() ? LONGEST_WAIT : 20));
        try (RecordedSet set = random.nextBoolean()
                ? round.locks().acquireAll(request)
                : round.locks().acquireAllAsync(request)) {
            set.parts().forEach(this::countAndWrite);
            if (random.nextInt(8) == 0) {
                extend(set::extend);
            }
            stay(set.parts().get(0));
            set.parts().forEach(this::write);
        }
        return true;
    }

    /** @param own whether it takes the lock first, which may be free otherwise */
    private boolean takeAway(boolean own) {
        LockRequest request = LockRequest.of(round.forced()).lease(lease()).noWait();
        try (LockHandle handle = own ? round.locks().tryAcquire(request).orElse(null) : null) {
            round.locks().forceRelease(round.forced());
            return handle != null;
        }
    }

    /** @param again what gets the lock once more, or null if its owner cannot do that */
    private boolean hold(LockHandle handle, LockRequest again) {
        if (handle == null) {
            return false;
        }
        try (RecordedHandle hold = (RecordedHandle) handle) {
            work(hold, again);
        }
        return true;
    }

    private void work(RecordedHandle hold, LockRequest again) {
        countAndWrite(hold);
        if (again != null && random.nextInt(10) == 0) {
            enterAgain(again);
        }
        if (random.nextInt(8) == 0) {
            extend(hold::extend);
        }
        stay(hold);
        // Without a look at the lock, as anybody who does not know that he was paused.
        write(hold);
    }

    private void countAndWrite(RecordedHandle hold) {
        if (hold.isHeld()) {
            hold.count(() -> count("counter:" + hold.name()));
        }
        write(hold);
    }

    private void enterAgain(LockRequest request) {
        try (RecordedHandle inner = round.locks().acquire(request)) {
            write(inner);
        } catch (DistributedLockException e) {
            // The outer one may have been lost, or Redis be down. It goes on with that one.
        }
    }

    /** Mostly to less than the lease. The next renewal, if there is one, sets the lease again. */
    private void extend(Consumer<Duration> extension) {
        int lease = (int) round.lease().toMillis();
        try {
            extension.accept(Duration.ofMillis(lease / 8 + random.nextInt(lease - lease / 8)));
        } catch (DistributedLockException e) {
            // It was lost, or Redis does not answer. The rest is done without a look at that.
        }
    }

    private void write(RecordedHandle hold) {
        hold.fencedWrite(() -> FencedStore.write(truth, "store:" + hold.name(), hold.fencingToken()));
    }

    /** Safe under the lock only, also if there are a few round trips between the read and the write. */
    private void count(String counter) {
        long read = Long.parseLong(truth.text("GET", counter));
        for (int more = random.nextInt(4); more > 0; more--) {
            truth.text("PING");
        }
        truth.call("SET", counter, Long.toString(read + 1));
    }

    /** Mostly for a moment, sometimes for longer, or for so long that the lease has to be renewed. */
    private void stay(RecordedHandle hold) {
        long lease = round.lease().toMillis();
        double leases = random.nextInt(20) == 0 ? random.nextDouble() / 3 : 0;
        if (role == WorkerRole.KEEPER) {
            leases = 0.5 + 2.5 * random.nextDouble();
        }
        long until = System.nanoTime() + (long) (leases * lease * 1_000_000) + random.nextInt(1_500_000);
        while (hold.isHeld()) {
            long left = until - System.nanoTime();
            if (left <= 0 || round.over().isSetWithin(Math.min(20_000_000, left))) {
                return;
            }
        }
    }
}
