/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import java.util.Objects;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Quotes the value as written, and its place. Precedes the analyzer of Spring Boot, which reports only that binding
 * failed.
 */
@Order(0)
final class InvalidLockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockPropertyException> {

    private final Environment environment;

    InvalidLockPropertyFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockPropertyException cause) {
        String value = valueOf(cause);
        String rule = "The property '%s' %s, ".formatted(cause.property(), cause.rule());
        return value == null
                ? new FailureAnalysis(
                        rule + "which its default does not fulfil.",
                        "Set the property '%s'.".formatted(cause.property()),
                        cause)
                : new FailureAnalysis(
                        rule + "but its value is %s.".formatted(value),
                        "Change the property '%s', or remove it to get its default.".formatted(cause.property()),
                        cause);
    }

    private @Nullable String valueOf(InvalidLockPropertyException cause) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(cause.property());
        return StreamSupport.stream(
                        ConfigurationPropertySources.get(environment).spliterator(), false)
                .map(source -> source.getConfigurationProperty(name))
                .filter(Objects::nonNull)
                .findFirst()
                .map(found -> "'" + found.getValue() + "' (" + found.getOrigin() + ")")
                .orElse(null);
    }
}
