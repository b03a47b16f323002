/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockRequest;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/** Converts the value of a key to lock names: one, or several for a collection, array or stream. */
final class KeyValues {

    private KeyValues() {}

    /** @throws IllegalArgumentException with a reason that completes "the key …" and never contains the value */
    static List<String> names(String prefix, @Nullable Object value) {
        if (value instanceof BaseStream<?, ?> stream) {
            // The expression may have opened it, as a stream of a database.
            try (stream) {
                Spliterator<?> elements = Spliterators.spliteratorUnknownSize(stream.iterator(), 0);
                return ofElements(prefix, StreamSupport.stream(elements, false));
            }
        }
        Stream<?> elements = elements(value);
        return elements == null
                ? List.of(requireLength(prefix + LockKeyConverter.of(value)))
                : ofElements(prefix, elements);
    }

    private static List<String> ofElements(String prefix, Stream<?> elements) {
        List<String> names =
                elements.map(element -> prefix + textOf(element)).distinct().toList();
        if (names.isEmpty()) {
            throw new IllegalArgumentException("is an empty collection or array: there is nothing to lock");
        }
        names.forEach(KeyValues::requireLength);
        return names;
    }

    private static @Nullable Stream<?> elements(@Nullable Object value) {
        if (value instanceof Collection<?> collection) {
            return collection.stream();
        }
        return value != null && value.getClass().isArray() ? Arrays.stream(ObjectUtils.toObjectArray(value)) : null;
    }

    private static String textOf(@Nullable Object element) {
        try {
            return LockKeyConverter.of(element);
        } catch (IllegalArgumentException ex) {
            throw new IllegalArgumentException("has an element that " + ex.getMessage(), ex);
        }
    }

    private static String requireLength(String name) {
        if (name.length() > LockRequest.MAX_NAME_LENGTH) {
            throw new IllegalArgumentException(
                    "makes a name of " + name.length() + " characters; the longest has " + LockRequest.MAX_NAME_LENGTH);
        }
        return name;
    }
}
