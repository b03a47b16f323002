/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.annotation.DistributedLocked;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * The nearest annotations of an element: those of the first element in its hierarchy that has any, or its exclusion.
 *
 * @param excluded whether the element is excluded from locking
 */
record FoundAnnotations(List<MergedAnnotation<DistributedLocked>> annotations, boolean excluded) {

    static final FoundAnnotations NOTHING = new FoundAnnotations(List.of(), false);

    static FoundAnnotations on(AnnotatedElement element, SearchStrategy strategy) {
        MergedAnnotations all = MergedAnnotations.from(element, strategy);
        List<MergedAnnotation<DistributedLocked>> found =
                all.stream(DistributedLocked.class).toList();
        int nearest = found.stream()
                .mapToInt(MergedAnnotation::getAggregateIndex)
                .min()
                .orElse(Integer.MAX_VALUE);
        MergedAnnotation<DistributedLocked.None> none = all.get(DistributedLocked.None.class);
        if (none.isPresent() && none.getAggregateIndex() == nearest) {
            throw new AnnotationConfigurationException("it has @DistributedLocked.None as well");
        }
        if (none.isPresent() && none.getAggregateIndex() < nearest) {
            return new FoundAnnotations(List.of(), true);
        }
        return new FoundAnnotations(
                found.stream().filter(one -> one.getAggregateIndex() == nearest).toList(), false);
    }

    /** Whether more distant elements have no effect. */
    boolean decide() {
        return excluded || !annotations.isEmpty();
    }
}
