/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.FleetReport;
import io.distributedlock.InstanceReport;
import io.distributedlock.LockActivity;
import io.distributedlock.engine.NanoClock;
import io.distributedlock.logging.SafeLog;
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
import org.jspecify.annotations.Nullable;

/**
 * Requests the holds and waits of all instances, and replies to requests of others. All of these are bounded: the time,
 * the number of requests, the locks of a reply and its length, and the open requests.
 */
final class FleetQueries {

    private static final Log log = SafeLog.of(FleetQueries.class);

    /** Maximum wait for all replies together. */
    private static final long TIMEOUT_MILLIS = 500;

    private static final int INSTANCES = 1_000;

    private static final int OPEN = 4_000;

    private static final int LOCKS = 500;

    private static final int LONGEST_MESSAGE = 32_768;

    private final InstanceMessenger messenger;

    private final FleetDirectory directory;

    private final int database;

    private final ReplyQueue replies;

    private final InstanceLabels labels;

    private final Supplier<LockActivity> activity;

    private final Supplier<String> label;

    private final Map<String, FleetReply> open = new ConcurrentHashMap<>();

    /**
     * @param database the number of the database of this instance
     * @param activity the holds and waits of this instance
     * @param label the label of this instance
     */
    FleetQueries(
            InstanceMessenger messenger,
            FleetDirectory directory,
            int database,
            ReplyQueue replies,
            InstanceLabels labels,
            Supplier<LockActivity> activity,
            Supplier<String> label) {
        this.messenger = messenger;
        this.directory = directory;
        this.database = database;
        this.replies = replies;
        this.labels = labels;
        this.activity = activity;
        this.label = label;
    }

    /** See {@link io.distributedlock.LockMonitor#fleet}. Blocks until the replies have arrived, within the limit. */
    FleetReport fleet(String after, int atMost) {
        int locks = Math.max(1, Math.min(LOCKS, atMost));
        List<InstanceReport> reports = new ArrayList<>();
        reports.add(ActivityPage.of(activity.get(), label.get(), after, locks));
        FleetDirectory.Listing listing = listing();
        List<String> others = listing.addresses().keySet().stream()
                .filter(id -> !id.equals(messenger.self()))
                .toList();
        List<String> requested = others.subList(0, Math.min(INSTANCES, others.size()));
        requested.forEach(id -> messenger.learn(listing.addresses().getOrDefault(id, id)));
        request(requested, locks, after, TIMEOUT_MILLIS).forEach((id, report) -> reports.add(report));
        return new FleetReport(reports, listing.complete() && others.size() <= INSTANCES);
    }

    /** See {@link io.distributedlock.LockMonitor#labels}. */
    Map<String, String> labels(Collection<String> instances) {
        return labels(instances, TIMEOUT_MILLIS);
    }

    boolean isSelf(String instance) {
        return instance.equals(messenger.self());
    }

    /** Waits that long for replies at most. */
    Map<String, String> labels(Collection<String> instances, long millis) {
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
        request(unknown, 0, "", millis).forEach((id, report) -> {
            String label = report.label();
            if (label != null) {
                found.put(id, label);
            }
        });
        return found;
    }

    /** Incomplete if Redis has not replied. */
    private FleetDirectory.Listing listing() {
        try {
            return directory.instances().get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return FleetDirectory.Listing.NONE;
        } catch (TimeoutException | ExecutionException ex) {
            log.debug("The channels of the instances could not be listed", ex);
            return FleetDirectory.Listing.NONE;
        }
    }

    /** Requests that many locks from each instance, in the order of their ids. */
    private Map<String, InstanceReport> request(List<String> instances, int locks, String after, long millis) {
        Map<String, InstanceReport> reports = new LinkedHashMap<>();
        if (!messenger.isPossible()) {
            instances.forEach(id -> reports.put(id, InstanceReport.silent(id, labels.of(id))));
            return reports;
        }
        Map<String, FleetReply> requested = new LinkedHashMap<>();
        List<String> numbers = new ArrayList<>();
        try {
            for (String id : instances.subList(0, Math.min(INSTANCES, instances.size()))) {
                FleetReply reply = new FleetReply();
                requested.put(id, reply);
                numbers.add(request(id, reply, locks, after));
            }
            await(requested.values(), millis);
        } finally {
            numbers.forEach(open::remove);
        }
        requested.forEach((id, reply) -> {
            String text = reply.text();
            if (text == null || !FleetMessage.isOfOtherDatabase(text, database)) {
                reports.put(id, read(id, text));
            }
        });
        return reports;
    }

    private String request(String id, FleetReply reply, int locks, String after) {
        String number = InstanceMessenger.number();
        String message = FleetMessage.list(messenger.replyAddress(id), number, locks, after);
        if (open.size() < OPEN && message.length() <= LONGEST_MESSAGE) {
            open.put(number, reply);
            messenger.send(id, message);
        }
        return number;
    }

    private static void await(Collection<FleetReply> requested, long millis) {
        long end = NanoClock.SYSTEM.nanos() + TimeUnit.MILLISECONDS.toNanos(millis);
        CompletableFuture<Void> all = CompletableFuture.allOf(
                requested.stream().map(FleetReply::whole).toArray(CompletableFuture<?>[]::new));
        try {
            all.get(Math.max(0, end - NanoClock.SYSTEM.nanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException ex) {
            log.debug("Not all instances have replied");
        }
    }

    private InstanceReport read(String id, @Nullable String text) {
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
     * @return false if it is no request or reply of this kind
     */
    boolean message(String message) {
        if (message.startsWith(FleetMessage.HERE)) {
            FleetReply reply = message.length() > LONGEST_MESSAGE ? null : open.get(InstanceMessage.word(message, 1));
            if (reply != null) {
                reply.add(message);
            }
            return true;
        }
        if (message.startsWith(FleetMessage.LIST)) {
            if (message.length() <= LONGEST_MESSAGE) {
                replies.add(() -> reply(message));
            }
            return true;
        }
        return false;
    }

    private void reply(String message) {
        String requester = InstanceMessage.word(message, 1);
        String after = FleetMessage.after(message);
        int locks = FleetMessage.atMost(message);
        if (after != null && locks >= 0 && InstanceMessage.isAddress(requester)) {
            InstanceReport page = ActivityPage.of(activity.get(), label.get(), after, Math.min(LOCKS, locks));
            FleetMessage.here(InstanceMessage.word(message, 2), page, database)
                    .forEach(part -> messenger.send(requester, part));
        }
    }
}
