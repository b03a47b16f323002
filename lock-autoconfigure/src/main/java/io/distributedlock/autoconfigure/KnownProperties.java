/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import java.lang.reflect.Constructor;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;

/** The names below the prefix that a record of properties binds, with those of the records in it. */
final class KnownProperties {

    private static final int PART = 3;

    /** Names without case and separators. True for those that have keys of their own below. */
    private final Map<String, Boolean> openByPlainName = new TreeMap<>();

    private final Map<String, String> names = new TreeMap<>();

    private KnownProperties() {}

    static KnownProperties of(Class<?> properties) {
        KnownProperties known = new KnownProperties();
        known.add(properties, "");
        return known;
    }

    private void add(Class<?> type, String prefix) {
        Parameter[] parameters = constructorOf(type).getParameters();
        for (Parameter parameter : parameters) {
            Name name = parameter.getAnnotation(Name.class);
            String own = name == null ? DataObjectPropertyName.toDashedForm(parameter.getName()) : name.value();
            if (parameter.getType().isRecord()) {
                add(parameter.getType(), prefix + own + ".");
            } else {
                names.put(plain(prefix + own), prefix + own);
                openByPlainName.put(plain(prefix + own), hasKeys(parameter.getType()));
            }
        }
    }

    private static Constructor<?> constructorOf(Class<?> type) {
        Class<?>[] types = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        try {
            return type.getDeclaredConstructor(types);
        } catch (NoSuchMethodException ex) {
            throw new IllegalStateException(type + " is a record without its constructor", ex);
        }
    }

    private static boolean hasKeys(Class<?> type) {
        return Map.class.isAssignableFrom(type) || Collection.class.isAssignableFrom(type) || type.isArray();
    }

    SortedSet<String> names() {
        return new TreeSet<>(names.values());
    }

    /**
     * Whether the name, in any of the forms that Boot accepts, is one of a property or below one with keys of its own.
     */
    boolean contains(String name) {
        String dotted = dotted(name);
        return names.entrySet().stream().anyMatch(each -> {
            String known = dotted(each.getValue());
            return dotted.equals(known) || (isOpen(each.getKey()) && isBelow(dotted, known));
        });
    }

    /** Whether the name, in any of these forms, is one of a record in the record. */
    boolean isGroup(String name) {
        String start = dotted(name) + ".";
        return names.values().stream().anyMatch(known -> dotted(known).startsWith(start));
    }

    private boolean isOpen(String plain) {
        return openByPlainName.getOrDefault(plain, false);
    }

    private static boolean isBelow(String name, String known) {
        return name.startsWith(known + ".") || name.startsWith(known + "[");
    }

    private static String dotted(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }

    /** The property that was probably meant, or null. */
    @Nullable
    String nearestTo(String name) {
        String plain = plain(name);
        return names.keySet().stream()
                .filter(each -> distance(plain, each) <= Math.max(PART, each.length() / 2))
                .min(Comparator.comparingInt(each -> distance(plain, each)))
                .map(names::get)
                .orElse(null);
    }

    private static String plain(String name) {
        return name.replaceAll("[-_.]", "").toLowerCase(Locale.ROOT);
    }

    /** The number of letters that differ; few if one name is a part of the other. */
    private static int distance(String one, String other) {
        int edits = edits(one, other);
        return one.contains(other) || other.contains(one) ? Math.min(edits, PART) : edits;
    }

    private static int edits(String one, String other) {
        int[] row = new int[other.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
