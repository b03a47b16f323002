/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NativeDetector;

/**
 * Gives values that become part of a text the same text in all instances, also those in collections, records and
 * Optionals. Sets and maps are sorted: the order of {@link Set#of} and {@link Map#of} is another one in each process,
 * and the order of others depends on their history. Moments and numbers get their
 * {@linkplain LockKeyConverter#canonical canonical} text.
 */
final class SortedText {

    private static final Comparator<@Nullable Object> BY_TEXT = Comparator.comparing(String::valueOf);

    private SortedText() {}

    /** The value with a replacement for each part that needs one, or the value itself if none does. */
    static Object of(Object value) {
        if (value instanceof Set<?> set) {
            return new LinkedHashSet<>(sorted(set));
        }
        if (value instanceof Map<?, ?> map) {
            return ofMap(map);
        }
        if (value instanceof Record record && !NativeDetector.inNativeImage()) {
            return ofRecord(record);
        }
        if (value instanceof Optional<?> optional) {
            Object content = ofElement(optional.orElse(null));
            return content == optional.orElse(null) ? value : Optional.ofNullable(content);
        }
        if (value instanceof Object[] array) {
            List<?> elements = Arrays.asList(array);
            Collection<?> replaced = ofElements(elements);
            return replaced == elements ? value : replaced.toArray();
        }
        return value instanceof Collection<?> elements ? ofElements(elements) : value;
    }

    /**
     * The text that the compiler gives to a record, with the replacements. A record that overrides it, or whose
     * components cannot be read, stays as it is; in a native image they cannot be read without a hint.
     */
    private static Object ofRecord(Record record) {
        StringJoiner natural = joiner(record);
        StringJoiner sorted = joiner(record);
        boolean same = true;
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            Object value;
            try {
                Method accessor = component.getAccessor();
                if (!accessor.trySetAccessible()) {
                    return record;
                }
                value = accessor.invoke(record);
            } catch (ReflectiveOperationException ex) {
                return record;
            }
            Object ofValue = ofElement(value);
            natural.add(component.getName() + "=" + value);
            sorted.add(component.getName() + "=" + ofValue);
            same = same && ofValue == value;
        }
        return same || !natural.toString().equals(record.toString()) ? record : sorted.toString();
    }

    private static StringJoiner joiner(Record record) {
        return new StringJoiner(", ", record.getClass().getSimpleName() + "[", "]");
    }

    private static @Nullable Object ofElement(@Nullable Object element) {
        String canonical = element == null ? null : LockKeyConverter.canonical(element);
        return element == null || canonical != null ? canonical : of(element);
    }

    /** The same object if no element is replaced. */
    private static Collection<?> ofElements(Collection<?> all) {
        List<@Nullable Object> elements = new ArrayList<>(all.size());
        boolean same = true;
        for (Object element : all) {
            Object replaced = ofElement(element);
            elements.add(replaced);
            same = same && replaced == element;
        }
        return same ? all : elements;
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
