/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;

/** What an application prints that cannot start: the first analysis among those of all registered analyzers. */
final class FailureReport {

    private FailureReport() {}

    static FailureAnalysis of(ApplicationContextRunner runner) {
        AtomicReference<ConfigurableApplicationContext> started = new AtomicReference<>();
        AtomicReference<FailureAnalysis> report = new AtomicReference<>();
        runner.withInitializer(started::set).run(context -> {
            assertThat(context).hasFailed();
            report.set(analyze(context.getStartupFailure(), started.get()));
        });
        return report.get();
    }

    private static FailureAnalysis analyze(Throwable failure, ConfigurableApplicationContext context) {
        ArgumentResolver arguments = ArgumentResolver.of(Environment.class, context.getEnvironment())
                .and(BeanFactory.class, context.getBeanFactory());
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, arguments, FailureReport::skipOthers)
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(analysis -> analysis != null)
                .findFirst()
                .orElseThrow(() -> new AssertionError("No analysis", failure));
    }

    /** Boot has analyzers for libraries that are not here. */
    private static void skipOthers(Class<?> type, String name, Throwable failure) {
        assertThat(name).doesNotStartWith("io.distributedlock");
    }
}
