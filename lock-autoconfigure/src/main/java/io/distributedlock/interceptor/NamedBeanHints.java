/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.annotation.DistributedLocked;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Registers the methods of the beans that annotations name: {@code @bean} in an expression, {@code bean::method} in a
 * fallback.
 */
final class NamedBeanHints {

    private final ConfigurableListableBeanFactory beanFactory;

    private final ReflectionHints hints;

    NamedBeanHints(ConfigurableListableBeanFactory beanFactory, ReflectionHints hints) {
        this.beanFactory = beanFactory;
        this.hints = hints;
    }

    void register(AnnotatedElement element) {
        MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(DistributedLocked.class)
                .forEach(this::register);
    }

    private void register(MergedAnnotation<DistributedLocked> annotation) {
        ofExpression(resolved(annotation.getString("key")));
        ofExpression(resolved(annotation.getString("condition")));
        ofFallback(resolved(annotation.getString("fallback")));
    }

    private String resolved(String text) {
        String value = text.contains("${") ? beanFactory.resolveEmbeddedValue(text) : text;
        return value == null ? "" : value;
    }

    private void ofExpression(String text) {
        if (text.indexOf('@') >= 0) {
            ofNode(LockExpressionParser.parts(text));
        }
    }

    private void ofNode(SpelNode node) {
        if (node instanceof BeanReference reference) {
            Class<?> type = typeOf(LockExpressionValidator.beanName(reference.toStringAST()));
            if (type != null) {
                registerMembers(type);
                // The method of a class that is not public is called through its interface.
                ClassUtils.getAllInterfacesForClassAsSet(type).forEach(this::registerMembers);
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            ofNode(node.getChild(i));
        }
    }

    private void registerMembers(Class<?> type) {
        hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.ACCESS_PUBLIC_FIELDS);
    }

    private void ofFallback(String text) {
        int colons = text.indexOf("::");
        Class<?> type = colons < 0 ? null : typeOf(text.substring(0, colons));
        if (type == null) {
            return;
        }
        String name = text.substring(colons + 2);
        ofMethods(ReflectionUtils.getUniqueDeclaredMethods(type), name);
        for (Class<?> each : ClassUtils.getAllInterfacesForClass(type)) {
            ofMethods(each.getMethods(), name);
        }
    }

    private void ofMethods(Method[] methods, String name) {
        for (Method method : methods) {
            if (SourceNames.isNamed(method, name)) {
                hints.registerMethod(method, ExecutableMode.INVOKE);
            }
        }
    }

    private @Nullable Class<?> typeOf(String bean) {
        Class<?> type = beanFactory.containsBean(bean) ? beanFactory.getType(bean, false) : null;
        return type == null ? null : ClassUtils.getUserClass(type);
    }
}
