package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;

/** Waiters in the order of their arrival; anyone can leave in constant time. Not thread-safe. */
final class WaiterQueue {

    private @Nullable Waiter first;

    private @Nullable Waiter last;

    boolean isEmpty() {
        return first == null;
    }

    @Nullable
    Waiter first() {
        return first;
    }

    void add(Waiter waiter) {
        waiter.queued = true;
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

    @Nullable
    Waiter poll() {
        Waiter head = first;
        if (head != null) {
            remove(head);
        }
        return head;
    }
}
