/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Timers ordered by due time: a binary heap in which every element knows its slot, so that arming, moving and disarming
 * cost the logarithm of the timers armed now, and disarmed timers leave nothing behind. That matters because nearly all
 * timers of a lock are disarmed long before they are due.
 *
 * <p>All threads share one lock here, so a call that needs no change finds that out without it. Locks and pending
 * releases arm and disarm themselves under a monitor of their own, which {@link TimerTask#onDue} takes too. So the only
 * possible concurrent event is that the element is taken out as due, and then it will be called after that. A waiter
 * has no such monitor; the caller that arms it again checks afterwards whether the timer is still needed. The lock is a
 * monitor, since it is taken under others: before Java 24, threads that wait for it keep their carriers, but its owner
 * is running, and it is never handed to a virtual thread without a carrier.
 */
final class TimerQueue {

    /** Due time of an empty queue. */
    static final long NEVER = Long.MAX_VALUE;

    private final Runnable wakeUp;

    @GuardedBy("this")
    private @Nullable TimerTask[] heap = new TimerTask[64];

    @GuardedBy("this")
    private int size;

    @GuardedBy("this")
    private long plannedWakeUp;

    @GuardedBy("this")
    private boolean planned;

    /** @param wakeUp called when the earliest due time came to lie before the one that {@link #plan} promised */
    TimerQueue(Runnable wakeUp) {
        this.wakeUp = wakeUp;
    }

    /**
     * Arms it, or moves it to an earlier time. A timer that is postponed stays where it is, and arms itself again when
     * it is called too early. So a lock that is released before its first timer is due has moved none.
     */
    void arm(TimerTask timed, long due) {
        if (timed.slot >= 0 && timed.due - due <= 0) {
            return;
        }
        boolean wake;
        synchronized (this) {
            if (timed.slot < 0) {
                append(timed);
            } else if (timed.due - due <= 0) {
                return;
            }
            timed.due = due;
            siftDown(timed, siftUp(timed, timed.slot));
            wake = timed.slot == 0 && planned && due - plannedWakeUp < 0;
            planned &= !wake;
        }
        if (wake) {
            wakeUp.run();
        }
    }

    void disarm(TimerTask timed) {
        if (timed.slot < 0) {
            return;
        }
        synchronized (this) {
            if (timed.slot >= 0) {
                remove(timed.slot);
            }
        }
    }

    /** Takes one element that is due, or null. */
    @Nullable
    TimerTask pollDue(long now) {
        synchronized (this) {
            TimerTask first = heap[0];
            if (first == null || first.due - now > 0) {
                return null;
            }
            remove(0);
            return first;
        }
    }

    /**
     * How long the caller may sleep, in nanoseconds, at most {@code limit}. From now on an element that is due earlier
     * than that calls the wake-up.
     */
    long plan(long now, long limit) {
        synchronized (this) {
            TimerTask first = heap[0];
            long sleep = first == null ? limit : Math.min(limit, Math.max(0, first.due - now));
            plannedWakeUp = now + sleep;
            planned = true;
            return sleep;
        }
    }

    int size() {
        synchronized (this) {
            return size;
        }
    }

    @GuardedBy("this")
    private void append(TimerTask timed) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        place(timed, size++);
    }

    @GuardedBy("this")
    private void remove(int slot) {
        TimerTask removed = at(slot);
        TimerTask last = at(--size);
        heap[size] = null;
        removed.slot = -1;
        if (slot < size) {
            place(last, slot);
            siftDown(last, siftUp(last, slot));
        } else if (heap.length > 64 && size < heap.length / 4) {
            heap = Arrays.copyOf(heap, heap.length / 2);
        }
    }

    @GuardedBy("this")
    private int siftUp(TimerTask timed, int slot) {
        int hole = slot;
        while (hole > 0) {
            TimerTask parent = at((hole - 1) >>> 1);
            if (parent.due - timed.due <= 0) {
                break;
            }
            place(parent, hole);
            hole = (hole - 1) >>> 1;
        }
        place(timed, hole);
        return hole;
    }

    @GuardedBy("this")
    private void siftDown(TimerTask timed, int slot) {
        int hole = slot;
        while (2 * hole + 1 < size) {
            int child = 2 * hole + 1;
            if (child + 1 < size && at(child + 1).due - at(child).due < 0) {
                child++;
            }
            if (timed.due - at(child).due <= 0) {
                break;
            }
            place(at(child), hole);
            hole = child;
        }
        place(timed, hole);
    }

    @GuardedBy("this")
    private TimerTask at(int slot) {
        TimerTask timed = heap[slot];
        if (timed == null) {
            throw new IllegalStateException("empty slot " + slot);
        }
        return timed;
    }

    @GuardedBy("this")
    private void place(TimerTask timed, int slot) {
        heap[slot] = timed;
        timed.slot = slot;
    }
}
