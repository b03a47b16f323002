/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/** Who held a lock, and when, and with which token. Of one lock. */
final class HoldChecks {

    /** So many callers of a JVM may have had the lease in between, and nobody have heard of it. */
    private static final int PASSES = 50;

    private final String lock;

    private final Model model;

    private final Losses losses;

    private final CheckerFindings findings;

    HoldChecks(String lock, Model model, Losses losses, CheckerFindings findings) {
        this.lock = lock;
        this.model = model;
        this.losses = losses;
        this.findings = findings;
    }

    void check(List<Grant> grants) {
        neverOverlap(grants);
        tokensAreUnique(grants);
        tokensGrow(grants);
        releasesThatSayOkAreTheHoldersOwn(grants);
    }

    /** H1. Of one owner, it is a re-entry that got a token of its own. */
    private void neverOverlap(List<Grant> grants) {
        Grant furthest = null;
        for (Grant grant : sorted(grants, Comparator.comparingLong(Grant::grantedAt))) {
            if (grant.certainUntil() <= grant.grantedAt()) {
                continue;
            }
            if (furthest != null && grant.grantedAt() < furthest.certainUntil()) {
                overlap(furthest, grant);
            }
            if (furthest == null || grant.certainUntil() > furthest.certainUntil()) {
                furthest = grant;
            }
        }
    }

    private void overlap(Grant before, Grant grant) {
        long end = Math.min(before.certainUntil(), grant.certainUntil());
        boolean explained = model != Model.NO_LOSS && losses.explainOverlap(grant.grantedAt(), end);
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

    /** H2, whenever it was. */
    private void tokensAreUnique(List<Grant> grants) {
        Map<Long, Grant> known = new HashMap<>();
        for (Grant grant : grants) {
            Grant before = known.putIfAbsent(grant.token(), grant);
            if (before != null) {
                violation("H2", "two holds with one token", before, grant);
            }
        }
    }

    /** H2, of those of which one came certainly after the other. */
    private void tokensGrow(List<Grant> grants) {
        List<TokenInterval> spans = grants.stream()
                .map(grant -> new TokenInterval(grant.askedAt(), grant.grantedAt(), grant.token(), grant))
                .toList();
        Map<String, NavigableSet<Long>> tokens = new HashMap<>();
        grants.forEach(grant ->
                tokens.computeIfAbsent(grant.jvm(), jvm -> new TreeSet<>()).add(grant.token()));
        TokenInterval.inRealTime(spans, (later, highest) -> {
            if (later.token() < highest.token()) {
                Grant grant = (Grant) later.what();
                if (mayBeForgotten(grant.grantedAt(), grant.grantedAt()) && isPassedOn(grant, tokens)) {
                    findings.latePass();
                } else {
                    violation("H2", "a later hold with a lower token", highest, later);
                }
            }
        });
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

    /** H4. The order of the tokens is that in which Redis granted them. */
    private void releasesThatSayOkAreTheHoldersOwn(List<Grant> grants) {
        List<Grant> byToken =
                sorted(grants, Comparator.comparingLong(Grant::token).reversed());
        Grant earliest = null;
        for (Grant grant : byToken) {
            Call release = grant.confirmedRelease();
            boolean passed = earliest != null && earliest.token() > grant.token();
            if (passed
                    && release != null
                    && earliest.grantedAt() <= release.begin()
                    && !mayBeForgotten(grant.askedAt(), release.end())) {
                violation("H4", "a confirmed release of a lock that had been granted to another one", grant, earliest);
            }
            if (earliest == null || grant.grantedAt() < earliest.grantedAt()) {
                earliest = grant;
            }
        }
    }

    private boolean mayBeForgotten(long from, long to) {
        return model != Model.NO_LOSS && losses.areFelt(from, to);
    }

    private static List<Grant> sorted(List<Grant> grants, Comparator<Grant> order) {
        return grants.stream().sorted(order).toList();
    }

    private void violation(String check, String what, Object first, Object second) {
        findings.violation(check, "'" + lock + "': " + what + ": " + first + "; " + second);
    }
}
