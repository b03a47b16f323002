/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static io.distributedlock.interceptor.CheckedContexts.NONE;
import static io.distributedlock.interceptor.CheckedContexts.refusal;
import static io.distributedlock.interceptor.CheckedContexts.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

/** Methods for the end of a bean that no definition names, but that the container finds by itself. */
class InferredDestroyMethodTests {

    /** As Spring does for {@code @Bean} and for closeable beans without a named method. */
    @Test
    void refusesTheMethodThatTheContainerFindsForTheEnd() {
        BeanDefinitionCustomizer inferred =
                definition -> definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
        for (Inferred start : List.of(
                new Inferred(WithShutdown.class, inferred, "shutdown"),
                new Inferred(WithClose.class, inferred, "close"),
                new Inferred(WithClose.class, definition -> {}, "close"))) {
            assertThat(refusal(() -> start(start.type(), true, start.customizer()))
                            .description())
                    .startsWith("@DistributedLocked on " + start.type().getName() + "#" + start.method() + "()")
                    .contains("the container calls it on the bean itself");
        }
        start(WithShutdown.class, true, NONE).close();
        start(WithClose.class, true, definition -> definition.setDestroyMethodName(""))
                .close();
        start(WithClose.class, true, definition -> definition.setScope("prototype"))
                .close();
    }

    @ParameterizedTest
    @ValueSource(classes = {PackagePrivateEnd.class, ProtectedEnd.class})
    void leavesAMethodAloneThatTheContainerDoesNotFindSinceItIsNotPublic(Class<?> type) {
        start(type, true, definition -> definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD))
                .close();
    }

    private record Inferred(Class<?> type, BeanDefinitionCustomizer customizer, String method) {}

    static class WithShutdown {

        @DistributedLocked
        public void shutdown() {}
    }

    static class WithClose implements AutoCloseable {

        @Override
        @DistributedLocked
        public void close() {}

        /** Not called, since there is a close(). */
        @DistributedLocked
        public void shutdown() {}
    }

    static class PackagePrivateEnd {

        @DistributedLocked
        void close() {}

        @DistributedLocked
        void shutdown() {}
    }

    static class ProtectedEnd {

        @DistributedLocked
        protected void shutdown() {}
    }
}
