/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Judges the history of a run, after it is over.
 *
 * <p>Only what is certain counts against a lock: a hold is <em>certain</em> from when its owner knew of it to the
 * earliest of its release being asked for, its local deadline, and its loss being known. What an unanswered call did is
 * possible for ever and never certain, so there is no false alarm; and a run in which no fault hit, or no caller held a
 * lock, is invalid instead of green.
 *
 * <ul>
 *   <li>H1: certain holds never overlap, but for one lease after Redis has lost data: those that do are counted. So may
 *       those of a lock that was taken away by force, for a lease, and the holds of readers among themselves. A hold
 *       with a minimum ends for others when that is over.
 *   <li>H2: every hold has a token of its own, higher than those of all that were granted certainly before; a re-entry
 *       has the token of its hold. Readers have higher ones than writers before them, and may share one while they hold
 *       the lock together. Where Redis loses data, a lease that is passed on within a JVM that does not know of it yet
 *       may have a lower one, and so may an explicit owner that enters a hold again whose release Redis has forgotten
 *       ({@link RestoredHolds}).
 *   <li>H3: a fenced store accepts no token lower than one it has accepted.
 *   <li>H4: a confirmed release means that the lock was not granted to anybody else meanwhile, unless Redis loses data.
 *   <li>H5: calls return in time, and no lock is free for long while a caller waits for it. A fault explains the time
 *       that it takes and a lease after it, but many faults together do not explain more than two leases. A caller that
 *       acquires several locks all or none may wait for another of them, and may keep this one until then.
 *   <li>H6: a counter that nothing but the lock protects has counted all, unless Redis loses data.
 *   <li>H7: no instance renews what none of its callers has any more.
 *   <li>H8: nothing is left at the end.
 * </ul>
 *
 * Tokens are version numbers, so all this is sorting; no search for an order is needed.
 */
public final class HistoryChecker {

    private final String row;

    private final long seed;

    private final Model model;

    private final CheckerBounds bounds;

    private Duration resent = Duration.ZERO;

    private Duration lateness = Duration.ZERO;

    private final Map<String, Long> counters = new LinkedHashMap<>();

    private final Map<String, List<Long>> stores = new LinkedHashMap<>();

    private final List<String> leftovers = new ArrayList<>();

    private final List<Renewal> renewals = new ArrayList<>();

    /** @param row the name of the run */
    public HistoryChecker(String row, long seed, Model model, CheckerBounds bounds) {
        this.row = row;
        this.seed = seed;
        this.model = model;
        this.bounds = bounds;
    }

    /**
     * The value that {@link RecordedHandle#count} left. Not to be given where a holder was stopped for longer than its
     * lease: no lock can keep it from overwriting what others counted.
     */
    public HistoryChecker counter(String lock, long value) {
        counters.put(lock, value);
        return this;
    }

    /** The tokens of all writes that the fenced store of a lock has accepted, in its order. */
    public HistoryChecker store(String lock, List<Long> accepted) {
        stores.put(lock, accepted);
        return this;
    }

    /** What instances were seen to send. */
    public HistoryChecker renewals(Collection<Renewal> sent) {
        renewals.addAll(sent);
        return this;
    }

    /**
     * Servers may redirect a renewal, so that it is sent again, that much later. A reply that is later than that does
     * not count. By default, there are no redirections.
     */
    public HistoryChecker redirections(Duration within) {
        resent = within;
        return this;
    }

    /** How late threads may have been, since the machine was busy: a renewal may then be sent that much later. */
    public HistoryChecker lateness(Duration noise) {
        lateness = noise;
        return this;
    }

    /** Keys, waiters, threads that were still there when all was over. */
    public HistoryChecker leftovers(Collection<String> left) {
        leftovers.addAll(left);
        return this;
    }

