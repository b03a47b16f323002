/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.HoldReport;
import io.distributedlock.LockDeadlockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockOrigin;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.Seeds;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rings of callers are found, told once by one instance, and never where there is none. */
class DeadlockSearchTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private static final int RUNS = TestLength.of("deadlocks.runs", 4_000, 10_000);

    private final Map<String, Instance> instances = new TreeMap<>();

    private final Map<String, DeadlockSearch> searches = new TreeMap<>();

    /** Runs at each question between instances. */
    private Runnable meanwhile = () -> {};

    /** Whether instances answer each other. */
    private boolean answering = true;

    private boolean changingLabels;

    /** Part of each label that is read. */
    private int labels;

    private void start(int count) {
        for (int i = 0; i < count; i++) {
            String id = "instance" + i;
            Instance instance = world.instance(id);
            instances.put(id, instance);
            searches.put(id, new DeadlockSearch(instance.engine, id, () -> "label of " + id + suffix(), this::ask));
        }
    }

    private String suffix() {
        return changingLabels ? " " + labels++ : "";
    }

    private Optional<HoldReport> ask(String instance, String lockName) {
        meanwhile.run();
        Instance asked = instances.get(instance);
        return !answering || asked == null
                ? Optional.empty()
                : Optional.ofNullable(asked.engine.report(lockName, "label of " + instance + suffix()));
    }

    private List<LockDeadlockEvent> events() {
        return instances.values().stream()
                .flatMap(instance -> instance.events.stream())
                .map(LockDeadlockEvent.class::cast)
                .toList();
    }

    private void look(boolean resolve) {
        searches.values().forEach(search -> search.look(Duration.ZERO, resolve));
    }

    /** What a blocked thread or asynchronous work is for the engine, without one that really waits. */
    private final class Caller {

        private final Object owner;

        private final @Nullable LockOwner enclosing;

        private final Instance instance;

        private final Map<String, LockHandle> held = new TreeMap<>();

        private @Nullable Waiter waiting;

        Caller(String name, Instance instance) {
            this(new Thread(() -> {}, name), null, instance);
        }

        Caller(LockOwner owner, Instance instance) {
            this(owner, owner.enclosing(), instance);
        }

        Caller(Object owner, @Nullable LockOwner enclosing, Instance instance) {
            this.owner = owner;
            this.enclosing = enclosing;
            this.instance = instance;
        }

        void acquire(String name) {
            acquire(name, LockMode.EXCLUSIVE);
        }

        void acquire(String name, LockMode mode) {
            LockRequest request =
                    LockRequest.of(name).waitForever().mode(mode).origin(new LockOrigin("test", "Test#run()", false));
            Waiter waiter = new Waiter(
                    instance.engine.context(), ResolvedRequest.of(request, EngineSettings.DEFAULTS), owner, enclosing);
            waiting = waiter;
            instance.engine.locks().enqueue(waiter);
            resume();
        }

        /** Takes its result, if there is one. */
        void resume() {
            Waiter waiter = waiting;
            if (waiter != null && waiter.result.isDone()) {
                waiting = null;
                AcquireResult result = waiter.result.join();
                instance.engine.listening().decided(waiter, result);
                if (result instanceof AcquireResult.Granted granted) {
                    held.put(granted.handle().name(), granted.handle());
                }
            }
        }

        @Nullable
        String waitsFor() {
            resume();
            Waiter waiter = waiting;
            return waiter == null ? null : waiter.request.name();
        }

        boolean holds(String name) {
            resume();
            return held.containsKey(name);
        }

        void release(String name) {
            LockHandle handle = held.remove(name);
            if (handle != null) {
                handle.close();
            }
        }

        void end() {
            Waiter waiter = waiting;
            if (waiter != null) {
                waiter.cancelWait();
            }
            resume();
            List.copyOf(held.keySet()).forEach(this::release);
        }
    }

    private List<Caller> ring(int size) {
        start(size);
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            callers.add(new Caller("caller" + i, instances.get("instance" + i)));
        }
        for (int i = 0; i < size; i++) {
            callers.get(i).acquire("lock" + i);
            world.pauseMillis(1);
        }
        for (int i = 0; i < size; i++) {
            callers.get(i).acquire("lock" + (i + 1) % size);
        }
        return callers;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void aRingOfInstancesIsReportedOnce(int size) {
        List<Caller> callers = ring(size);
        look(false);
        look(false);

        assertThat(events()).singleElement().satisfies(event -> {
            assertThat(event.lockName()).isEqualTo("lock0");
            assertThat(event.ring()).hasSize(size);
            assertThat(event.ring().get(0).caller()).isEqualTo("caller0");
            assertThat(event.ring().get(0).label()).isEqualTo("label of instance0");
            assertThat(event.resolved()).isFalse();
        });
        callers.forEach(Caller::end);
    }

    @Test
    void aRingThroughOneOfSeveralReadersIsReported() {
        start(3);
        Caller idle = new Caller("idle", instances.get("instance0"));
        Caller reader = new Caller("reader", instances.get("instance1"));
        Caller writer = new Caller("writer", instances.get("instance2"));
        idle.acquire("data", LockMode.SHARED);
        reader.acquire("data", LockMode.SHARED);
        writer.acquire("row");
        writer.acquire("data");
        look(true);
        assertThat(events()).isEmpty();

        reader.acquire("row");
        look(true);

        assertThat(events())
                .singleElement()
                .satisfies(event -> assertThat(event.ring())
                        .extracting(LockDeadlockEvent.Link::caller)
                        .containsExactlyInAnyOrder("reader", "writer"));
        assertThat(idle.holds("data")).isTrue();
        List.of(idle, reader, writer).forEach(Caller::end);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void theLastCallerOfTheRingIsRefusedAndTheOthersContinue(int size) {
        List<Caller> callers = ring(size);
        look(true);
        look(true);

        Caller last = callers.get(size - 1);
        assertThat(events()).hasSize(1);
        assertThat(last.waitsFor()).isNull();
        assertThat(last.holds("lock0")).isFalse();
        last.end();
        for (int i = size - 2; i >= 0; i--) {
            assertThat(callers.get(i).waitsFor()).isNull();
            callers.get(i).end();
        }
        assertThat(instances.get("instance" + (size - 1)).listener.told)
                .anyMatch(line -> line.startsWith("lock0 refused deadlock"));
    }

    @Test
    void twoThreadsOfOneInstance() {
        start(1);
        Instance instance = instances.get("instance0");
        Caller one = new Caller("one", instance);
        Caller two = new Caller("two", instance);
        one.acquire("a");
        world.pauseMillis(1);
        two.acquire("b");
        one.acquire("b");
        two.acquire("a");
        look(true);

        assertThat(events()).hasSize(1);
        two.end();
        assertThat(one.waitsFor()).isNull();
        one.end();
    }

    /** How the work that waits belongs to the work that holds. */
    enum Work {
        THE_SAME_OWNER,
        NESTED,
        NESTED_TWICE,
        A_THREAD_INSIDE,
        INSIDE_OF_THE_HOLD
    }

    private Caller waiting(Work work, LockOwner owner, Caller holder, Instance instance) {
        return switch (work) {
            case THE_SAME_OWNER -> new Caller(owner, instance);
            case NESTED -> new Caller(owner.nested(), instance);
            case NESTED_TWICE -> new Caller(owner.nested().nested(), instance);
            case A_THREAD_INSIDE -> new Caller(new Thread(() -> {}, "inside"), owner, instance);
            case INSIDE_OF_THE_HOLD -> new Caller(LockOwner.create().nestedIn(holder.held.values()), instance);
        };
    }

    @ParameterizedTest
    @EnumSource
    void asynchronousWorkThatWaitsInARingIsRefused(Work work) {
        start(2);
        LockOwner owner = LockOwner.create();
        Caller thread = new Caller("thread", instances.get("instance0"));
        Caller outer = new Caller(owner, instances.get("instance1"));
        thread.acquire("a");
        world.pauseMillis(1);
        outer.acquire("b");
        Caller inner = waiting(work, owner, outer, instances.get("instance1"));
        thread.acquire("b");
        inner.acquire("a");
        look(true);
        look(true);

        assertThat(events()).singleElement().satisfies(event -> {
            assertThat(event.lockName()).isEqualTo("a");
            assertThat(event.resolved()).isTrue();
            assertThat(event.ring())
                    .extracting(LockDeadlockEvent.Link::caller)
                    .containsExactly("thread", "asynchronous");
        });
        assertThat(inner.waitsFor()).isNull();
        assertThat(inner.holds("a")).isFalse();
        outer.end();
        assertThat(thread.waitsFor()).isNull();
        thread.end();
    }

    /** A label may have a random part, or contain the port from when it is known. */
    @Test
    void aLabelThatChangesHidesNoRing() {
        changingLabels = true;
        start(2);
        Caller one = new Caller("one", instances.get("instance0"));
        Caller two = new Caller("two", instances.get("instance1"));
        one.acquire("a");
        world.pauseMillis(1);
        two.acquire("b");
        one.acquire("b");
        two.acquire("a");
        look(true);

        assertThat(events()).hasSize(1);
        one.end();
        two.end();
    }

    @Test
    void twoAsynchronousCallersOfTwoInstancesAreFound() {
        start(2);
        Caller one = new Caller(LockOwner.create(), instances.get("instance0"));
        Caller two = new Caller(LockOwner.create(), instances.get("instance1"));
        one.acquire("a");
        world.pauseMillis(1);
        two.acquire("b");
        one.acquire("b");
        two.acquire("a");
        look(false);

        assertThat(events())
                .singleElement()
                .satisfies(event -> assertThat(event.ring())
                        .extracting(LockDeadlockEvent.Link::lockName)
                        .containsExactly("a", "b"));
        assertThat(two.waitsFor()).isEqualTo("a");
        two.end();
        one.end();
    }

    /** It may go on and give back what it holds while the other work waits. */
    @Test
    void workThatBelongsToNoHoldIsNoRing() {
        start(1);
        Instance instance = instances.get("instance0");
        Caller thread = new Caller("thread", instance);
        Caller holder = new Caller(LockOwner.create(), instance);
        Caller unrelated = new Caller(LockOwner.create().nested(), instance);
        Caller nameless = new Caller(new Object(), null, instance);
        thread.acquire("a");
        holder.acquire("b");
        thread.acquire("b");
        unrelated.acquire("a");
        nameless.acquire("a");
        look(true);

        assertThat(events()).isEmpty();
        List.of(unrelated, nameless, holder, thread).forEach(Caller::end);
    }

    /** A thread that starts work and goes on does not wait for it. */
    @Test
    void aThreadThatRunsIsNoPartOfARing() throws InterruptedException {
        start(1);
        Instance instance = instances.get("instance0");
        AtomicBoolean stop = new AtomicBoolean();
        Thread running = new Thread(() -> {
            while (!stop.get()) {
                Thread.onSpinWait();
            }
        });
        running.start();
        Caller holder = new Caller(running, null, instance);
        Caller other = new Caller("other", instance);
        other.acquire("a");
        world.pauseMillis(1);
        holder.acquire("b");
        Caller started = new Caller(LockOwner.create().nestedIn(holder.held.values()), instance);
        other.acquire("b");
        started.acquire("a");
        look(true);
        assertThat(events()).isEmpty();

        stop.set(true);
        running.join();
        holder.end();
        List.of(other, started).forEach(Caller::end);
    }

    @Test
    void withoutRepliesNoRingIsReported() {
        answering = false;
        List<Caller> callers = ring(2);
        look(true);
        assertThat(events()).isEmpty();

        answering = true;
        look(true);
        assertThat(events()).hasSize(1);
        callers.forEach(Caller::end);
    }

    @Test
    void aChainThatChangesWhileItIsFollowedIsNoRing() {
        List<Caller> callers = ring(2);
        int[] questions = new int[1];
        meanwhile = () -> {
            if (++questions[0] == 2) {
                callers.get(0).end();
            }
        };
        searches.get("instance1").look(Duration.ZERO, true);

        assertThat(questions[0]).isEqualTo(2);
        assertThat(events()).isEmpty();
        callers.forEach(Caller::end);
    }

    /** Callers that lock in one order cannot wait in a ring, whatever happens while chains are followed. */
    @Tag(TestLength.RANDOM)
    @Test
    void thereIsNoRingWhereAllLockInOneOrder() {
        long seed = Seeds.of("deadlocks.seed");
        Random random = new Random(seed);
        start(3);
        for (int run = 0; run < RUNS; run++) {
            List<Caller> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                callers.add(new Caller("caller" + i, instances.get("instance" + random.nextInt(3))));
            }
            meanwhile = () -> step(callers, random);
            for (int i = 0; i < 8; i++) {
                step(callers, random);
            }
            look(true);
            assertThat(events()).as("seed %d, run %d", seed, run).isEmpty();
            meanwhile = () -> {};
            callers.forEach(Caller::end);
            callers.forEach(Caller::end);
        }
    }

    private void step(List<Caller> callers, Random random) {
        world.pauseNanos(1_000);
        Caller caller = callers.get(random.nextInt(callers.size()));
        if (caller.waitsFor() != null) {
            return;
        }
        int next =
                caller.held.isEmpty() ? 0 : 1 + Integer.parseInt(((TreeMap<String, LockHandle>) caller.held).lastKey());
        if (next > 4 || random.nextInt(3) == 0) {
            List.copyOf(caller.held.keySet()).stream().findAny().ifPresent(caller::release);
        } else {
            caller.acquire(Integer.toString(next + random.nextInt(5 - next)));
        }
    }
}
