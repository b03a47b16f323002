/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ParameterNameDiscoverer;

/** The positions of the variables of a key expression among the arguments: by name, and as {@code p0} or {@code a0}. */
final class ExpressionParameters {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Map<String, Integer> positions = new HashMap<>();

    private final int count;

    private final boolean named;

    ExpressionParameters(LockedMethod where) {
        count = where.method().getParameterCount();
        for (int i = 0; i < count; i++) {
            positions.put("p" + i, i);
            positions.put("a" + i, i);
        }
        boolean own = addNames(where.method());
        // An annotation on an interface refers to the parameter names there.
        named = where.declared().equals(where.method()) ? own : addNames(where.declared()) || own;
    }

    private boolean addNames(Method method) {
        String[] names = NAMES.getParameterNames(method);
        if (names == null || names.length < count - hidden(method)) {
            return false;
        }
        for (int i = 0; i < names.length; i++) {
            positions.put(names[i], i);
        }
        return true;
    }

    /** The number of its parameters without a name: a suspending function has a hidden one. */
    private static int hidden(Method method) {
        return KotlinDetector.isSuspendingFunction(method) ? 1 : 0;
    }

    /** The position of the variable among the arguments, or null if there is no such parameter. */
    @Nullable
    Integer positionOf(String variable) {
        return positions.get(variable);
    }

    /** The suggestion for a variable that is not known. */
    String advice() {
        String known = "Known are #root and " + new TreeSet<>(positions.keySet()) + ".";
        return named || count == 0
                ? known
                : known + " The names of the parameters are not: compile with -parameters, or use #p0.";
    }
}
