/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockKeyGenerator;
import io.distributedlock.LockOperations;
import io.distributedlock.LockOrigin;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.logging.SafeLog;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.function.SingletonSupplier;

/** Converts an annotation to an operation, or reports its error and its place. */
class LockAnnotationParser {

    private static final Log log = SafeLog.of(LockAnnotationParser.class);

    private static final String HOW_TO_WRITE = "Write it like \"30s\", \"500ms\" or \"PT30S\".";

    /** Each call replaces the name. */
    private static final LockRequest UNNAMED = LockRequest.of("unnamed");

    private final ConfigurableBeanFactory beanFactory;

    private final boolean keptUntilCompletion;

    private final @Nullable Duration maxHoldByDefault;

    private final IntSupplier order;

    private final LockExpressionParser expressions;

    private final FallbackMethods fallbacks;

    /**
     * @param maxHoldByDefault of a method without {@code maxHold}, or null for no limit
     * @param order of the advice that locks
     */
    LockAnnotationParser(
            ConfigurableBeanFactory beanFactory,
            boolean keptUntilCompletion,
            @Nullable Duration maxHoldByDefault,
            IntSupplier order) {
        this.order = order;
        this.beanFactory = beanFactory;
        this.keptUntilCompletion = keptUntilCompletion;
        this.maxHoldByDefault = maxHoldByDefault;
        this.expressions = new LockExpressionParser(beanFactory);
        this.fallbacks = new FallbackMethods(beanFactory);
    }

    LockOperation parse(LockAttributes attributes, LockedMethod where) {
        new AnnotationRules(
                        attributes,
                        where,
                        (attribute, text) -> resolve(attribute, text, where).isEmpty())
                .check();
        LockOperation operation = new LockOperation(
                name(attributes, where),
                terms(attributes, where),
                condition(attributes, where),
                operations(attributes, where),
                policy(attributes, where),
                ReturnTypeAdapters.adapterFor(where),
                HandleParameters.of(where));
        if (log.isDebugEnabled()) {
            log.debug("Calls of " + where + " are locked: "
                    + AnnotationUtils.synthesizeAnnotation(attributes.annotation(), null));
        }
        return operation;
    }

    private LockOperation.Terms terms(LockAttributes attributes, LockedMethod where) {
        Duration lease = lease(attributes, where);
        Duration waitUpTo = duration("waitUpTo", attributes.waitUpTo(), where);
        Duration maxHold = maxHold(attributes, where);
        Duration minHold = positive("minHold", attributes.minHold(), where);
        AnnotationRules.checkHolds(lease, minHold, maxHold, limitByDefault(attributes, where), attributes, where);
        LockRequest request = UNNAMED.origin(origin(attributes, where));
        request = attributes.renew() ? request : request.renew(false);
        request = attributes.reentrant() ? request : request.reentrant(false);
        request = attributes.mode() == UNNAMED.mode() ? request : request.mode(attributes.mode());
        request = lease == null ? request : request.lease(lease);
        request = waitUpTo == null ? request : request.waitUpTo(waitUpTo);
        request = maxHold == null ? request : request.maxHold(maxHold);
        return new LockOperation.Terms(minHold == null ? request : request.minHold(minHold));
    }

    /** The property applies to the default locks, and to renewed leases. */
    private @Nullable Duration limitByDefault(LockAttributes attributes, LockedMethod where) {
        boolean applies = attributes.renew()
                && resolve("operations", attributes.operations(), where).isEmpty();
        return applies ? maxHoldByDefault : null;
    }

    private LockOrigin origin(LockAttributes attributes, LockedMethod where) {
        String name = resolve("name", attributes.name(), where);
        return new LockOrigin(
                name.isEmpty() ? where.shortName() : name, where.toString(), attributes.whenBusy() == WhenBusy.SKIP);
    }

    private CallPolicy policy(LockAttributes attributes, LockedMethod where) {
        String fallback = resolve("fallback", attributes.fallback(), where);
        return new CallPolicy(
                attributes.whenBusy(),
                attributes.whenLost(),
                keptUntilCompletion,
                separate(where),
                attributes.whenBusy() == WhenBusy.SKIP ? ReturnTypeAdapters.skipped(where) : null,
                fallback.isEmpty() ? null : fallbacks.find(fallback, where));
    }

    /** Is read when a call is in a transaction, once, so that the start of the application need not wait for it. */
    private BooleanSupplier separate(LockedMethod where) {
        return SingletonSupplier.of(() -> TransactionSupport.isSeparate(where, beanFactory, order.getAsInt()))::obtain;
    }

    private LockNameResolver name(LockAttributes attributes, LockedMethod where) {
        String name = resolve("name", attributes.name(), where);
        String prefix = name.isEmpty() ? "" : name.replace("\\", "\\\\").replace(":", "\\:") + ":";
        String generator = resolve("keyGenerator", attributes.keyGenerator(), where);
        if (!generator.isEmpty()) {
            return new GeneratorLockNameResolver(
                    prefix, generator, bean("keyGenerator", generator, LockKeyGenerator.class, where), where);
        }
        String key = resolve("key", attributes.key(), where);
        if (key.isEmpty()) {
            return LockNameResolver.fixed(List.of(prefix + where.asKey()));
        }
        CallExpression expression = expressions.parse("key", key, where);
        return expression.isConstant()
                ? LockNameResolver.fixed(constantNames(prefix, expression))
                : new ExpressionLockNameResolver(prefix, expression);
    }

