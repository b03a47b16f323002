/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.KotlinDetector;

/**
 * The names of methods as their authors write them. The compiler of Kotlin adds a hash to the name of a function with
 * value classes, and the module to that of an internal one: {@code pay-Bj0nuMk}, {@code later$shop_main}.
 */
final class SourceNames {

    private static final Pattern COMPILED = Pattern.compile("(.+?)(?:-[\\w-]{7})?(?:\\$\\w++)?");

    private SourceNames() {}

    static boolean isNamed(Method method, String name) {
        return method.getName().equals(name) || of(method).equals(name);
    }

    static String of(Method method) {
        // Static ones are helpers of the compiler, such as the body of a lambda.
        if (Modifier.isStatic(method.getModifiers()) || !KotlinDetector.isKotlinType(method.getDeclaringClass())) {
            return method.getName();
        }
        Matcher compiled = COMPILED.matcher(method.getName());
        return compiled.matches() ? compiled.group(1) : method.getName();
    }
}
