/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.DistributedLockException;
import io.distributedlock.HoldReport;
import io.distributedlock.LockDeadlockEvent;
import io.distributedlock.LockDeadlockEvent.Link;
import io.distributedlock.LockNames;
import io.distributedlock.logging.SafeLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Finds cycles of callers that wait for each other, of this instance and others: threads, and logical owners of
 * asynchronous work. It follows the chain of a long wait: from the lock to its holder, and on to the lock that the work
 * of the holder waits for. A chain that leads back to a hold of its first caller is followed a second time. If each
 * hold still has its token and each wait its id, then all of them have lasted from the first reply to the second, so
 * there was a moment at which all of them existed, and none of these callers can proceed. A chain that has changed
 * meanwhile is no cycle. {@link WaitGraph} decides which wait is part of which hold.
 *
 * <p>The instance of the caller in a cycle that acquired its lock last (the highest token) reports the cycle and, if
 * configured, ends the wait of that caller. All instances find the same caller, and each ends only waits of its own
 * callers. Used by one thread, which may block.
 */
public final class DeadlockSearch {

    private static final Log log = SafeLog.of(LockEngine.class);

    /** The maximum number of waits in a chain that is followed. */
    private static final int LONGEST_CHAIN = 16;

    /** The maximum number of waits from which one check starts. */
    private static final int WAITS_PER_CHECK = 16;

    /** The maximum number of requests to instances about one lock that readers hold. */
    private static final int MOST_INSTANCES = 4;

    /** The holds of other instances. */
    public interface Reports {

        /**
         * Sends a request to that instance; empty if it does not hold the lock, or does not reply in time. May block
         * for a moment.
         */
        Optional<HoldReport> of(String instance, String lockName);
    }

    private final LockEngine engine;

    private final WaitGraph graph;

    private final Supplier<String> label;

    private final String self;

    private final Reports others;

    /** The waits whose cycles were reported. */
    private Set<String> reported = new HashSet<>();

    /**
     * @param self the public id of this instance
     * @param label its label
     */
    public DeadlockSearch(LockEngine engine, String self, Supplier<String> label, Reports others) {
        this.engine = engine;
        this.graph = new WaitGraph(engine.context());
        this.self = self;
        this.label = label;
        this.others = others;
    }

    private int turn;

    /** A hold of the chain, and the wait of its holder that leads to the next one. */
    private record Step(HoldReport hold, String waitId) {

        Step withoutLabel() {
            return new Step(stable(hold, ""), waitId);
        }
    }

    /**
     * Checks the waits that last longer than that.
     *
     * @param resolve whether the wait of the caller that acquired its lock last is ended
     */
    public void look(Duration after, boolean resolve) {
        List<Waiter> waits = graph.waitsLongerThan(ResolvedRequest.nanos(after));
        Set<String> current = new HashSet<>();
        waits.forEach(waiter -> current.add(key(waiter)));
        reported.retainAll(current);
        waits.removeIf(waiter -> reported.contains(key(waiter)));
        // Other waits than the last time, if there are too many for one check.
        Collections.rotate(waits, -turn);
        turn = waits.size() <= WAITS_PER_CHECK ? 0 : (turn + WAITS_PER_CHECK) % waits.size();
        waits.stream().limit(WAITS_PER_CHECK).forEach(waiter -> look(waiter, resolve));
    }

    private static String key(Waiter waiter) {
        return WaitGraph.id(waiter) + " " + waiter.request.name();
    }

    private void look(Waiter waiter, boolean resolve) {
        List<Step> ring = follow(waiter);
        if (ring != null && isLast(ring) && isSame(ring, again(waiter, ring)) && !waiter.result.isDone()) {
            reported.add(key(waiter));
            report(waiter, ring, resolve);
        }
    }

    /** The cycle from the lock that the caller waits for to the one that it holds, or null if there is none. */
    private @Nullable List<Step> follow(Waiter start) {
        List<Step> chain = new ArrayList<>();
        return follow(start, start.request.name(), new HashSet<>(), chain) ? chain : null;
    }

    private boolean follow(Waiter start, String name, Set<String> seen, List<Step> chain) {
        if (!seen.add(name) || seen.size() > LONGEST_CHAIN) {
            return false;
        }
        HoldReport report = report(name);
        if (report == null) {
            return false;
        }
        if (closes(start, report)) {
            chain.add(new Step(stable(report, report.label()), WaitGraph.id(start)));
            return true;
        }
        for (HoldReport.Wait wait : report.waits()) {
            chain.add(new Step(stable(report, report.label()), wait.id()));
            if (follow(start, wait.lockName(), seen, chain)) {
                return true;
            }
            chain.remove(chain.size() - 1);
        }
        return false;
    }

    /** Without the fields that change while the hold is the same. */
    private static HoldReport stable(HoldReport report, String label) {
        return new HoldReport(
                report.lockName(),
                report.fencingToken(),
                label,
                report.caller(),
                report.method(),
                Duration.ZERO,
                List.of());
    }

    /** The same locks with a second request, or null if there is a change. */
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
            second.add(new Step(stable(report, report.label()), step.waitId()));
        }
        return second;
    }

    /** The label of an instance is only shown: it may change at any time. */
    private static boolean isSame(List<Step> ring, @Nullable List<Step> second) {
        return second != null
                && ring.stream()
                        .map(Step::withoutLabel)
                        .toList()
                        .equals(second.stream().map(Step::withoutLabel).toList());
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
            return engine.inspect(name)
                    .filter(state -> !state.explicitOwner() && !state.owner().equals(self))
                    .flatMap(state -> Optional.ofNullable(reportOfOthers(state.instances(), name)))
                    .orElse(null);
        } catch (DistributedLockException ex) {
            return null;
        }
    }

    /** Readers may be of several instances: one that waits is preferred to one that does not. */
    private @Nullable HoldReport reportOfOthers(List<String> instances, String name) {
        HoldReport first = null;
        for (String instance : instances.subList(0, Math.min(MOST_INSTANCES, instances.size()))) {
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

    /** Whether the first caller of the chain acquired its lock last; its hold is the last one of the chain. */
    private static boolean isLast(List<Step> ring) {
        long own = ring.get(ring.size() - 1).hold().fencingToken();
        return ring.stream().allMatch(step -> step.hold().fencingToken() <= own);
    }

    private void report(Waiter waiter, List<Step> ring, boolean resolve) {
        List<Link> links = ring.stream()
                .map(Step::hold)
                .map(hold -> new Link(hold.lockName(), hold.fencingToken(), hold.label(), hold.caller()))
                .toList();
        String words = words(links);
        log.warn("Callers wait for each other: " + words
                + (resolve
                        ? ". The wait of the last caller was ended"
                        : ". They continue when one of the waits is over")
                + ". Acquire these locks in one order, or together by LockRequest.ofAll.");
        if (resolve) {
            waiter.end(new AcquireResult.Deadlock(words));
        }
        engine.context().events().deadlock(new LockDeadlockEvent(waiter.request.name(), links, resolve));
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