    /** @param events the histories of all JVMs, in the order of time, as {@link History#read} returns them */
    public HistoryReport judge(List<Event> events) {
        CheckerFindings findings = new CheckerFindings();
        List<Call> calls = Call.of(events);
        List<Call> faults = only(calls, Operation.FAULT);
        // To take a lock away is no excuse for a caller that waits for it, or for another one.
        List<Call> broken =
                faults.stream().filter(fault -> !Fault.takesLock(fault)).toList();
        WaitChecks waits = new WaitChecks(bounds, findings, broken, only(calls, Operation.STALL));
        RenewalChecks renewalChecks =
                new RenewalChecks(renewals, calls, RenewalChecks.longer(resent, lateness), bounds.decision(), findings);
        int grants = 0;
        for (String lock : locks(events)) {
            List<Event> itsEvents =
                    events.stream().filter(event -> isAbout(lock, event)).toList();
            List<Call> itsCalls =
                    calls.stream().filter(call -> isAbout(lock, call.asked())).toList();
            List<Grant> itsGrants = Grant.of(itsEvents, itsCalls);
            grants += itsGrants.size();
            Losses losses = new Losses(faults, lock, model, bounds.lease());
            Set<Grant> restored = RestoredHolds.among(itsGrants, losses, bounds.lease());
            new HoldChecks(lock, itsCalls, losses, restored, findings).check(itsGrants);
            waits.handedOverInTime(itsCalls, itsGrants, restored, losses);
            renewalChecks.nothingIsRenewedAfterItsEnd(lock, itsEvents, itsGrants);
            checkWrites(lock, itsCalls, findings);
        }
        List<Call> operations =
                calls.stream().filter(call -> call.operation().isOfLocks()).toList();
        waits.decidedInTime(operations);
        leftovers.forEach(left -> findings.violation("H8", "left behind: " + left));
        return verdict(findings, operations, grants, faults, invalid(events, broken, grants));
    }

    private Set<String> locks(List<Event> events) {
        Set<String> locks = events.stream()
                .filter(event -> isAbout(event.lock(), event))
                .map(Event::lock)
                .collect(Collectors.toCollection(TreeSet::new));
        locks.addAll(counters.keySet());
        locks.addAll(stores.keySet());
        return locks;
    }

    private static boolean isAbout(String lock, Event event) {
        return event.operation().hasLock() && event.lock().equals(lock);
    }

    private void checkWrites(String lock, List<Call> calls, CheckerFindings findings) {
        WriteChecks writes = new WriteChecks(lock, findings);
        writes.noStaleWriteIsAccepted(calls);
        writes.acceptedTokensNeverDecrease(stores.getOrDefault(lock, List.of()));
        Long counter = counters.get(lock);
        if (counter != null && model == Model.NO_LOSS) {
            writes.nothingCountedIsLost(calls, counter);
        }
    }

    private static List<String> invalid(List<Event> events, List<Call> faults, int grants) {
        List<String> invalid = new ArrayList<>();
        if (faults.stream().noneMatch(Call::isOk)) {
            invalid.add("the fault never hit");
        }
        if (grants == 0) {
            invalid.add("no caller ever held a lock");
        }
        Set<String> jvms = events.stream().map(Event::jvm).collect(Collectors.toCollection(TreeSet::new));
        events.stream()
                .filter(event -> event.operation() == Operation.CLOCK)
                .map(Event::owner)
                .forEach(jvms::remove);
        if (jvms.size() > 1) {
            invalid.add("clocks that were not compared: " + jvms);
        }
        return invalid;
    }

    private HistoryReport verdict(
            CheckerFindings findings, List<Call> operations, int grants, List<Call> faults, List<String> invalid) {
        Map<String, Integer> hits = new TreeMap<>();
        faults.forEach(fault -> hits.merge(fault.lock(), fault.isOk() ? 1 : 0, Integer::sum));
        long unknown = operations.stream()
                .filter(call -> call.outcome() == Phase.UNKNOWN)
                .count();
        long unknownReleases = only(operations, Operation.RELEASE).stream()
                .filter(call -> call.outcome() == Phase.UNKNOWN)
                .count();
        return new HistoryReport(
                row,
                seed,
                model,
                operations.size(),
                (int) unknown,
                (int) unknownReleases,
                grants,
                findings.together(),
                succeeded(Operation.ACQUIRE_TOGETHER, operations),
                succeeded(Operation.RENEW, operations),
                hits,
                findings.overlaps(),
                findings.unexplainedOverlaps(),
                findings.latePasses(),
                findings.restoredHolds(),
                findings.refusedWrites(),
                Duration.ofNanos(findings.worstHandOver()),
                Duration.ofNanos(findings.worstCalmHandOver()),
                findings.handOvers(),
                renewals.size(),
                findings.violationsInAll(),
                findings.violations(),
                invalid);
    }

    private static int succeeded(Operation operation, List<Call> calls) {
        return (int) only(calls, operation).stream().filter(Call::isOk).count();
    }

    private static List<Call> only(List<Call> calls, Operation operation) {
        return calls.stream().filter(call -> call.operation() == operation).toList();
    }
}
