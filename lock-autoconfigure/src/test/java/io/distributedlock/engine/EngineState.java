/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/** What an engine has in its maps, for tests in other packages: nothing, once everybody has gone. */
public record EngineState(int names, int timers) {

    public static final EngineState EMPTY = new EngineState(0, 0);

    public static EngineState of(LockEngine engine) {
        return new EngineState(engine.locks().size(), engine.timers().size());
    }
}
