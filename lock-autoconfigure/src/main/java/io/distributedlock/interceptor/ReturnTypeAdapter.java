/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;

/** Runs a call under its lock as a family of return types requires: one implementation for each family. */
interface ReturnTypeAdapter {

    @Nullable
    Object invoke(LockedCall call) throws Throwable;

    /** The rest of the call: inner advice and the method itself. */
    @FunctionalInterface
    interface Body {

        @Nullable
        Object proceed() throws Throwable;

        /** The same call with other arguments. May be repeated. */
        default @Nullable Object proceedWith(@Nullable Object[] arguments) throws Throwable {
            throw new UnsupportedOperationException("This call cannot have other arguments");
        }

        /** The same call for a later time, possibly on another thread, and possibly repeated. */
        default Body repeatable() {
            return this;
        }
    }
}
