/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Who held a lock, and when, and with which token. Of one lock. */
final class HoldChecks {

    /** So many callers of a JVM may have had the lease in between, and no caller have noticed it. */
    private static final int PASSES = 50;

    private final String lock;

    private final Losses losses;

    private final Set<Grant> restored;

    private final List<Call> calls;

    private final CheckerFindings findings;

    HoldChecks(String lock, List<Call> calls, Losses losses, Set<Grant> restored, CheckerFindings findings) {
        this.lock = lock;
        this.calls = calls;
        this.losses = losses;
        this.restored = restored;
        this.findings = findings;
    }

    void check(List<Grant> grants) {
        neverOverlap(grants);
        minimumsAreKept(grants);
        tokensAreUnique(grants);
        tokensGrow(grants);
        releasesThatSayOkAreTheHoldersOwn(grants);
    }

    /** H1: many readers or one writer. Of one owner, it is a re-entry that got a token of its own. */
    private void neverOverlap(List<Grant> grants) {
        Grant furthest = null;
        Grant furthestWriter = null;
        for (Grant grant : sorted(grants, Comparator.comparingLong(Grant::grantedAt))) {
            if (grant.certainUntil() <= grant.grantedAt()) {
                continue;
            }
            Grant before = grant.isShared() ? furthestWriter : furthest;
            if (before != null && grant.grantedAt() < before.certainUntil()) {
                overlap(before, grant);
            }
            if (grant.isHadTogether() || (grant.isShared() && furthest != null && areTogether(furthest, grant))) {
                findings.heldTogether();
            }
            furthest = later(furthest, grant);
            furthestWriter = grant.isShared() ? furthestWriter : later(furthestWriter, grant);
        }
    }

    /** H1, of a lock that stays taken for a while after its release. */
    private void minimumsAreKept(List<Grant> grants) {
        Grant longest = null;
        for (Grant grant : sorted(grants, Comparator.comparingLong(Grant::grantedAt))) {
            if (longest != null
                    && grant.grantedAt() < longest.staysUntil()
                    && !mayBeForgotten(longest.grantedAt(), grant.grantedAt())) {
                violation("H1", "granted before the minimum of the hold before was over", longest, grant);
            }
            if (longest == null || grant.staysUntil() > longest.staysUntil()) {
                longest = grant;
            }
        }
    }

    private static Grant later(@Nullable Grant known, Grant grant) {
        return known == null || grant.certainUntil() > known.certainUntil() ? grant : known;
    }

    private void overlap(Grant before, Grant grant) {
        long end = Math.min(before.certainUntil(), grant.certainUntil());
        if (losses.wasTaken(grant.grantedAt(), end)) {
            return;
        }
        boolean explained = losses.explainOverlap(grant.grantedAt(), end);
        findings.overlap(explained);
        if (explained) {
            return;
        }
        if (before.owner().equals(grant.owner())) {
            violation("H2", "a re-entry with another token", before, grant);
        } else {
            violation("H1", "two holds at once", before, grant);
        }
    }

    /** H2, whenever it was. Only readers who hold the lock together may have the same. */
    private void tokensAreUnique(List<Grant> grants) {
        Map<Long, Grant> known = new HashMap<>();
        for (Grant grant : grants) {
            Grant before = known.putIfAbsent(grant.token(), grant);
            if (before != null
                    && !areTogether(before, grant)
                    && !restored.contains(grant)
                    && !mayHaveKept(before, grant)) {
                violation("H2", "two holds with one token", before, grant);
            }
        }
    }

    /** An acquisition of unknown outcome by the same explicit owner, which may have had the lock between both. */
    private boolean mayHaveKept(Grant before, Grant grant) {
        return grant.hasExplicitOwner()
                && before.owner().equals(grant.owner())
                && calls.stream()
                        .filter(call -> call.operation().isAcquisition() && call.outcome() == Phase.UNKNOWN)
                        .filter(call -> call.asked().owner().equals(grant.owner()))
                        .anyMatch(call -> call.begin() < grant.requestedAt() && call.end() > before.grantedAt());
    }

    private static boolean areTogether(Grant one, Grant other) {
        return one.isShared()
                && other.isShared()
                && one.requestedAt() <= other.heldAtMostUntil()
                && other.requestedAt() <= one.heldAtMostUntil();
    }

