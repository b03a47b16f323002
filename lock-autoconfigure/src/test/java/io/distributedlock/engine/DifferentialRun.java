/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static io.distributedlock.engine.LeaseStore.READERS;
import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStore.ReleaseReply;
import io.distributedlock.engine.LeaseStore.ReleaseReply.Outcome;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import io.distributedlock.engine.LeaseStore.Requeue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One sequence of commands, given to the scripts and to {@link SharedLeases}. */
final class DifferentialRun {

    static final int INSTANCES = 6;

    static final List<String> NAMES = List.of("a", "b");

    private static final List<String> OWNERS = List.of("x", "y");

    private static final String READERS_IN_REDIS = "%shared";

    private static final Duration HOUR = Duration.ofHours(1);

    /** Real time passes too, while the commands go to the real server. */
    private static final long TOLERANCE = Duration.ofMinutes(10).toMillis();

    private record Acquisition(
            String id, String name, @Nullable String owner) {}

    private final ScriptReplies scripts;

    private final Random random;

    private final int instances;

    private final ManualClock clock = ManualClock.startingAt(0);

    private final SharedLeases leases = new SharedLeases(clock);

    private final List<Acquisition> acquisitions = new ArrayList<>();

    /** The token of the scripts, and that of the other side. They have different clocks, but the same order. */
    private final TreeMap<Long, Long> tokens = new TreeMap<>();

    private final List<String> story = new ArrayList<>();

    private int granted;

    private int handedOver;

    /** @param counts whether the scripts may count who listens */
    DifferentialRun(ScriptReplies scripts, Random random, boolean counts) {
        this.scripts = scripts;
        if (!counts) {
            leases.refuseCounts();
        }
        this.random = random;
        this.instances = 2 + random.nextInt(INSTANCES - 1);
        scripts.forgetAll();
        for (int i = 0; i < INSTANCES - 1; i++) {
            new InMemoryLeaseStore(leases, instance(i), new DirectNetwork()).listen(new DeafListener());
        }
    }

    static String instance(int number) {
        return "instance" + number;
    }

    int granted() {
        return granted;
    }

    int handedOver() {
        return handedOver;
    }

    /** The last first. */
    String story() {
        List<String> backwards = new ArrayList<>(story);
        Collections.reverse(backwards);
        return String.join("\n", backwards);
    }

    void step() {
        clock.advanceMillis(1);
        String name = NAMES.get(random.nextInt(NAMES.size()));
        int what = random.nextInt(100);
        if (what < 45) {
            acquire(random.nextInt(4) == 0 ? known(name) : unknown(name));
        } else if (what < 60) {
            renew(known(name));
        } else if (what < 90) {
            release(known(name));
        } else if (what < 95) {
            releaseOwner(name, OWNERS.get(random.nextInt(OWNERS.size())));
        } else if (what < 97) {
            forceRelease(name);
        } else {
            pass();
        }
        scripts.states().forEach(this::compareState);
    }

    /** Lets time pass, which compares all locks. */
    void end() {
        pass();
        scripts.states().forEach(this::compareState);
    }

    private Acquisition unknown(String name) {
        int instance = random.nextInt(instances);
        // The one that does not listen takes part in a few sequences only.
        if (instance == instances - 1 && random.nextInt(3) == 0) {
            instance = INSTANCES - 1;
        }
        String id = instance(instance) + '.' + (acquisitions.size() + 1);
        int kind = random.nextInt(12);
        String owner = kind < 4 ? READERS : kind < 7 ? OWNERS.get(random.nextInt(OWNERS.size())) : null;
        Acquisition acquisition = new Acquisition(id, name, owner);
        acquisitions.add(acquisition);
        return acquisition;
    }

    /** Only such a one queues in a release. */
    private Acquisition withoutOwner(Acquisition latest) {
        Acquisition plain = new Acquisition(latest.id(), latest.name(), null);
        acquisitions.set(acquisitions.size() - 1, plain);
        return plain;
    }

    /** Mostly one of the last ones, since the others are over. */
    private Acquisition known(String name) {
        List<Acquisition> its =
                acquisitions.stream().filter(each -> each.name().equals(name)).toList();
        if (its.isEmpty()) {
            return unknown(name);
        }
        int back = random.nextInt(random.nextInt(5) == 0 ? its.size() : Math.min(its.size(), 6));
        return its.get(its.size() - 1 - back);
    }

