/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.Noise;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * The defaults of all waits for a state in this module: as long as a busy machine needs, and a reply of Redis that is
 * late does not end the wait. JUnit calls this object before all tests of a JVM.
 */
public final class PatientAwaitility implements LauncherSessionListener {

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Noise.patience());
        Awaitility.ignoreExceptionByDefault(LockUnavailableException.class);
    }
}
