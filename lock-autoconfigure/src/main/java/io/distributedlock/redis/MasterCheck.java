/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.composite.StageFailures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Delays commands until the server of a new connection has confirmed that it is the master. If there is only one
 * server, no request is sent. For a user without the right to that request, commands are sent all the same: a replica
 * refuses writes by itself.
 */
final class MasterCheck {

    /** The pause before the next attempt after a server has replied that it is a replica. */
    private static final long REPLICA_PAUSE_MILLIS = 250;

    private final LockClientFactory source;

    private final @Nullable CurrentMaster master;

    /** The number of connections that have ended; a reply on an earlier one does not count. */
    private final AtomicLong ended = new AtomicLong();

    private volatile boolean passed;

    MasterCheck(LockClientFactory source) {
        this.source = source;
        this.master = source.master();
        this.passed = master == null;
    }

    /** Whether commands may be sent. */
    boolean isPassed() {
        return passed;
    }

    void disconnected() {
        ended.incrementAndGet();
        passed = master == null;
    }

    /**
     * Checks a connection that was just opened for the first time, and waits for the reply.
     *
     * @throws RuntimeException if the server is not the master or does not reply; the connection is closed then
     */
    void awaitCheck(StatefulRedisConnection<String, String> connection, Duration limit) {
        try {
            request(connection)
                    .toCompletableFuture()
                    .copy()
                    .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        } catch (RuntimeException ex) {
            connection.close();
            throw ex;
        }
    }

    /** Checks a connection that was opened again, and does not block. A connection to another server is closed. */
    void reconnected(StatefulRedisConnection<String, String> connection, SocketAddress address, Runnable whenPassed) {
        if (closeElsewhere(address)) {
            return;
        }
        long before = ended.get();
        request(connection).whenComplete((replied, failure) -> {
            if (failure == null) {
                whenPassed.run();
            } else if (LettuceFailures.innermost(failure) instanceof MasterUnknownException) {
                source.failed(failure);
                leaveSoon(before);
            }
        });
    }

    /** If that connection has ended by then, the next one is checked by itself, and may be at the master. */
    private void leaveSoon(long before) {
        Runnable leave = () -> {
            if (ended.get() == before) {
                source.channels().closeAll();
            }
        };
        source.resources().eventExecutorGroup().schedule(leave, REPLICA_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Closes all connections if this one is not at the master. Returns whether it did. */
    boolean closeElsewhere(SocketAddress address) {
        boolean elsewhere = master != null && !master.isAt(address);
        if (elsewhere) {
            source.channels().closeAll();
        }
        return elsewhere;
    }

    /** An error in the reply to a command. */
    void refused(String error) {
        if (master != null && LettuceFailures.isNoMaster(error)) {
            master.refused(error);
        }
    }

    private CompletionStage<Void> request(StatefulRedisConnection<String, String> connection) {
        if (master == null) {
            return CompletableFuture.completedFuture(null);
        }
        long before = ended.get();
        return connection.async().role().handle((role, failure) -> {
            decide(role, failure);
            if (ended.get() == before) {
                passed = true;
            }
            return null;
        });
    }

    static void decide(@Nullable List<Object> role, @Nullable Throwable failure) {
        Throwable cause = StageFailures.unwrap(failure);
        if (cause != null && !(cause instanceof RedisCommandExecutionException)) {
            throw new CompletionException(cause);
        }
        if (role != null && !role.isEmpty() && !role.get(0).equals("master")) {
            throw new MasterUnknownException("the server that was named as the master reports that it is a replica");
        }
    }
}