    private long lease() {
        return HOUR.toMillis() * List.of(1, 10, 100).get(random.nextInt(3));
    }

    /** Two leases of the acquisition, so the same whenever its id is cancelled. */
    private long tombstone(Acquisition acquisition) {
        return 2 * HOUR.toMillis() * List.of(1, 10, 100).get(acquisitions.indexOf(acquisition) % 3);
    }

    private Map.Entry<Long, Long> floor() {
        if (tokens.isEmpty() || random.nextInt(3) == 0) {
            return Map.entry(0L, 0L);
        }
        Map.Entry<Long, Long> last = tokens.lastEntry();
        // Far ahead of both clocks, as after one that was set back.
        long ahead = random.nextInt(50) == 0 ? 1_000_000_000 : 0;
        return Map.entry(last.getKey() + ahead, last.getValue() + ahead);
    }

    // ---- commands

    private void acquire(Acquisition acquisition) {
        long lease = lease();
        Map.Entry<Long, Long> floor = floor();
        boolean queue = random.nextInt(5) > 0;
        String owner = acquisition.owner();
        boolean reader = READERS.equals(owner);
        boolean reentrant = reader || random.nextInt(5) > 0;
        Acquisition companion = reader && random.nextInt(8) == 0 ? companion(acquisition) : null;
        boolean receivesMessages = !acquisition.id().startsWith(instance(INSTANCES - 1)) || random.nextBoolean();
        story.add("acquire " + acquisition + " " + lease + " queue " + queue + " hears " + receivesMessages
                + " reentrant " + reentrant + " companion " + companion);
        List<Object> arguments = new ArrayList<>(
                List.of(acquisition.id(), lease, floor.getKey(), queue ? receivesMessages ? "1" : "2" : "0"));
        if (owner != null) {
            arguments.addAll(List.of(inRedis(owner), reentrant ? "1" : "0"));
        }
        if (companion != null) {
            arguments.add(companion.id());
        }
        List<?> real = scripts.acquire(acquisition.name(), arguments.toArray());
        AcquireReply model = leases.acquire(
                acquisition.id(),
                new AcquireCommand(
                        acquisition.name(),
                        0,
                        lease,
                        floor.getValue(),
                        queue,
                        owner,
                        reentrant,
                        companion == null ? 0 : LeaseServer.numberOf(companion.id())),
                receivesMessages);
        story.add("  " + real + " / " + model);
        compare(real, model);
    }

    private static String inRedis(String owner) {
        return READERS.equals(owner) ? READERS_IN_REDIS : owner;
    }

    /** Another acquisition of the same instance, which may hold the lock or not. */
    private @Nullable Acquisition companion(Acquisition reader) {
        String instance = LeaseServer.instanceOf(reader.id());
        List<Acquisition> others = acquisitions.stream()
                .filter(each -> LeaseServer.instanceOf(each.id()).equals(instance) && each != reader)
                .toList();
        return others.isEmpty() ? null : others.get(others.size() - 1 - random.nextInt(Math.min(3, others.size())));
    }

    private void compare(List<?> real, AcquireReply reply) {
        long kind = number(real, 0);
        if (reply instanceof AcquireReply.Granted model) {
            assertThat(kind).isEqualTo(1);
            compareTokens(number(real, 1), model.token());
            assertThat(number(real, 2)).as("waiting").isEqualTo(model.waiting());
            granted++;
        } else if (reply instanceof AcquireReply.Busy model) {
            assertThat(kind).isZero();
            compareTimes(number(real, 1), model.ttlMillis());
            assertThat(number(real, 2) == 1).as("queued").isEqualTo(model.queued());
            compareTokens(number(real, 3), model.token());
            assertThat(number(real, 4)).as("repaired").isZero();
            assertThat(number(real, 5)).as("ahead").isBetween((long) model.ahead(), (long) model.waiting());
            assertThat(number(real, 6)).as("waiting").isEqualTo(model.waiting());
        } else if (reply instanceof AcquireReply.ReentryRefused model) {
            assertThat(kind).isEqualTo(2);
            compareTokens(number(real, 1), model.token());
        } else {
            assertThat(kind).isEqualTo(3);
        }
    }

