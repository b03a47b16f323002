/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** The condition of {@link ConditionalOnSwitch}. */
class SwitchCondition extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        MergedAnnotation<ConditionalOnSwitch> annotation =
                metadata.getAnnotations().get(ConditionalOnSwitch.class);
        boolean wanted = annotation.getBoolean("on");
        ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnSwitch.class);
        for (String name : annotation.getStringArray("value")) {
            String property = DistributedLockProperties.PREFIX + name;
            if (!isBoundTo(wanted, property, context.getEnvironment())) {
                return ConditionOutcome.noMatch(message.because(property + " is not " + wanted));
            }
        }
        return ConditionOutcome.match(message.because("all properties are " + wanted));
    }

    /** A value that is neither true nor false fails the start when the properties are bound, with a better message. */
    private static boolean isBoundTo(boolean wanted, String property, Environment environment) {
        try {
            return Binder.get(environment).bind(property, Boolean.class).orElse(true) == wanted;
        } catch (BindException ex) {
            return false;
        }
    }
}