    private static List<String> constantNames(String prefix, CallExpression key) {
        try {
            return KeyValues.names(prefix, key.value(null, new Object[0]));
        } catch (IllegalArgumentException ex) {
            throw key.where()
                    .refuse("key", key.text(), "it " + ex.getMessage(), "Correct the key, or leave it out.", ex);
        }
    }

    private @Nullable LockCondition condition(LockAttributes attributes, LockedMethod where) {
        String text = resolve("condition", attributes.condition(), where);
        if (text.isEmpty()) {
            return null;
        }
        CallExpression expression = expressions.parse("condition", text, where);
        if (expression.isConstant() && !(expression.value(null, new Object[0]) instanceof Boolean)) {
            throw where.refuse(
                    "condition",
                    text,
                    "it is neither true nor false",
                    "Write an expression that is, as in \"#order != null\".",
                    null);
        }
        return new LockCondition(expression);
    }

    private LockOperation.@Nullable Locks operations(LockAttributes attributes, LockedMethod where) {
        String bean = resolve("operations", attributes.operations(), where);
        return bean.isEmpty()
                ? null
                : new LockOperation.Locks(bean, bean("operations", bean, LockOperations.class, where));
    }

    private <T> Supplier<T> bean(String attribute, String name, Class<T> type, LockedMethod where) {
        if (!beanFactory.containsBean(name)) {
            throw where.refuse(attribute, name, "there is no bean '" + name + "'", "Correct its name.", null);
        }
        if (!beanFactory.isTypeMatch(name, type)) {
            throw where.refuse(
                    attribute,
                    name,
                    "the bean '" + name + "' is no " + type.getSimpleName(),
                    "Name a bean of type " + type.getName() + ".",
                    null);
        }
        return ofItsScope(name, type);
    }

    /** Neither the bean nor its scope is requested before the first call, so that the start does not create it. */
    private <T> Supplier<T> ofItsScope(String name, Class<T> type) {
        SingletonSupplier<T> single = SingletonSupplier.of(() -> beanFactory.getBean(name, type));
        SingletonSupplier<Boolean> shared = SingletonSupplier.of(() -> beanFactory.isSingleton(name));
        return () -> shared.obtain() ? single.obtain() : beanFactory.getBean(name, type);
    }

    private @Nullable Duration lease(LockAttributes attributes, LockedMethod where) {
        Duration lease = duration("lease", attributes.lease(), where);
        try {
            return lease == null ? null : LockRequest.requireLease(lease);
        } catch (IllegalArgumentException ex) {
            throw where.refuse("lease", attributes.lease(), "it must be from 10 ms to 365 days", HOW_TO_WRITE, ex);
        }
    }

    private @Nullable Duration maxHold(LockAttributes attributes, LockedMethod where) {
        Duration maxHold = positive("maxHold", attributes.maxHold(), where);
        if (maxHold != null && maxHold.compareTo(LockRequest.MIN_LEASE) < 0) {
            throw where.refuse("maxHold", attributes.maxHold(), "it must be at least 10 ms", HOW_TO_WRITE, null);
        }
        return maxHold;
    }

    private @Nullable Duration positive(String attribute, String text, LockedMethod where) {
        Duration duration = duration(attribute, text, where);
        if (duration != null && (duration.isNegative() || duration.isZero())) {
            throw where.refuse(attribute, text, "it must be positive", HOW_TO_WRITE, null);
        }
        return duration;
    }

    private @Nullable Duration duration(String attribute, String text, LockedMethod where) {
        String resolved = resolve(attribute, text, where);
        if (resolved.isEmpty()) {
            return null;
        }
        try {
            return StrictDurationParser.parse(resolved);
        } catch (IllegalArgumentException ex) {
            throw where.refuse(attribute, text, "the value \"" + resolved + "\" " + ex.getMessage(), HOW_TO_WRITE, ex);
        }
    }

    /** A placeholder with an empty value, as in {@code ${work.lease:}}, selects the default of the attribute. */
    private String resolve(String attribute, String text, LockedMethod where) {
        if (text.isEmpty()) {
            return text;
        }
        String resolved = text.contains("${") ? placeholders(attribute, text, where) : text;
        if (resolved.isBlank() && !resolved.isEmpty()) {
            throw where.refuse(attribute, text, "it is blank", "Leave it out, or give it a value.", null);
        }
        return resolved;
    }

    private String placeholders(String attribute, String text, LockedMethod where) {
        String resolved;
        RuntimeException cause = null;
        try {
            resolved = beanFactory.resolveEmbeddedValue(text);
        } catch (IllegalArgumentException ex) {
            resolved = text;
            cause = ex;
        }
        if (resolved == null || resolved.contains("${")) {
            throw where.refuse(
                    attribute,
                    text,
                    "a placeholder in it cannot be resolved",
                    "Define the property, or give it a default as in ${property:default}.",
                    cause);
        }
        return resolved;
    }
}
