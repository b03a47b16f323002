/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches unless {@code spring.data.redis}, from any source, names the place of a Redis. */
final class NoRedisNamed implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Binder binder = Binder.get(context.getEnvironment());
        return Stream.of("host", "port", "url", "sentinel.nodes", "cluster.nodes", "masterreplica.nodes")
                .map(place -> binder.bind("spring.data.redis." + place, Bindable.listOf(String.class)))
                .noneMatch(named -> named.isBound());
    }
}
