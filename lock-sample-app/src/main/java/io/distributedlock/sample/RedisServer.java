/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import java.util.Locale;

/**
 * A server of a {@link RedisGroup}, as the page shows it.
 *
 * @param part the slots or the name of the data that a master has, or the task of another server
 */
record RedisServer(int port, Role role, String part, State state) {

    enum Role {
        MASTER,
        REPLICA,
        SENTINEL
    }

    /** {@code SYNCING}: it runs, but has not all data of its master, or does not know yet that it is no master. */
    enum State {
        UP,
        SYNCING,
        DOWN
    }

    static String address(int port) {
        return "127.0.0.1:" + port;
    }

    static RedisServer master(int port, String part, State state) {
        return new RedisServer(port, Role.MASTER, part, state);
    }

    static RedisServer replica(int port, int master, State state) {
        return new RedisServer(port, Role.REPLICA, master == 0 ? "" : "follows " + address(master), state);
    }

    String address() {
        return address(port);
    }

    boolean isMaster() {
        return role == Role.MASTER;
    }

    boolean isUp() {
        return state == State.UP;
    }

    boolean follows(int master) {
        return role == Role.REPLICA && part.equals("follows " + address(master));
    }

    @Override
    public String toString() {
        return (address() + "  " + role.name().toLowerCase(Locale.ROOT) + "  " + (isMaster() ? "has " : "") + part)
                .strip();
    }
}
