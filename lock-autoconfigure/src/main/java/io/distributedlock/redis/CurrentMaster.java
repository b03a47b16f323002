/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.engine.NanoClock;
import io.distributedlock.logging.SafeLog;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The master of all connections of this instance. When it changes, all of them are closed, and Lettuce opens new ones
 * to the current address. So commands and messages use one server.
 */
final class CurrentMaster implements AutoCloseable {

    private static final Log log = SafeLog.of(CurrentMaster.class);

    /** How long a reply is used for other connections. */
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /** How long a server has to refuse before a search for the master. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A refusal that comes later than this after the previous one begins a new series. */
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final MasterLocator locator;

    private final Function<InetSocketAddress, CompletableFuture<SocketAddress>> resolver;

    private final Runnable closeConnections;

    private final NanoClock clock;

    private volatile @Nullable Master current;

    @GuardedBy("this")
    private @Nullable CompletableFuture<Master> searching;

    @GuardedBy("this")
    private boolean searchAgain;

    @GuardedBy("this")
    private long repliedAt;

    @GuardedBy("this")
    private long refusedSince;

    @GuardedBy("this")
    private long refusedAt;

    @GuardedBy("this")
    private boolean refused;

    /**
     * The master.
     *
     * @param named the address that servers know it by
     * @param reachable the address that connections of this instance lead to, such as one of an address translation
     */
    private record Master(InetSocketAddress named, SocketAddress reachable) {

        /**
         * A name may lead to several addresses, and those of two lookups may differ, so only the port of a name counts.
         */
        boolean isAt(InetSocketAddress remote) {
            if (!(reachable instanceof InetSocketAddress expected)) {
                return true;
            }
            boolean comparable = isLiteral(named) && isLiteral(expected);
            return expected.getPort() == remote.getPort()
                    && (!comparable || expected.getHostString().equals(remote.getHostString()));
        }

        private static boolean isLiteral(InetSocketAddress address) {
            return NetUtil.isValidIpV4Address(address.getHostString());
        }
    }

    /** @param resolver converts an address that servers name into one that this instance can connect to */
    CurrentMaster(
            MasterLocator locator,
            Function<InetSocketAddress, CompletableFuture<SocketAddress>> resolver,
            Runnable closeConnections,
            NanoClock clock) {
        this.locator = locator;
        this.resolver = resolver;
        this.closeConnections = closeConnections;
        this.clock = clock;
    }

    void open() {
        locator.open(this::lookAgain);
    }

    /** See {@link MasterLocator#clocks}. */
    CompletableFuture<List<Long>> clocks() {
        return locator.clocks();
    }

    /** The address for a connection that is opened now. */
    CompletableFuture<SocketAddress> toConnectTo() {
        CompletableFuture<Master> found;
        synchronized (this) {
            Master known = current;
            found = known != null && clock.nanos() - repliedAt < FRESH_NANOS
                    ? CompletableFuture.completedFuture(known)
                    : null;
        }
        return (found == null ? search() : found).thenApply(Master::reachable);
    }

    /** Whether a connection that is open now leads to the master, as far as addresses can tell. */
    boolean isAt(SocketAddress remote) {
        Master known = current;
        return known == null || !(remote instanceof InetSocketAddress other) || known.isAt(other);
    }

    /** Searches for the master, since it may have changed. A search that is under way is followed by a second one. */
    void lookAgain() {
        synchronized (this) {
            if (searching != null) {
                searchAgain = true;
                return;
            }
        }
        search();
    }

    /** An error of a server that refuses writes. */
    void refused(String error) {
        if (recordRefusal(LettuceFailures.isOfAReplica(error))) {
            lookAgain();
        }
    }

    private synchronized boolean recordRefusal(boolean replica) {
        long now = clock.nanos();
        if (!refused || now - refusedAt > FORGET_NANOS) {
            refused = true;
            refusedSince = now;
            refusedAt = now;
            return replica;
        }
        refusedAt = now;
        boolean due = now - refusedSince >= PATIENCE_NANOS;
        if (due) {
            refusedSince = now;
        }
        return due;
    }

    private CompletableFuture<Master> search() {
        CompletableFuture<Master> result;
        synchronized (this) {
            if (searching != null) {
                return searching;
            }
            result = new CompletableFuture<>();
            searching = result;
        }
        locate().whenComplete((found, failure) -> replied(result, found, failure));
        return result;
    }

    /** An error such as a lack of memory fails the request too: the next one must not wait for its end. */
    private CompletableFuture<Master> locate() {
        try {
            return locator.locate()
                    .thenCompose(named -> resolver.apply(named).thenApply(reachable -> new Master(named, reachable)));
        } catch (RuntimeException | Error ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    private void replied(CompletableFuture<Master> result, @Nullable Master found, @Nullable Throwable failure) {
        Master before;
        boolean again;
        synchronized (this) {
            searching = null;
            again = searchAgain;
            searchAgain = false;
            before = current;
            if (found != null) {
                current = found;
                repliedAt = clock.nanos();
            }
        }
        if (found != null && before != null && !before.named().equals(found.named())) {
            log.info("The master of " + locator.description() + " is " + text(found.named())
                    + " now, no longer " + text(before.named())
                    + "; locks use new connections");
            closeConnections.run();
        }
        if (found != null) {
            result.complete(found);
        } else {
            log.debug("The master is not known: " + failure);
            result.completeExceptionally(
                    failure == null ? new MasterUnknownException("no server names a master") : failure);
        }
        if (again) {
            search();
        }
    }

    static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    @Override
    public void close() {
        locator.close();
    }
}
