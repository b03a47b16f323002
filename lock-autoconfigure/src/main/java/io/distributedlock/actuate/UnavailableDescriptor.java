/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

/**
 * The response of the endpoint about one lock while Redis is unavailable.
 *
 * @param error why Redis is unavailable
 */
record UnavailableDescriptor(String name, String error) {}
