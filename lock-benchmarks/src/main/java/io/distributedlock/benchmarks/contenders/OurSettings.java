package io.distributedlock.benchmarks.contenders;

import io.distributedlock.engine.EngineSettings;
import org.jspecify.annotations.Nullable;

/** The settings under which our own lock is measured. One that does not exist yet is null; its contender is left out. */
final class OurSettings {

    static final EngineSettings DEFAULT = EngineSettings.DEFAULTS;

    static final @Nullable EngineSettings ASYNC_RELEASE = null;

    static final @Nullable EngineSettings RETENTION = null;

    private OurSettings() {}
}
