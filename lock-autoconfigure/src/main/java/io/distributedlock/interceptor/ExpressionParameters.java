/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;

/** The positions of the variables of a key expression among the arguments: by name, and as {@code p0} or {@code a0}. */
final class ExpressionParameters {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private static final String[] UNKNOWN = {};

    private final int count;

    private final String[] own;

    /** An annotation on an interface refers to the parameter names there. */
    private final String[] declared;

    private final boolean ownFirst;

    ExpressionParameters(LockedMethod where) {
        count = where.method().getParameterCount() - hidden(where.method());
        own = namesOf(where.method());
        ownFirst = where.ownNamesFirst();
        declared = where.declared().equals(where.method()) ? own : namesOf(where.declared());
    }

    private String[] namesOf(Method method) {
        String[] names = count == 0 ? null : NAMES.getParameterNames(method);
        return names == null || names.length < count ? UNKNOWN : names;
    }

    /** A copy of the arguments that the caller has written: a suspending function has a hidden one at the end. */
    static @Nullable Object[] written(Method method, @Nullable Object[] arguments) {
        return Arrays.copyOf(arguments, arguments.length - hidden(method));
    }

    static int hidden(Method method) {
        return KotlinDetector.isSuspendingFunction(method) ? 1 : 0;
    }

    /** The arguments without a hidden one. */
    @Nullable
    Object[] written(@Nullable Object[] arguments) {
        return arguments.length > count ? Arrays.copyOf(arguments, count) : arguments;
    }

    /** The position of the variable among the arguments, or null if there is no such parameter. */
    @Nullable
    Integer positionOf(String variable) {
        int position = positionIn(ownFirst ? own : declared, variable);
        if (position < 0) {
            position = positionIn(ownFirst ? declared : own, variable);
        }
        if (position < 0) {
            position = numberIn(variable);
        }
        return position < 0 ? null : position;
    }

    private static int positionIn(String[] names, String variable) {
        for (int i = 0; i < names.length; i++) {
            if (variable.equals(names[i])) {
                return i;
            }
        }
        return -1;
    }

    /** The number in {@code p0} or {@code a0}, written as Java does, or a negative one. */
    private int numberIn(String variable) {
        if (variable.length() < 2 || (variable.charAt(0) != 'p' && variable.charAt(0) != 'a')) {
            return -1;
        }
        String number = variable.substring(1);
        for (int i = 0; i < count; i++) {
            if (number.equals(Integer.toString(i))) {
                return i;
            }
        }
        return -1;
    }

    /** The suggestion for a variable that is not known. */
    String advice() {
        Set<String> variables = new TreeSet<>(Arrays.asList(own));
        variables.addAll(Arrays.asList(declared));
        for (int i = 0; i < count; i++) {
            variables.add("p" + i);
            variables.add("a" + i);
        }
        String known = "Known are #root and " + variables + ".";
        return own != UNKNOWN || declared != UNKNOWN || count == 0
                ? known
                : known + " The names of the parameters are not: compile with -parameters, or use #p0.";
    }
}
