/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

/** The scripts for tests of other packages. */
public final class ScriptText {

    private ScriptText() {}

    /** The script with that file name, as it is sent to Redis. */
    public static String of(String file) {
        return LuaScript.text(file);
    }
}
