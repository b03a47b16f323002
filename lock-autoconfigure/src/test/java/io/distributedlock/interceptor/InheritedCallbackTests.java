/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.annotation.DistributedLocked;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;

/** Methods that the container calls on the bean itself, and that inherit their annotation. */
class InheritedCallbackTests {

    private final LockedClassInspector inspector = new LockedClassInspector(
            LockedProxies.by(new RecordingLocks()).advisor.source());

    @ParameterizedTest
    @ValueSource(
            classes = {
                DefaultLoader.class,
                InheritedLoader.class,
                LaterLoader.class,
                Ending.class,
                Preparing.class,
                Destroyed.class
            })
    void areRefused(Class<?> type) {
        assertThatExceptionOfType(InvalidLockedMethodException.class)
                .isThrownBy(() -> inspector.inspect(type, false))
                .withMessageContaining("the container calls it on the bean itself");
    }

    @Test
    void areRefusedIfTheDefinitionNamesThem() {
        assertThat(inspector.inspect(Plain.class, false)).isTrue();
        assertThatExceptionOfType(InvalidLockedMethodException.class)
                .isThrownBy(() -> LockedClassInspector.requireNoneOf(Set.of("load"), Plain.class));
    }

    @Test
    void areAllowedIfTheyAreExcluded() {
        assertThat(inspector.inspect(Excluded.class, false)).isFalse();
    }

    interface Loader {

        @DistributedLocked
        void load();
    }

    static class Plain implements Loader {

        @Override
        public void load() {}
    }

    static class DefaultLoader implements Loader {

        @Override
        @PostConstruct
        public void load() {}
    }

    static class Unlocked {

        @PreDestroy
        public void load() {}
    }

    /** Only this class has the interface. */
    static class InheritedLoader extends Unlocked implements Loader {}

    static class Locked {

        @DistributedLocked
        public void load() {}
    }

    static class LaterLoader extends Locked {

        @Override
        @PostConstruct
        public void load() {}
    }

    interface Closing {

        @DistributedLocked
        void destroy();
    }

    static class Ending implements Closing, DisposableBean {

        @Override
        public void destroy() {}
    }

    /** The container calls the method that overrides that with the annotation. */
    static class Preparing extends Unlocked {

        @Override
        @DistributedLocked
        public void load() {}
    }

    static class Destroyed extends Locked {

        @Override
        @PreDestroy
        public void load() {}
    }

    static class Excluded implements Loader {

        @Override
        @PostConstruct
        @DistributedLocked.None
        public void load() {}
    }
}