    private static List<TokenInterval> spans(List<Grant> grants, Predicate<Grant> which) {
        return grants.stream()
                .filter(which)
                .map(grant -> new TokenInterval(grant.requestedAt(), grant.grantedAt(), grant.token(), grant))
                .toList();
    }

    /**
     * H2, of those of which one came certainly after the other. A writer's is higher than all before, a reader's than
     * those of all writers.
     */
    private void tokensGrow(List<Grant> grants) {
        List<TokenInterval> all = spans(grants, grant -> true);
        List<TokenInterval> writers = spans(grants, grant -> !grant.isShared());
        List<TokenInterval> readers = spans(grants, Grant::isShared);
        Map<String, NavigableSet<Long>> tokens = new HashMap<>();
        grants.forEach(grant ->
                tokens.computeIfAbsent(grant.jvm(), jvm -> new TreeSet<>()).add(grant.token()));
        BiConsumer<TokenInterval, TokenInterval> judge = (later, highest) -> {
            if (later.token() < highest.token()) {
                Grant grant = (Grant) later.what();
                if (restored.contains(grant)) {
                    findings.restored();
                } else if (mayBeForgotten(grant.grantedAt(), grant.grantedAt())
                        && (isPassedOn(grant, tokens) || mayBePassedOnByASet(grant))) {
                    findings.latePass();
                } else {
                    violation("H2", "a later hold with a lower token", highest, later);
                }
            }
        };
        TokenInterval.inRealTime(all, writers, judge);
        TokenInterval.inRealTime(writers, readers, judge);
    }

    /**
     * Within a JVM, a lease goes from one to the next without Redis, with the next token. If Redis has forgotten it,
     * the JVM cannot know that until its next renewal or release; another caller may have a higher token by then, and
     * the stores refuse this one. Redis itself gives out microseconds, so one of its tokens has none of that JVM just
     * below it.
     */
    private static boolean isPassedOn(Grant grant, Map<String, NavigableSet<Long>> tokens) {
        NavigableSet<Long> ofJvm = tokens.get(grant.jvm());
        return !ofJvm.subSet(grant.token() - PASSES, true, grant.token(), false).isEmpty();
    }

    /** A caller of the JVM had it until another one of several locks was refused: no hold of its is recorded. */
    private boolean mayBePassedOnByASet(Grant grant) {
        return calls.stream()
                .filter(call -> call.operation() == Operation.ACQUIRE_TOGETHER && !call.isOk())
                .filter(call -> call.asked().jvm().equals(grant.jvm()))
                .anyMatch(call -> call.begin() <= grant.grantedAt() && call.end() >= grant.requestedAt());
    }

    /** H4. The order of the tokens is that in which Redis granted them. */
    private void releasesThatSayOkAreTheHoldersOwn(List<Grant> grants) {
        List<Grant> byToken =
                sorted(grants, Comparator.comparingLong(Grant::token).reversed());
        Grant earliestOfAll = null;
        Grant earliestWriter = null;
        for (Grant grant : byToken) {
            Grant earliest = grant.isShared() ? earliestWriter : earliestOfAll;
            Call release = grant.confirmedRelease();
            boolean passed = earliest != null && earliest.token() > grant.token();
            if (passed
                    && release != null
                    && !restored.contains(grant)
                    && earliest.grantedAt() <= release.begin()
                    && !mayBeForgotten(grant.requestedAt(), release.end())) {
                violation("H4", "a confirmed release of a lock that had been granted to another one", grant, earliest);
            }
            earliestOfAll = earlier(earliestOfAll, grant);
            earliestWriter = grant.isShared() ? earliestWriter : earlier(earliestWriter, grant);
        }
    }

    private static Grant earlier(@Nullable Grant known, Grant grant) {
        return known == null || grant.grantedAt() < known.grantedAt() ? grant : known;
    }

    private boolean mayBeForgotten(long from, long to) {
        return losses.areFelt(from, to);
    }

    private static List<Grant> sorted(List<Grant> grants, Comparator<Grant> order) {
        return grants.stream().sorted(order).toList();
    }

    private void violation(String check, String what, Object first, Object second) {
        findings.violation(check, "'" + lock + "': " + what + ": " + first + "; " + second);
    }
}
