/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Many instances that wait for the lock "a", and one that holds it. Time moves in small steps for all of them. */
final class Crowd {

    private static final long STEP_MILLIS = 20;

    /** An instance of the crowd. */
    static final class Member {

        final TestNetwork network = new TestNetwork();

        final LockEngine engine;

        private final List<CompletableFuture<LockHandle>> calls = new ArrayList<>();

        private int counted;

        Member(String id, SharedLeases leases, NanoClock clock, Random random) {
            engine = TestEngine.of(new InMemoryLeaseStore(leases, id, network))
                    .random(random::nextLong)
                    .at(clock);
        }

        void waits(LockRequest request) {
            calls.add(engine.acquireAsync(request.waitForever()).toCompletableFuture());
        }

        boolean has() {
            return calls.stream().anyMatch(call -> call.isDone() && call.join().isHeld());
        }

        /** Gives back what it has; false if it has nothing. */
        boolean gaveBack() {
            boolean any = false;
            for (CompletableFuture<LockHandle> call : List.copyOf(calls)) {
                if (call.isDone()) {
                    calls.remove(call);
                    call.join().close();
                    any = true;
                }
            }
            return any;
        }

        int requests() {
            return network.sent(AcquireCommand.class).size();
        }

        private int newRequests() {
            int before = counted;
            counted = requests();
            return counted - before;
        }
    }

    final ManualClock clock = ManualClock.startingAt(0);

    final SharedLeases leases = new SharedLeases(clock);

    final Member holder;

    final List<Member> members;

    Crowd(int size, long seed) {
        Random seeds = new Random(seed);
        holder = new Member("holder", leases, clock, new Random(seeds.nextLong()));
        holder.waits(LockRequest.of("a"));
        members = IntStream.range(0, size)
                .mapToObj(i -> new Member("member" + i, leases, clock, new Random(seeds.nextLong())))
                .toList();
    }

    /** All at the same moment. */
    Crowd thatWaits() {
        members.forEach(member -> member.waits(LockRequest.of("a")));
        return this;
    }

    void step() {
        clock.advanceMillis(STEP_MILLIS);
        holder.engine.runTimers();
        members.forEach(member -> member.engine.runTimers());
    }

    void pass(long millis) {
        for (long passed = 0; passed < millis; passed += STEP_MILLIS) {
            step();
        }
    }

    /** How often the members ask in each of these seconds. */
    List<Integer> requestsIn(int seconds) {
        members.forEach(Member::newRequests);
        List<Integer> each = new ArrayList<>();
        for (int i = 0; i < seconds; i++) {
            pass(1_000);
            each.add(members.stream().mapToInt(Member::newRequests).sum());
        }
        return each;
    }

    /** Time goes on for the others only. */
    void killHolder() {
        holder.network.disconnect();
    }

    /** Gives the lock back wherever it is. Returns how often. */
    int handOver() {
        int given = !holder.engine.context().isClosing() && holder.gaveBack() ? 1 : 0;
        for (Member member : members) {
            given += member.gaveBack() ? 1 : 0;
        }
        return given;
    }
}
