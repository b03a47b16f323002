/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

/** Thrown if the value of a property is invalid. */
final class InvalidLockPropertyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String property;

    private final String rule;

    InvalidLockPropertyException(String property, String rule) {
        super("The property '" + property + "' " + rule);
        this.property = property;
        this.rule = rule;
    }

    String property() {
        return property;
    }

    String rule() {
        return rule;
    }
}
