/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if all named properties, which are true by default, are bound to the given value. Boot's
 * {@code ConditionalOnBooleanProperty} does not match for {@code off} and {@code yes}, which the binder accepts as
 * well.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(SwitchCondition.class)
@interface ConditionalOnSwitch {

    /** {@return the names below {@code distributed-lock}} */
    String[] value();

    /** {@return the value that all of them have} */
    boolean on() default true;
}
