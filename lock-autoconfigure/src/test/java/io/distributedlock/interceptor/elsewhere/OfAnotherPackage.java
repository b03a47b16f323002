/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor.elsewhere;

/** A class with a method that no subclass in another package can override, and without any annotation. */
public class OfAnotherPackage {

    void packagePrivate() {}
}
