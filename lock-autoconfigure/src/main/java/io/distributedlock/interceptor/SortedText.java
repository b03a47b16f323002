/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sorts sets and maps that become part of a text. The order of {@link Set#of} and {@link Map#of} is another one in each
 * process, and the order of others depends on their history, so that two instances would lock different names.
 */
final class SortedText {

    private static final Comparator<@Nullable Object> BY_TEXT = Comparator.comparing(String::valueOf);

    private SortedText() {}

    /** The value with its sets and maps sorted by the text of their elements, or the value itself if it has none. */
    static Object of(Object value) {
        if (value instanceof Set<?> set) {
            return new LinkedHashSet<>(sorted(set));
        }
        if (value instanceof Map<?, ?> map) {
            return ofMap(map);
        }
        return value instanceof List<?> list ? ofList(list) : value;
    }

    private static @Nullable Object ofElement(@Nullable Object element) {
        return element == null ? null : of(element);
    }

    private static List<?> ofList(List<?> list) {
        List<@Nullable Object> elements = new ArrayList<>(list.size());
        boolean same = true;
        for (Object element : list) {
            Object sorted = ofElement(element);
            elements.add(sorted);
            same = same && sorted == element;
        }
        return same ? list : elements;
    }

    private static Map<?, ?> ofMap(Map<?, ?> map) {
        Map<@Nullable Object, @Nullable Object> values = new HashMap<>();
        map.forEach((key, value) -> values.put(ofElement(key), ofElement(value)));
        Map<@Nullable Object, @Nullable Object> sorted = new LinkedHashMap<>();
        values.keySet().stream().sorted(BY_TEXT).forEach(key -> sorted.put(key, values.get(key)));
        return sorted;
    }

    private static List<@Nullable Object> sorted(Set<?> set) {
        List<@Nullable Object> elements = new ArrayList<>(set.size());
        set.forEach(element -> elements.add(ofElement(element)));
        elements.sort(BY_TEXT);
        return elements;
    }
}