    private void renew(Acquisition acquisition) {
        long lease = lease();
        boolean shorten = random.nextInt(4) == 0;
        int passes = random.nextInt(3);
        Map.Entry<Long, Long> last = tokens.isEmpty() ? Map.entry(0L, 0L) : tokens.lastEntry();
        story.add("renew " + acquisition + " " + lease + " shorten " + shorten);
        List<?> real =
                scripts.renew(acquisition.name(), acquisition.id(), lease, last.getKey() + passes, shorten ? "1" : "0");
        RenewReply model = leases.renew(
                acquisition.id(), new RenewCommand(acquisition.name(), 0, lease, last.getValue() + passes, shorten));
        story.add("  " + real + " / " + model);
        assertThat(number(real, 0) == 1).as("renewed").isEqualTo(model.renewed());
        compareTokens(number(real, 1), model.token());
        assertThat(number(real, 2)).as("waiting").isEqualTo(model.waiting());
    }

    private void release(Acquisition acquisition) {
        Map.Entry<Long, Long> floor = floor();
        long tombstone = random.nextInt(4) == 0 ? tombstone(acquisition) : 0;
        Acquisition again = random.nextInt(4) == 0 ? withoutOwner(unknown(acquisition.name())) : null;
        long lease = lease();
        boolean lost = acquisition.owner() != null && random.nextInt(5) == 0;
        story.add("release " + acquisition + " tombstone " + tombstone + " again " + again + " lost " + lost);
        List<?> real = tombstone == 0 && again == null && !lost
                ? scripts.releasePlainly(acquisition.name(), acquisition.id(), floor.getKey())
                : scripts.release(
                        acquisition.name(),
                        acquisition.id(),
                        floor.getKey(),
                        tombstone,
                        again == null ? "" : again.id(),
                        lease,
                        lost ? "1" : "0");
        Requeue requeue = again == null ? null : new Requeue(0, lease);
        ReleaseReply model = leases.release(
                acquisition.id(),
                again == null ? null : again.id(),
                new ReleaseCommand(acquisition.name(), 0, floor.getValue(), requeue, tombstone, lost));
        compareReleases(real, model);
        handedOver += model.outcome() == Outcome.TRANSFERRED ? 1 : 0;
        assertThat(real.size() > 4).as("queued again").isEqualTo(model.requeued() != null);
        if (model.requeued() instanceof AcquireReply.Granted granting) {
            assertThat(number(real, 2)).isOne();
            compareTokens(number(real, 3), granting.token());
            assertThat(number(real, 4)).as("waiting").isEqualTo(granting.waiting());
        } else if (model.requeued() instanceof AcquireReply.Busy busy) {
            assertThat(number(real, 2)).isZero();
            compareTimes(number(real, 3), busy.ttlMillis());
            assertThat(number(real, 4)).as("waiting").isEqualTo(busy.waiting());
        }
    }

    private static Outcome outcome(List<?> reply) {
        return switch ((int) number(reply, 0)) {
            case 1 -> Outcome.RELEASED;
            case 2 -> Outcome.TRANSFERRED;
            case 3 -> Outcome.LEFT_QUEUE;
            case 4 -> Outcome.STILL_HELD;
            case 0 -> Outcome.NOT_HELD;
            default -> Outcome.NOT_YOURS;
        };
    }

    private void releaseOwner(String name, String owner) {
        Map.Entry<Long, Long> floor = floor();
        story.add("release of owner " + owner + " of " + name);
        List<?> real = scripts.releaseOwner(name, owner, floor.getKey());
        compareReleases(real, leases.releaseOwner(name, owner, floor.getValue()));
    }

    private void compareReleases(List<?> real, ReleaseReply model) {
        story.add("  " + real + " / " + model);
        assertThat(outcome(real)).isEqualTo(model.outcome());
        if (real.size() > 1) {
            compareTokens(number(real, 1), model.token());
        }
    }

    private void forceRelease(String name) {
        Map.Entry<Long, Long> floor = floor();
        story.add("force " + name);
        List<?> real = scripts.forceRelease(name, floor.getKey());
        compareReleases(real, leases.forceRelease(name, floor.getValue()));
    }

