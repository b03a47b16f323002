/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import java.util.List;

/** What was done under the lock. Of one lock. */
final class WriteChecks {

    private final String lock;

    private final CheckerFindings findings;

    WriteChecks(String lock, CheckerFindings findings) {
        this.lock = lock;
        this.findings = findings;
    }

    /** H3, by what the writers say. */
    void noStaleWriteIsAccepted(List<Call> calls) {
        List<Call> writes = calls.stream()
                .filter(call -> call.operation() == Operation.FENCED_WRITE)
                .toList();
        writes.stream().filter(write -> write.outcome() == Phase.FAIL).forEach(write -> findings.refusedWrite());
        List<TokenInterval> accepted = writes.stream()
                .filter(Call::isOk)
                .map(write -> new TokenInterval(
                        write.begin(), write.end(), write.asked().token(), write))
                .toList();
        TokenInterval.inRealTime(accepted, accepted, (later, highest) -> {
            if (later.token() < highest.token()) {
                stale(later.token(), highest.token());
            }
        });
    }

    /** H3, by what the store says. */
    void acceptedTokensNeverDecrease(List<Long> accepted) {
        long highest = Event.NONE;
        for (long token : accepted) {
            if (token < highest) {
                stale(token, highest);
            }
            highest = Math.max(highest, token);
        }
    }

    private void stale(long token, long highest) {
        findings.violation(
                "H3", "'" + lock + "': a write with token " + token + " was accepted after one with " + highest);
    }

    /** H6. A count that was cut off may be in the value or not. */
    void nothingCountedIsLost(List<Call> calls, long value) {
        long certain = countsThatAre(Phase.OK, calls);
        long possible = certain + countsThatAre(Phase.UNKNOWN, calls);
        if (value < certain || value > possible) {
            findings.violation(
                    "H6",
                    "'" + lock + "': counted " + certain + " to " + possible + " times, but the value is " + value);
        }
    }

    private static long countsThatAre(Phase outcome, List<Call> calls) {
        return calls.stream()
                .filter(call -> call.operation() == Operation.COUNT && call.outcome() == outcome)
                .count();
    }
}
