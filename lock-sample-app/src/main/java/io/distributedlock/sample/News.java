/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.springframework.stereotype.Component;

/** Reports events of the instances and of Redis: at once in the terminal, and the latest of them on the page. */
@Component
class News {

    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");

    private static final int KEPT = 8;

    private final Terminal terminal;

    private final Deque<Item> items = new ArrayDeque<>();

    /** An event, and the time of day at which this instance noticed it. */
    record Item(String at, boolean bad, String text) {}

    News(Terminal terminal) {
        this.terminal = terminal;
    }

    void bad(String text) {
        add(true, text);
    }

    void good(String text) {
        add(false, text);
    }

    /** The latest items, the newest first. */
    List<Item> latest() {
        synchronized (items) {
            return List.copyOf(items);
        }
    }

    private void add(boolean bad, String text) {
        String at = LocalTime.now(ZoneId.systemDefault()).format(CLOCK);
        synchronized (items) {
            items.addFirst(new Item(at, bad, text));
            if (items.size() > KEPT) {
                items.removeLast();
            }
        }
        terminal.line("  " + at + (bad ? " ! " : "   ") + text);
    }
}
