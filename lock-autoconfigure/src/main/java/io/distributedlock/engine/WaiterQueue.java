/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;

/** Waiters in the order of their arrival; each can leave in constant time. Not thread-safe. */
final class WaiterQueue {

    private @Nullable Waiter first;

    private @Nullable Waiter last;

    /** The waiters that were taken out in the present transition, the latest first. */
    private @Nullable Waiter taken;

    private long arrivals;

    private int size;

    /** The number of those that want more than a single try. */
    private int staying;

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

    /** Whether the lease is that of a waiter that has left, and the rest of it is too short for the first one. */
    boolean needMoreThan(Lease lease, long now) {
        Waiter next = first;
        return next != null && lease.length() < next.lease() && !lease.isLongEnough(next.lease(), now);
    }

    void add(Waiter waiter) {
        Waiter before = last;
        // Only the first steps call anything, and so may fail: nothing is changed yet.
        int stays = stays(waiter);
        if (before != null) {
            waiter.shareRequestOf(before);
        }
        staying += stays;
        size++;
        waiter.queued = true;
        waiter.arrival = arrivals++;
        waiter.previous = before;
        if (before == null) {
            first = waiter;
        } else {
            before.next = waiter;
        }
        last = waiter;
    }

    private static int stays(Waiter waiter) {
        return waiter.request.triesOnce() ? 0 : 1;
    }

    /** @return false if it was no longer in the queue */
    boolean remove(Waiter waiter) {
        if (!waiter.queued) {
            return false;
        }
        staying -= stays(waiter);
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
        waiter.next = taken;
        taken = waiter;
        waiter.queued = false;
        return true;
    }

    /** The transition has ended, and each waiter that was taken out has its result on the way. */
    void forgetTaken() {
        while (taken != null) {
            Waiter known = taken;
            taken = known.next;
            known.next = null;
        }
    }

    /** The transition has failed half-way: the waiters that were taken out get this, unless they get another result. */
    void decideTaken(AcquireResult result, DeferredActions actions) {
        while (taken != null) {
            Waiter each = taken;
            actions.add(() -> each.decide(result));
            taken = each.next;
            each.next = null;
        }
    }

    /** Takes the first one out. There must be one. */
    Waiter takeFirst() {
        Waiter head = first;
        if (head == null) {
            throw new IllegalStateException("Nobody waits");
        }
        remove(head);
        return head;
    }

    /** The number of waiters that want more than a single try. */
    int staying() {
        return staying;
    }

    boolean anyoneStays() {
        return staying > 0;
    }

    boolean anyoneTriesOnce() {
        return size > staying;
    }

    void decideAll(AcquireResult result, DeferredActions actions) {
        while (first != null) {
            Waiter each = takeFirst();
            actions.add(() -> each.decide(result));
        }
    }

    /** The number of waiters that have come so far. */
    long arrivals() {
        return arrivals;
    }

    /** Another caller has the lock; waiters that came before that number may get this result. */
    void decideThoseWhoTryOnce(long before, DeferredActions actions) {
        Waiter waiter = first;
        while (waiter != null) {
            Waiter each = waiter;
            waiter = waiter.next;
            if (each.wantsOneReply() && each.arrival < before) {
                remove(each);
                actions.add(() -> each.decide(new AcquireResult.Busy()));
            }
        }
    }
}
