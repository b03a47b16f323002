/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.annotation.DistributedLocked;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * An annotation that applies to a method.
 *
 * @param source the element that has it, if it is known
 */
record FoundAnnotation(LockAttributes attributes, @Nullable Object source) {

    /** @throws org.springframework.core.annotation.AnnotationConfigurationException if an alias contradicts it */
    static FoundAnnotation of(MergedAnnotation<DistributedLocked> merged) {
        return new FoundAnnotation(LockAttributes.of(merged.synthesize()), merged.getSource());
    }

    /**
     * The annotation of an element that has no other one, so that there is nothing to merge; null for any other
     * element. Most locked methods are like that, and all of them are searched while Spring's search is interpreted.
     */
    static @Nullable FoundAnnotation onlyOneOf(AnnotatedElement element) {
        if (element instanceof Method method && method.isBridge()) {
            return null;
        }
        Annotation[] declared = declaredOn(element);
        if (declared.length != 1 || !(declared[0] instanceof DistributedLocked annotation)) {
            return null;
        }
        boolean contradicts = !annotation.key().isEmpty()
                && !annotation.value().isEmpty()
                && !annotation.key().equals(annotation.value());
        return contradicts ? null : new FoundAnnotation(LockAttributes.of(annotation), element);
    }

    /** None if one of them cannot be read, since a class that it names is missing. */
    private static Annotation[] declaredOn(AnnotatedElement element) {
        try {
            return element.getDeclaredAnnotations();
        } catch (RuntimeException | LinkageError ex) {
            return new Annotation[0];
        }
    }
}
