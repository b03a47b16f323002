/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Thrown for properties with the prefix of the locks that are not known. */
final class UnknownLockPropertyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String description;

    private final String action;

    UnknownLockPropertyException(List<Unknown> unknown, Collection<String> known) {
        super(unknown.stream().map(Unknown::problem).collect(Collectors.joining(" ")));
        description = unknown.stream().map(Unknown::problem).collect(Collectors.joining("\n"));
        action = unknown.stream().map(Unknown::advice).distinct().collect(Collectors.joining("\n"))
                + " Known are, after 'distributed-lock.': " + String.join(", ", known) + ".";
    }

    String description() {
        return description;
    }

    String action() {
        return action;
    }

    /**
     * An unknown property.
     *
     * @param name its name as written
     * @param origin its place
     * @param nearest the known property that was probably meant, without prefix
     */
    record Unknown(String name, String origin, @Nullable String nearest) {

        private String problem() {
            return "There is no property '" + name + "' (" + origin + ").";
        }

        private String advice() {
            return nearest == null
                    ? "Remove '" + name + "'."
                    : "Did you mean '" + DistributedLockProperties.PREFIX + nearest + "'? Correct or remove '" + name
                            + "'.";
        }
    }
}
