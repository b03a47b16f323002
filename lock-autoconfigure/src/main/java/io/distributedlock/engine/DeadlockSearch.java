/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.DistributedLockException;
import io.distributedlock.HoldReport;
import io.distributedlock.LockDeadlockEvent;
import io.distributedlock.LockDeadlockEvent.Link;
import io.distributedlock.LockEvent;
import io.distributedlock.LockNames;
import io.distributedlock.LockState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Finds rings of callers that wait for each other, of this instance and others: threads, and logical owners of
 * asynchronous work. It follows the chain of a long wait: who holds what is waited for, and what does the work of that
 * caller wait for? A chain that comes back to a hold of the caller that it began with is asked for a second time. If
 * each hold still has its token and each wait its id, then all of them have lasted from the first answer to the second
 * one, so there was a moment in which all of them were there, and none of these callers can go on. A chain that has
 * changed meanwhile is no ring. {@link WaitGraph} says which wait is part of which hold.
 *
 * <p>Of a ring, the caller that has locked last (the highest token) is the one that tells of it and is sent away if
 * asked for. All instances find the same one, and each only ever sends callers of its own away. Used by one thread,
 * which may block.
 */
public final class DeadlockSearch {

    private static final Log log = LogFactory.getLog(LockEngine.class);

    /** The longest chain that is followed, and the most waits that are looked at in one look. */
    private static final int LONGEST = 16;

    /** How many instances are asked about one lock that readers hold. */
    private static final int MOST_INSTANCES = 4;

    /** What other instances say of their holds. */
    public interface Reports {

        /**
         * Asks that instance; empty if it does not hold the lock, or does not answer in time. May block for a moment.
         */
        Optional<HoldReport> of(String instance, String lockName);
    }

    private final LockEngine engine;

    private final WaitGraph graph;

    private final Supplier<String> label;

    private final String self;

    private final Reports others;

    private final Consumer<? super LockEvent> events;

    /** The waits whose rings were told. */
    private Set<String> told = new HashSet<>();

    /**
     * @param self the public id of this instance
     * @param label what operators call it
     * @param events whom to tell, on the calling thread
     */
    public DeadlockSearch(
            LockEngine engine,
            String self,
            Supplier<String> label,
            Reports others,
            Consumer<? super LockEvent> events) {
        this.engine = engine;
        this.graph = new WaitGraph(engine.context());
        this.self = self;
        this.label = label;
        this.others = others;
        this.events = events;
    }

    private int turn;

    /** A hold of the chain, and the wait of its holder that leads to the next one. */
    private record Step(HoldReport hold, String waitId) {}

    /**
     * Looks at the waits that last longer than that.
     *
     * @param resolve whether the caller of a ring that has locked last is sent away
     */
    public void look(long afterNanos, boolean resolve) {
        List<Waiter> waits = graph.waitsLongerThan(afterNanos);
        Set<String> current = new HashSet<>();
        waits.forEach(waiter -> current.add(key(waiter)));
        told.retainAll(current);
        waits.removeIf(waiter -> told.contains(key(waiter)));
        // Others than the last time, if there are too many for one look.
        Collections.rotate(waits, -turn);
        turn = waits.size() <= LONGEST ? 0 : (turn + LONGEST) % waits.size();
        waits.stream().limit(LONGEST).forEach(waiter -> look(waiter, resolve));
    }

    private static String key(Waiter waiter) {
        return WaitGraph.id(waiter) + " " + waiter.terms.name();
    }

    private void look(Waiter waiter, boolean resolve) {
        List<Step> ring = follow(waiter);
        if (ring != null && isLast(ring) && ring.equals(again(waiter, ring)) && !waiter.result.isDone()) {
            told.add(key(waiter));
            tell(waiter, ring, resolve);
        }
    }

    /** The ring from what the caller waits for to what it holds, or null if there is none. */
    private @Nullable List<Step> follow(Waiter start) {
        List<Step> chain = new ArrayList<>();
        return follow(start, start.terms.name(), new HashSet<>(), chain) ? chain : null;
    }

