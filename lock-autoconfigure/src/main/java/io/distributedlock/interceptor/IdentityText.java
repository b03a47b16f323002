/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Finds the text of {@link Object#toString()} in the text of a value, at any depth: {@code Key[id=7, raw=[B@1b2c3d]}.
 * It names one object in one process, so each call would have a lock of its own. The text of a buffer is similar.
 */
final class IdentityText {

    /** No other text looks like that of an array. Possessive, so that no text takes long to search. */
    private static final Pattern ARRAY = compile("(?<!\\[)(\\[++(?:[ZBCSIJFD]|L[\\w.$]++;))@[0-9a-f]{1,8}(?!\\w)");

    /**
     * Any text that may end with the name of a class; whether it does has to be checked. Java looks behind by chars, of
     * which the second one of a letter may be a surrogate.
     */
    private static final Pattern NAME = compile("(?<![\\w.$/\\p{Cs}])([\\w.$/]++)@[0-9a-f]{1,8}(?!\\w)");

    /** Its text has nothing of its content, and two with the same content may have two texts. */
    private static final Pattern BUFFER = Pattern.compile("(java\\.nio\\.\\w*+)\\[pos=\\d++ lim=\\d++ cap=\\d++]");

    /** The name of a class that is generated at run time, and cannot be loaded by name. */
    private static final String LAMBDA = "$$Lambda";

    /** A text contains a few types; more names than that are data. */
    private static final int MOST_LOOKED_UP = 16;

    private IdentityText() {}

    /** The name of a class may have any letters. */
    private static Pattern compile(String pattern) {
        return Pattern.compile(pattern, Pattern.UNICODE_CHARACTER_CLASS);
    }

    /** The name of the type whose identity is in the text of the value, or null. */
    static @Nullable String typeIn(String text, Object value) {
        if (text.indexOf('@') < 0) {
            return null;
        }
        Matcher array = ARRAY.matcher(text);
        if (array.find()) {
            return array.group(1);
        }
        Set<ClassLoader> loaders = loaders(value);
        Matcher names = NAME.matcher(text);
        for (int i = 0; i < MOST_LOOKED_UP && names.find(); i++) {
            String name = names.group(1);
            if (isType(name, value, loaders)) {
                return name;
            }
            String last = name.substring(name.lastIndexOf('/') + 1);
            if (!last.equals(name) && isType(last, value, loaders)) {
                return last;
            }
        }
        return null;
    }

    private static boolean isType(String name, Object value, Set<ClassLoader> loaders) {
        return isOf(value, name) || name.contains(LAMBDA) || loaders.stream().anyMatch(loader -> isClass(name, loader));
    }

    /** The name of the type of a buffer whose text is in this one, or null. */
    static @Nullable String bufferIn(String text) {
        if (!text.contains("[pos=")) {
            return null;
        }
        Matcher buffer = BUFFER.matcher(text);
        return buffer.find() ? buffer.group(1) : null;
    }

    /** A proxy often passes toString() on to its target, whose class is the one that the proxy extends. */
    private static boolean isOf(Object value, String name) {
        for (Class<?> type = value.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** Looks up a class without initializing it. */
    private static boolean isClass(String name, ClassLoader loader) {
        if (name.isEmpty() || !Character.isJavaIdentifierStart(name.codePointAt(0))) {
            return false;
        }
        try {
            Class.forName(name, false, loader);
            return true;
        } catch (ClassNotFoundException | LinkageError ex) {
            return false;
        }
    }

    private static Set<ClassLoader> loaders(Object value) {
        ClassLoader common = ClassUtils.getDefaultClassLoader();
        ClassLoader own = value.getClass().getClassLoader();
        if (common == null || own == null) {
            ClassLoader either = common == null ? own : common;
            return either == null ? Set.of() : Set.of(either);
        }
        return common.equals(own) ? Set.of(own) : Set.of(own, common);
    }
}
