/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/**
 * Creates the threads of the library. The thread that creates one may be of a request or of the network: nothing is
 * inherited from it, neither its inheritable values nor its class loader.
 */
public final class LibraryThreads {

    private LibraryThreads() {}

    /**
     * A daemon thread that is not started yet.
     *
     * @param name its name
     * @param task what it runs
     * @return the thread
     */
    public static Thread create(String name, Runnable task) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setContextClassLoader(LibraryThreads.class.getClassLoader());
        thread.setDaemon(true);
        return thread;
    }
}