    /**
     * More than the shortest lease. The clock that tokens are taken from stands still meanwhile, as it does in Redis
     * here.
     */
    private void pass() {
        Duration time = HOUR.multipliedBy(2);
        story.add(time + " pass");
        scripts.pass(time.toMillis());
        clock.advanceNanos(time.toNanos());
        leases.setTimeBack(time);
    }

    // ---- comparing

    private static long number(List<?> reply, int i) {
        return Long.parseLong(reply.get(i).toString());
    }

    private static void compareTimes(long real, long model) {
        assertThat(real).as("milliseconds").isBetween(model - TOLERANCE, model + TOLERANCE);
    }

    private void compareTokens(long real, long model) {
        Long known = tokens.putIfAbsent(real, model);
        if (known != null) {
            assertThat(model).as("token for %d", real).isEqualTo(known);
            return;
        }
        Map.Entry<Long, Long> lower = tokens.lowerEntry(real);
        Map.Entry<Long, Long> higher = tokens.higherEntry(real);
        assertThat(model).as("token for %d", real).isGreaterThan(lower == null ? -1 : lower.getValue());
        assertThat(model).as("token for %d", real).isLessThan(higher == null ? Long.MAX_VALUE : higher.getValue());
    }

    private void compareState(String name, ScriptReplies.State real) {
        leases.leftovers();
        LeaseEntry model = leases.entry(name);
        List<String> fields = real.fields().stream().map(Object::toString).toList();
        assertThat(real.cancelled()).as("cancelled").isEqualTo(cancelled(name));
        if (model == null) {
            Long kept = leases.keptToken(name);
            if (kept != null) {
                compareTokens(Long.parseLong(fields.get(1)), kept);
            }
            assertThat(fields.stream().filter(field -> !field.isEmpty()))
                    .as("entry of %s", name)
                    .hasSize(kept == null ? 0 : 1);
            return;
        }
        story.add("  " + name + ": " + fields);
        assertThat(fields.get(0))
                .as("owner")
                .isEqualTo(model.isOwnedByReaders() ? "=" + READERS_IN_REDIS : model.holder);
        compareTokens(Long.parseLong(fields.get(1)), model.token);
        assertThat(fields.get(2)).as("longest lease").isEqualTo(Long.toString(model.leaseMillis()));
        assertThat(fields.get(3)).as("line").isEqualTo(line(model));
        assertThat(fields.get(4))
                .as("holds")
                .isEqualTo(model.holds.stream().map(id -> id + " ").collect(Collectors.joining()));
        assertThat(fields.get(5).isEmpty() ? "0" : fields.get(5))
                .as("given back")
                .isEqualTo("" + model.given);
        compareTimes(real.ttl(), model.remainingMillis(clock.nanos()));
        assertThat(real.ends()).as("ends of holds").hasSize(model.ends.size());
        for (int i = 0; i < model.ends.size(); i++) {
            long end = model.ends.get(model.holds.get(i));
            compareTimes(real.ends().get(i), (end - clock.nanos()) / 1_000_000);
        }
    }

    private Set<String> cancelled(String name) {
        return acquisitions.stream()
                .filter(each -> each.name().equals(name) && leases.isCancelled(name, each.id()))
                .map(Acquisition::id)
                .collect(Collectors.toSet());
    }

    private static String line(LeaseEntry entry) {
        return entry.line.stream()
                .map(each -> each.id() + " " + each.leaseMillis() + " " + (each.alone() ? "%!" : "")
                        + (each.owner() == null ? "" : inRedis(each.owner())) + ";")
                .collect(Collectors.joining());
    }

    /** There is no instance, but Redis counts a subscriber. */
    private static final class DeafListener implements LeaseStore.Listener {

        @Override
        public void granted(String name, long number, long token, long leaseMillis, int waiting) {}

        @Override
        public void recalled(String name, long number) {}

        @Override
        public void near(String name, long number) {}

        @Override
        public void revoked(String name, long number) {}

        @Override
        public void serverClockSetBack(String name, Duration by) {}

        @Override
        public void connected() {}

        @Override
        public Iterable<String> names() {
            return List.of();
        }
    }
}
