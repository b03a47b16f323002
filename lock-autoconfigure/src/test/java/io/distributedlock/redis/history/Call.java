/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Something that was begun, and how it ended, if that is known. */
record Call(Event asked, @Nullable Event replied) {

    private record Key(String jvm, long acquisition, Operation operation) {

        static Key of(Event event) {
            return new Key(event.jvm(), event.acquisition(), event.operation());
        }
    }

    /** All calls, in the order in which they began. What happened without a call, as a loss does, is none. */
    static List<Call> of(List<Event> events) {
        List<Call> calls = new ArrayList<>();
        Map<Key, Integer> open = new HashMap<>();
        for (Event event : events) {
            if (event.phase() == Phase.INVOKE) {
                open.put(Key.of(event), calls.size());
                calls.add(new Call(event, null));
            } else {
                Integer index = open.remove(Key.of(event));
                if (index != null) {
                    calls.set(index, new Call(calls.get(index).asked(), event));
                }
            }
        }
        return calls;
    }

    Operation operation() {
        return asked.operation();
    }

    String lock() {
        return asked.lock();
    }

    /** One that was not answered may have done anything. */
    Phase outcome() {
        return replied == null ? Phase.UNKNOWN : replied.phase();
    }

    boolean isOk() {
        return outcome() == Phase.OK;
    }

    long begin() {
        return asked.nanos();
    }

    /** In the far future if it was not answered. */
    long end() {
        return replied == null ? Long.MAX_VALUE : replied.nanos();
    }

    @Override
    public String toString() {
        return operation() + " of " + lock() + " by " + asked.owner() + " (" + asked.jvm() + ' ' + asked.acquisition()
                + ") from " + begin() + " to " + (replied == null ? "?" : end() + " " + outcome());
    }
}
