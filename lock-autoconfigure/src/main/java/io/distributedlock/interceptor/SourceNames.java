/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;

/**
 * The names of methods as their authors write them. The compiler of Kotlin adds a hash to the name of a function with
 * value classes, and the module to that of an internal one: {@code pay-Bj0nuMk}, {@code later$shop_main}.
 */
final class SourceNames {

    /** A name in the source may have a hyphen too; a hash of seven small letters is very rare. */
    private static final Pattern COMPILED = Pattern.compile("(.+?)(-(?![a-z]{7})[\\w-]{7})?(?:\\$[\\p{L}\\p{N}_]++)?");

    private SourceNames() {}

    static boolean isNamed(Method method, String name) {
        return method.getName().equals(name) || of(method).equals(name);
    }

    static String of(Method method) {
        Matcher compiled = compiled(method);
        return compiled == null ? method.getName() : compiled.group(1);
    }

    /** Whether parameters or the result are of value classes, as far as the name shows it. */
    static boolean hasHash(Method method) {
        Matcher compiled = compiled(method);
        return compiled != null && compiled.group(2) != null;
    }

    private static @Nullable Matcher compiled(Method method) {
        // Static ones are helpers of the compiler, such as the body of a lambda.
        if (Modifier.isStatic(method.getModifiers()) || !KotlinDetector.isKotlinType(method.getDeclaringClass())) {
            return null;
        }
        Matcher compiled = COMPILED.matcher(method.getName());
        return compiled.matches() ? compiled : null;
    }
}
