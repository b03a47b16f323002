/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;

/** Waiters in the order of their arrival; anyone can leave in constant time. Not thread-safe. */
final class WaiterQueue {

    private @Nullable Waiter first;

    private @Nullable Waiter last;

    private long arrivals;

    private int size;

    boolean isEmpty() {
        return first == null;
    }

    @Nullable
    Waiter first() {
        return first;
    }

    int size() {
        return size;
    }

    void add(Waiter waiter) {
        size++;
        waiter.queued = true;
        waiter.arrival = arrivals++;
        waiter.previous = last;
        if (last == null) {
            first = waiter;
        } else {
            last.next = waiter;
        }
        last = waiter;
    }

    /** @return false if it did not stand in the queue any more */
    boolean remove(Waiter waiter) {
        if (!waiter.queued) {
            return false;
        }
        size--;
        Waiter before = waiter.previous;
        Waiter after = waiter.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        waiter.previous = null;
        waiter.next = null;
        waiter.queued = false;
        return true;
    }

    /** Takes the first one out. There must be one. */
    Waiter next() {
        Waiter head = first;
        if (head == null) {
            throw new IllegalStateException("Nobody waits");
        }
        remove(head);
        return head;
    }

    /** Whether anyone wants more than a single try. */
    boolean anyoneStays() {
        for (Waiter waiter = first; waiter != null; waiter = waiter.next) {
            if (!waiter.terms.triesOnce()) {
                return true;
            }
        }
        return false;
    }

    boolean anyoneTriesOnce() {
        for (Waiter waiter = first; waiter != null; waiter = waiter.next) {
            if (waiter.terms.triesOnce()) {
                return true;
            }
        }
        return false;
    }

    void decideAll(AcquireResult result, DeferredActions actions) {
        while (first != null) {
            Waiter told = next();
            actions.add(() -> told.decide(result));
        }
    }

    /** How many have come so far. */
    long arrivals() {
        return arrivals;
    }

    /** Another caller has the lock, as those who came before that number may be told. */
    void decideThoseWhoTryOnce(long before, DeferredActions actions) {
        Waiter waiter = first;
        while (waiter != null) {
            Waiter told = waiter;
            waiter = waiter.next;
            if (told.wantsOneAnswer() && told.arrival < before) {
                remove(told);
                actions.add(() -> told.decide(new AcquireResult.Busy()));
            }
        }
    }
}
