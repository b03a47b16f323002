/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.annotation.DistributedLocked;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * The nearest annotations of an element: those of the first element in its hierarchy that has any, or its exclusion.
 *
 * @param excluded whether the element is excluded from locking
 */
record FoundAnnotations(List<FoundAnnotation> annotations, boolean excluded) {

    private static final int NOWHERE = Integer.MAX_VALUE;

    static FoundAnnotations on(AnnotatedElement element, SearchStrategy strategy) {
        FoundAnnotation only = FoundAnnotation.onlyOneOf(element);
        return only == null ? merged(element, strategy) : new FoundAnnotations(List.of(only), false);
    }

    private static FoundAnnotations merged(AnnotatedElement element, SearchStrategy strategy) {
        MergedAnnotations all = MergedAnnotations.from(element, strategy);
        List<MergedAnnotation<DistributedLocked>> found =
                all.stream(DistributedLocked.class).toList();
        int nearest = nearestOf(found.stream());
        int exclusion = nearestOf(all.stream(DistributedLocked.None.class));
        if (exclusion == nearest && exclusion != NOWHERE) {
            throw new AnnotationConfigurationException("it has @DistributedLocked.None as well");
        }
        return exclusion < nearest
                ? new FoundAnnotations(List.of(), true)
                : new FoundAnnotations(ofElement(nearest, found), false);
    }

    /** The place of the first element that has one of them, be it by an annotation of its own. */
    private static int nearestOf(Stream<? extends MergedAnnotation<?>> annotations) {
        return annotations.mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(NOWHERE);
    }

    private static List<FoundAnnotation> ofElement(int index, List<MergedAnnotation<DistributedLocked>> found) {
        return found.stream()
                .filter(one -> one.getAggregateIndex() == index)
                .map(FoundAnnotation::of)
                .toList();
    }

    /** These if they are decisive, otherwise those of a more distant element. */
    FoundAnnotations or(Supplier<FoundAnnotations> moreDistant) {
        return areDecisive() ? this : moreDistant.get();
    }

    /** Whether more distant elements have no effect. */
    boolean areDecisive() {
        return excluded || !annotations.isEmpty();
    }
}
