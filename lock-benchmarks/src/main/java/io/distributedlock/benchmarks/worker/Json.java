/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import tools.jackson.databind.json.JsonMapper;

/** Records as text, between the JVMs. */
public final class Json {

    private static final JsonMapper MAPPER = new JsonMapper();

    private Json() {}

    public static String write(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    public static <T> T read(String text, Class<T> type) {
        return MAPPER.readValue(text, type);
    }
}
