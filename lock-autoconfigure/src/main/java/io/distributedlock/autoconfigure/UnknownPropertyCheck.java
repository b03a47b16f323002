/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Fails the start for an unknown property: with a typo, the default would apply without a message. */
final class UnknownPropertyCheck implements BeanFactoryPostProcessor {

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("distributed-lock");

    private static final Pattern VARIABLE = Pattern.compile("distributed[-_]?lock[._](.+)", Pattern.CASE_INSENSITIVE);

    /** Kubernetes sets these for a service whose name begins with "distributed-lock". */
    private static final Pattern OF_A_SERVICE =
            Pattern.compile("(.*_)?(SERVICE_(HOST|PORT)(_.*)?|PORT(_\\d+_(TCP|UDP|SCTP)(_.*)?)?)");

    private final Environment environment;

    private final KnownProperties known = KnownProperties.of(DistributedLockProperties.class);

    UnknownPropertyCheck(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        List<UnknownLockPropertyException.Unknown> unknown = new ArrayList<>();
        StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false)
                .forEach(source -> addUnknown(source, unknown));
        if (!unknown.isEmpty()) {
            throw new UnknownLockPropertyException(unknown, known.names());
        }
    }

    private void addUnknown(ConfigurationPropertySource source, List<UnknownLockPropertyException.Unknown> unknown) {
        if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource variables) {
            for (String variable : variables.getPropertyNames()) {
                addIfUnknown(variable, unknown);
            }
        } else if (source instanceof IterableConfigurationPropertySource properties) {
            properties.stream()
                    .filter(name -> PREFIX.isAncestorOf(name) && !known.contains(below(name)))
                    .map(properties::getConfigurationProperty)
                    .filter(property -> !isGroupWithoutEntries(property))
                    .forEach(property -> unknown.add(describe(property)));
        }
    }

    private void addIfUnknown(String variable, List<UnknownLockPropertyException.Unknown> unknown) {
        var matcher = VARIABLE.matcher(variable);
        if (matcher.matches()
                && !isBound(variable)
                && !OF_A_SERVICE.matcher(matcher.group(1)).matches()) {
            unknown.add(new UnknownLockPropertyException.Unknown(
                    variable, "an environment variable", known.nearestTo(matcher.group(1))));
        }
    }

    /** Spring Boot decides, since the underscores of a variable have several meanings. */
    private boolean isBound(String variable) {
        ConfigurationPropertySource alone = ConfigurationPropertySource.from(new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(variable, "")));
        return alone != null
                && known.names().stream()
                        .map(PREFIX::append)
                        .anyMatch(name -> alone.getConfigurationProperty(name) != null);
    }

    /** In YAML, the entries of the group may all be comments. */
    private boolean isGroupWithoutEntries(ConfigurationProperty property) {
        return known.isGroup(below(property.getName()))
                && property.getValue().toString().isEmpty();
    }

    private UnknownLockPropertyException.Unknown describe(ConfigurationProperty property) {
        String name = property.getName().toString();
        String origin = property.getOrigin() == null
                ? "of unknown origin"
                : property.getOrigin().toString();
        return new UnknownLockPropertyException.Unknown(name, origin, known.nearestTo(below(property.getName())));
    }

    private static String below(ConfigurationPropertyName name) {
        return name.subName(PREFIX.getNumberOfElements()).toString();
    }
}