    private boolean follow(Waiter start, String name, Set<String> seen, List<Step> chain) {
        if (!seen.add(name) || seen.size() > LONGEST) {
            return false;
        }
        HoldReport report = report(name);
        if (report == null) {
            return false;
        }
        if (closes(start, report)) {
            chain.add(new Step(stable(report), WaitGraph.id(start)));
            return true;
        }
        for (HoldReport.Wait wait : report.waits()) {
            chain.add(new Step(stable(report), wait.id()));
            if (follow(start, wait.lockName(), seen, chain)) {
                return true;
            }
            chain.remove(chain.size() - 1);
        }
        return false;
    }

    /** Without what changes although the hold is the same. */
    private static HoldReport stable(HoldReport report) {
        return new HoldReport(
                report.lockName(),
                report.fencingToken(),
                report.label(),
                report.caller(),
                report.method(),
                Duration.ZERO,
                List.of());
    }

    /** The same locks asked for once more, or null if something has changed. */
    private @Nullable List<Step> again(Waiter start, List<Step> ring) {
        List<Step> second = new ArrayList<>();
        for (Step step : ring) {
            HoldReport report = report(step.hold().lockName());
            boolean waits = report != null
                    && (closes(start, report)
                            || report.waits().stream()
                                    .anyMatch(wait -> wait.id().equals(step.waitId())));
            if (report == null || !waits) {
                return null;
            }
            second.add(new Step(stable(report), step.waitId()));
        }
        return second;
    }

    private boolean closes(Waiter start, HoldReport report) {
        return graph.holds(start, report.lockName(), report.fencingToken());
    }

    private @Nullable HoldReport report(String name) {
        HoldReport own = graph.report(name, label.get());
        if (own != null) {
            return own;
        }
        try {
            String owner = engine.inspect(name).map(LockState::owner).orElse(null);
            return owner == null || owner.equals(self) ? null : reportOfOthers(owner, name);
        } catch (DistributedLockException ex) {
            return null;
        }
    }

    /** Readers may be of several instances: one of them that waits says more than one that does not. */
    private @Nullable HoldReport reportOfOthers(String owner, String name) {
        HoldReport first = null;
        for (String instance : owner.split(", ", MOST_INSTANCES + 1)) {
            HoldReport report = others.of(instance, name).orElse(null);
            if (report != null && (first == null || !report.waits().isEmpty())) {
                first = report;
            }
            if (first != null && !first.waits().isEmpty()) {
                break;
            }
        }
        return first;
    }

    /** Whether the caller that the chain began with has locked last; its hold is the last one of the chain. */
    private static boolean isLast(List<Step> ring) {
        long own = ring.get(ring.size() - 1).hold().fencingToken();
        return ring.stream().allMatch(step -> step.hold().fencingToken() <= own);
    }

    private void tell(Waiter waiter, List<Step> ring, boolean resolve) {
        List<Link> links = ring.stream()
                .map(Step::hold)
                .map(hold -> new Link(hold.lockName(), hold.fencingToken(), hold.label(), hold.caller()))
                .toList();
        String words = words(links);
        log.warn("Callers wait for each other: " + words
                + (resolve ? ". The wait of the last one is ended" : ". They go on when one of their waits is over")
                + ". Acquire these locks in one order, or together by LockRequest.ofAll.");
        if (resolve) {
            waiter.end(new AcquireResult.Deadlock(words));
        }
        events.accept(new LockDeadlockEvent(waiter.terms.name(), links, resolve));
    }

    private static String words(List<Link> ring) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < ring.size(); i++) {
            Link link = ring.get(i);
            Link next = ring.get((i + 1) % ring.size());
            words.append(i == 0 ? "" : "; ")
                    .append('\'')
                    .append(LockNames.show(link.caller()))
                    .append("' of ")
                    .append(LockNames.show(link.label()))
                    .append(" holds '")
                    .append(LockNames.show(link.lockName()))
                    .append("' and waits for '")
                    .append(LockNames.show(next.lockName()))
                    .append('\'');
        }
        return words.toString();
    }
}
