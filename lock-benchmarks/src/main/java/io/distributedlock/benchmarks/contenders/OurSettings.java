/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import io.distributedlock.engine.EngineSettings;
import java.time.Duration;

/** The settings with which the lock of this library is measured. */
final class OurSettings {

    static final EngineSettings DEFAULT = EngineSettings.DEFAULTS;

    static final EngineSettings ASYNC_RELEASE = DEFAULT.withRelease(EngineSettings.Release.ASYNC);

    static final EngineSettings RETENTION = DEFAULT.withRetention(Duration.ofSeconds(1));

    private OurSettings() {}
}
