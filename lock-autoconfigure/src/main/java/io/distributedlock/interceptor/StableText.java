/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NativeDetector;
import org.springframework.util.ReflectionUtils;

/**
 * Gives values that become part of a text the same text in all instances, also those in collections, records and
 * Optionals. Sets and maps are sorted: the order of {@link Set#of} and {@link Map#of} is another one in each process,
 * and the order of others depends on their history. Moments, numbers and addresses get their
 * {@linkplain LockKeyConverter#canonical canonical} text, constants their names. A value that contains itself, or
 * another one that would be refused as a key, has no text.
 */
final class StableText {

    private static final Comparator<@Nullable Object> BY_TEXT = Comparator.comparing(String::valueOf);

    private static final int DEEPEST = 100;

    private int depth;

    private StableText() {}

    /**
     * The value with a replacement for each part that needs one, or the value itself if none does.
     *
     * @throws IllegalArgumentException if it has no text that is the same for the same content
     */
    static Object of(Object value) {
        return new StableText().replaced(value);
    }

    /** @throws IllegalArgumentException if a value so deep in another one has to be part of a cycle */
    static void requireEnd(int depth) {
        if (depth > DEEPEST) {
            throw new IllegalArgumentException("contains itself, or is nested more than " + DEEPEST + " deep");
        }
    }

    private Object replaced(Object value) {
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
    private Object ofRecord(Record record) {
        List<@Nullable Object> values = components(record);
        if (values == null || (mayHaveOwnText(record) && !hasText(record, values))) {
            return record;
        }
        Collection<?> replaced = ofElements(values);
        return replaced != values && hasText(record, values) ? text(record, replaced) : record;
    }

    private static @Nullable List<@Nullable Object> components(Record record) {
        List<@Nullable Object> values = new ArrayList<>();
        try {
            for (RecordComponent component : record.getClass().getRecordComponents()) {
                Method accessor = component.getAccessor();
                if (!accessor.trySetAccessible()) {
                    return null;
                }
                values.add(accessor.invoke(record));
            }
        } catch (ReflectiveOperationException ex) {
            return null;
        }
        return values;
    }

    /**
     * The method of the compiler is final. So the text of a record with it, which may have no end, is not needed yet.
     */
    private static boolean mayHaveOwnText(Record record) {
        Method text = ReflectionUtils.findMethod(record.getClass(), "toString");
        return text == null || !Modifier.isFinal(text.getModifiers());
    }

    private static boolean hasText(Record record, Collection<?> values) {
        return text(record, values).equals(record.toString());
    }

    private static String text(Record record, Collection<?> values) {
        StringJoiner text = new StringJoiner(", ", record.getClass().getSimpleName() + "[", "]");
        Iterator<?> value = values.iterator();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            text.add(component.getName() + "=" + value.next());
        }
        return text.toString();
    }

    private @Nullable Object ofElement(@Nullable Object element) {
        String canonical = element == null ? null : LockKeyConverter.canonical(element);
        return element == null || canonical != null ? canonical : ofInner(element);
    }

    private @Nullable Object ofInner(Object element) {
        LockKeyConverter.refuseInside(element);
        depth++;
        requireEnd(depth);
        Object replaced = element.getClass() == AtomicReference.class
                ? ofElement(((AtomicReference<?>) element).get())
                : replaced(element);
        depth--;
        return replaced;
    }

    /** The same object if no element is replaced. */
    private Collection<?> ofElements(Collection<?> all) {
        List<@Nullable Object> elements = new ArrayList<>(all.size());
        boolean same = true;
        for (Object element : all) {
            Object replaced = ofElement(element);
            elements.add(replaced);
            same = same && replaced == element;
        }
        return same ? all : elements;
    }

    private Map<?, ?> ofMap(Map<?, ?> map) {
        Map<@Nullable Object, @Nullable Object> values = new HashMap<>();
        map.forEach((key, value) -> values.put(ofElement(key), ofElement(value)));
        Map<@Nullable Object, @Nullable Object> sorted = new LinkedHashMap<>();
        values.keySet().stream().sorted(BY_TEXT).forEach(key -> sorted.put(key, values.get(key)));
        return sorted;
    }

    private List<@Nullable Object> sorted(Set<?> set) {
        List<@Nullable Object> elements = new ArrayList<>(set.size());
        set.forEach(element -> elements.add(ofElement(element)));
        elements.sort(BY_TEXT);
        return elements;
    }
}
