/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A history made by hand, in milliseconds. The JVMs "a" and "b" have one clock, and a fault has hit long ago. */
final class HistoryBuilder {

    static final String LOCK = "shared";

    private final List<Event> events = new ArrayList<>();

    private long lastNumber;

    HistoryBuilder() {
        add("test", "a", "", Operation.CLOCK, Phase.OK, 0);
        add("test", "b", "", Operation.CLOCK, Phase.OK, 0);
        fault("CLIENT KILL", "redis", 0, 1);
    }

    /** The same without what makes it valid. */
    static HistoryBuilder ofNothing() {
        HistoryBuilder story = new HistoryBuilder();
        story.events.clear();
        return story;
    }

    List<Event> events() {
        return events.stream().sorted(Comparator.comparingLong(Event::nanos)).toList();
    }

    HistoryBuilder fault(String kind, String target, long from, long to) {
        return fault(kind, target, Event.NONE, from, to);
    }

    /** A fault of the whole that makes Redis forget. */
    HistoryBuilder loss(long from, long to) {
        return fault("FLUSHALL", "redis", Fault.LOSES_DATA, from, to);
    }

    private HistoryBuilder fault(String kind, String target, long loses, long from, long to) {
        Event begun = add("test", target, kind, Operation.FAULT, Phase.INVOKE, from);
        Event marked = begun.withToken(loses);
        events.set(events.indexOf(begun), marked);
        events.add(marked.then(Operation.FAULT, Phase.OK, nanos(to), Event.NONE));
        return this;
    }

    /** The lock is taken away from who has it. */
    HistoryBuilder force(String lock, long from, long to) {
        return fault(Fault.FORCE, lock, from, to);
    }

    HistoryBuilder stall(String jvm, long from, long to) {
        Event begun = add(jvm, "", "", Operation.STALL, Phase.INVOKE, from);
        events.add(begun.then(Operation.STALL, Phase.OK, nanos(to), Event.NONE));
        return this;
    }

    /** A hold as it should be, with a lease of 100 ms that was renewed all the time. */
    HistoryBuilder hold(String jvm, long asked, long granted, long released, long token) {
        asks(jvm, asked).granted(granted, token).releases(released).released(released + 1);
        return this;
    }

    /** The same of a reader. */
    HistoryBuilder read(String jvm, long asked, long granted, long released, long token) {
        asksToRead(jvm, asked).granted(granted, token).releases(released).released(released + 1);
        return this;
    }

    Life asksToRead(String jvm, long at) {
        Life life = asks(jvm, Event.ownerIn(jvm, "main"), at);
        life.last = life.last.ofReader(true);
        events.set(events.size() - 1, life.last);
        return life;
    }

    /** One of several locks that a caller acquires all or none. */
    Life asksForSeveral(String jvm, long at) {
        Life life = asks(jvm, Event.ownerIn(jvm, "several"), at);
        life.last = life.last.ofSet();
        events.set(events.size() - 1, life.last);
        return life;
    }

    /** The only thread of a JVM asks, and would wait for a second. */
    Life asks(String jvm, long at) {
        return asks(jvm, Event.ownerIn(jvm, "main"), at);
    }

    Life asks(String jvm, String owner, long at) {
        return asks(jvm, owner, LOCK, at);
    }

    Life asks(String jvm, String owner, String lock, long at) {
        long until = nanos(at + 1_000);
        Event asked = new Event(
                jvm, owner, lock, ++lastNumber, Operation.ACQUIRE, Phase.INVOKE, nanos(at), Event.NONE, until);
        events.add(asked);
        return new Life(asked);
    }

    private Event add(String jvm, String owner, String lock, Operation operation, Phase phase, long at) {
        Event event = new Event(jvm, owner, lock, ++lastNumber, operation, phase, nanos(at), Event.NONE, Event.NONE);
        events.add(event);
        return event;
    }

    private static long nanos(long millis) {
        return millis * 1_000_000;
    }

    /** One acquisition. */
    final class Life {

        private Event last;

        private Life(Event asked) {
            last = asked;
        }

        Life granted(long at, long token) {
            last = last.withToken(token);
            return then(last.operation(), Phase.OK, at, nanos(at + 100));
        }

        Life busy(long at) {
            return then(last.operation(), Phase.FAIL, at, Event.NONE);
        }

        Life unknown(long at) {
            return then(last.operation(), Phase.UNKNOWN, at, Event.NONE);
        }

        Life renewed(long at) {
            return then(Operation.RENEW, Phase.OK, at, nanos(at + 100));
        }

        Life lost(long at) {
            return then(Operation.LOST, Phase.OK, at, Event.NONE);
        }

        Life writes(long at, boolean accepted) {
            then(Operation.FENCED_WRITE, Phase.INVOKE, at, Event.NONE);
            return then(Operation.FENCED_WRITE, accepted ? Phase.OK : Phase.FAIL, at + 1, Event.NONE);
        }

        Life counts(long at) {
            then(Operation.COUNT, Phase.INVOKE, at, Event.NONE);
            return then(Operation.COUNT, Phase.OK, at + 1, Event.NONE);
        }

        Life beginsToCount(long at) {
            return then(Operation.COUNT, Phase.INVOKE, at, Event.NONE);
        }

        /** It holds it still. */
        Life releases(long at) {
            return then(Operation.RELEASE, Phase.INVOKE, at, nanos(at + 100));
        }

        /** It knows that it has lost it. */
        Life releasesTooLate(long at) {
            return then(Operation.RELEASE, Phase.INVOKE, at, Event.NONE);
        }

        Life released(long at) {
            return then(Operation.RELEASE, Phase.OK, at, Event.NONE);
        }

        /** The lock stays taken until then. */
        Life released(long at, long until) {
            return then(Operation.RELEASE, Phase.OK, at, nanos(until));
        }

        /** As {@link #released(long, long)}, but the caller does not know whether it is. */
        Life unconfirmed(long at, long until) {
            return then(Operation.RELEASE, Phase.UNKNOWN, at, nanos(until));
        }

        Life refused(long at) {
            return then(Operation.RELEASE, Phase.FAIL, at, Event.NONE);
        }

        private Life then(Operation operation, Phase phase, long at, long deadline) {
            last = last.then(operation, phase, nanos(at), deadline);
            events.add(last);
            return this;
        }
    }
}
