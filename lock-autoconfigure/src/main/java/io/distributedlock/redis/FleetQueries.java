/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.FleetReport;
import io.distributedlock.InstanceReport;
import io.distributedlock.LockActivity;
import io.distributedlock.engine.NanoClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Asks all instances what they hold and wait for, and answers when another one asks. Everything has a bound: the time,
 * the instances that are asked, the locks of an answer and its length, and the questions that are open.
 */
final class FleetQueries {

    private static final Log log = LogFactory.getLog(FleetQueries.class);

    /** How long all answers together are waited for. */
    private static final long TIMEOUT_MILLIS = 500;

    private static final int INSTANCES = 1_000;

    private static final int OPEN = 4_000;

    private static final int LOCKS = 500;

    private static final int LONGEST_MESSAGE = 32_768;

    private final InstanceMessenger messenger;

    private final FleetDirectory directory;

    private final AnswerQueue answers;

    private final InstanceLabels labels;

    private final Supplier<LockActivity> activity;

    private final Supplier<String> label;

    private final Map<String, FleetAnswer> open = new ConcurrentHashMap<>();

    /**
     * @param activity what this instance holds and waits for
     * @param label what operators call this instance
     */
    FleetQueries(
            InstanceMessenger messenger,
            FleetDirectory directory,
            AnswerQueue answers,
            InstanceLabels labels,
            Supplier<LockActivity> activity,
            Supplier<String> label) {
        this.messenger = messenger;
        this.directory = directory;
        this.answers = answers;
        this.labels = labels;
        this.activity = activity;
        this.label = label;
    }

    /** See {@link io.distributedlock.LockMonitor#fleet}. Blocks for as long as the answers take. */
    FleetReport fleet(String after, int atMost) {
        int locks = Math.max(1, Math.min(LOCKS, atMost));
        List<InstanceReport> reports = new ArrayList<>();
        reports.add(ActivityPage.of(activity.get(), label.get(), after, locks));
        List<String> ids = known();
        List<String> others = ids == null
                ? List.of()
                : ids.stream().filter(id -> !id.equals(messenger.self())).toList();
        ask(others, locks, after).forEach((id, report) -> reports.add(report));
        return new FleetReport(reports, ids != null && others.size() <= INSTANCES);
    }

    /** See {@link io.distributedlock.LockMonitor#labels}. */
    Map<String, String> labels(Collection<String> instances) {
        Map<String, String> found = new HashMap<>();
        List<String> unknown = new ArrayList<>();
        for (String id : instances) {
            String known = id.equals(messenger.self()) ? label.get() : labels.of(id);
            if (known != null) {
                found.put(id, known);
            } else if (InstanceMessage.isInstance(id) && !unknown.contains(id)) {
                unknown.add(id);
            }
        }
        ask(unknown, 0, "").forEach((id, report) -> {
            String told = report.label();
            if (told != null) {
                found.put(id, told);
            }
        });
        return found;
    }

    /** Null if Redis has not said it. */
    private @Nullable List<String> known() {
        try {
            return directory.instances().get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return null;
        } catch (TimeoutException | ExecutionException ex) {
            log.debug("Redis does not say which instances there are", ex);
            return null;
        }
    }

    /** Each of them is asked for that many locks. In the order of their ids. */
    private Map<String, InstanceReport> ask(List<String> instances, int locks, String after) {
        Map<String, InstanceReport> reports = new LinkedHashMap<>();
        if (!messenger.isPossible()) {
            instances.forEach(id -> reports.put(id, InstanceReport.silent(id, labels.of(id))));
            return reports;
        }
        Map<String, FleetAnswer> asked = new LinkedHashMap<>();
        List<String> numbers = new ArrayList<>();
        try {
            for (String id : instances.subList(0, Math.min(INSTANCES, instances.size()))) {
                FleetAnswer answer = new FleetAnswer();
                asked.put(id, answer);
                numbers.add(ask(id, answer, locks, after));
            }
            await(asked.values());
        } finally {
            numbers.forEach(open::remove);
        }
        asked.forEach((id, answer) -> reports.put(id, read(id, answer)));
        return reports;
    }

    private String ask(String id, FleetAnswer answer, int locks, String after) {
        String number = InstanceMessenger.number();
        String question = FleetMessage.list(messenger.self(), number, locks, after);
        if (open.size() < OPEN && question.length() <= LONGEST_MESSAGE) {
            open.put(number, answer);
            messenger.send(id, question);
        }
        return number;
    }

    private static void await(Collection<FleetAnswer> asked) {
        long end = NanoClock.SYSTEM.nanos() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
        CompletableFuture<Void> all =
                CompletableFuture.allOf(asked.stream().map(FleetAnswer::whole).toArray(CompletableFuture<?>[]::new));
        try {
            all.get(Math.max(0, end - NanoClock.SYSTEM.nanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException ex) {
            log.debug("Not all instances have answered");
        }
    }

    private InstanceReport read(String id, FleetAnswer answer) {
        String text = answer.text();
        InstanceReport report = text == null ? null : FleetMessage.report(id, text);
        if (report == null) {
            return InstanceReport.silent(id, labels.of(id));
        }
        if (report.label() != null) {
            labels.learn(id, report.label());
        }
        return report;
    }

    /**
     * Called on the network's thread.
     *
     * @return false if it is no question or answer of this kind
     */
    boolean message(String message) {
        if (message.startsWith(FleetMessage.HERE)) {
            FleetAnswer answer = message.length() > LONGEST_MESSAGE ? null : open.get(InstanceMessage.word(message, 1));
            if (answer != null) {
                answer.add(message);
            }
            return true;
        }
        if (message.startsWith(FleetMessage.LIST)) {
            if (message.length() <= LONGEST_MESSAGE) {
                answers.add(() -> answer(message));
            }
            return true;
        }
        return false;
    }

    private void answer(String question) {
        String asker = InstanceMessage.word(question, 1);
        String after = FleetMessage.after(question);
        int locks = FleetMessage.atMost(question);
        if (after != null && locks >= 0 && InstanceMessage.isInstance(asker)) {
            InstanceReport page = ActivityPage.of(activity.get(), label.get(), after, Math.min(LOCKS, locks));
            FleetMessage.here(InstanceMessage.word(question, 2), page)
                    .forEach(message -> messenger.send(asker, message));
        }
    }
}
