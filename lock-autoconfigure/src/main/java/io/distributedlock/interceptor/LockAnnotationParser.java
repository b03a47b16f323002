/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockKeyGenerator;
import io.distributedlock.LockOperations;
import io.distributedlock.LockOrigin;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/** Converts an annotation to an operation, or reports its error and its place. */
class LockAnnotationParser {

    private static final Log logger = LogFactory.getLog(LockAnnotationParser.class);

    private static final String HOW_TO_WRITE = "Write it like \"30s\", \"500ms\" or \"PT30S\".";

    private final ConfigurableBeanFactory beanFactory;

    private final boolean keptUntilCompletion;

    private final @Nullable Duration maxHoldByDefault;

    private final LockExpressionParser expressions;

    private final FallbackMethods fallbacks;

    /** @param maxHoldByDefault of a method without {@code maxHold}, or null for no limit */
    LockAnnotationParser(
            ConfigurableBeanFactory beanFactory, boolean keptUntilCompletion, @Nullable Duration maxHoldByDefault) {
        this.beanFactory = beanFactory;
        this.keptUntilCompletion = keptUntilCompletion;
        this.maxHoldByDefault = maxHoldByDefault;
        this.expressions = new LockExpressionParser(beanFactory);
        this.fallbacks = new FallbackMethods(beanFactory);
    }

    LockOperation parse(DistributedLocked annotation, LockedMethod where) {
        new AnnotationRules(
                        annotation,
                        where,
                        (attribute, text) -> resolve(attribute, text, where).isEmpty())
                .check();
        LockOperation operation = new LockOperation(
                name(annotation, where),
                terms(annotation, where),
                condition(annotation, where),
                operations(annotation, where),
                policy(annotation, where),
                ReturnTypeAdapters.adapterFor(where),
                HandleParameters.of(where.method()));
        if (logger.isDebugEnabled()) {
            logger.debug("Calls of " + where + " are locked: " + annotation);
        }
        return operation;
    }

    private LockOperation.Terms terms(DistributedLocked annotation, LockedMethod where) {
        Duration lease = lease(annotation, where);
        Duration waitUpTo = duration("waitUpTo", annotation.waitUpTo(), where);
        Duration maxHold = positive("maxHold", annotation.maxHold(), where);
        Duration minHold = positive("minHold", annotation.minHold(), where);
        AnnotationRules.checkHolds(minHold, maxHold, limitByDefault(annotation, where), annotation, where);
        LockRequest request = LockRequest.of(where.asKey())
                .origin(origin(annotation, where))
                .renew(annotation.renew())
                .reentrant(annotation.reentrant())
                .mode(annotation.mode());
        request = lease == null ? request : request.lease(lease);
        request = waitUpTo == null ? request : request.waitUpTo(waitUpTo);
        request = maxHold == null ? request : request.maxHold(maxHold);
        return new LockOperation.Terms(minHold == null ? request : request.minHold(minHold));
    }

    /** The property applies to the default locks, and to renewed leases. */
    private @Nullable Duration limitByDefault(DistributedLocked annotation, LockedMethod where) {
        boolean applies = annotation.renew()
                && resolve("operations", annotation.operations(), where).isEmpty();
        return applies ? maxHoldByDefault : null;
    }

    private LockOrigin origin(DistributedLocked annotation, LockedMethod where) {
        String name = resolve("name", annotation.name(), where);
        return new LockOrigin(
                name.isEmpty() ? where.shortName() : name, where.toString(), annotation.whenBusy() == WhenBusy.SKIP);
    }

    private CallPolicy policy(DistributedLocked annotation, LockedMethod where) {
        String fallback = resolve("fallback", annotation.fallback(), where);
        return new CallPolicy(
                annotation.whenBusy(),
                annotation.whenLost(),
                keptUntilCompletion,
                Transactions.ownOf(where),
                annotation.whenBusy() == WhenBusy.SKIP ? ReturnTypeAdapters.skipped(where) : null,
                fallback.isEmpty() ? null : fallbacks.find(fallback, where));
    }

    private LockNameResolver name(DistributedLocked annotation, LockedMethod where) {
        String name = resolve("name", annotation.name(), where);
        String prefix = name.isEmpty() ? "" : name.replace("\\", "\\\\").replace(":", "\\:") + ":";
        String generator = resolve("keyGenerator", annotation.keyGenerator(), where);
        if (!generator.isEmpty()) {
            return new GeneratedName(
                    prefix, generator, bean("keyGenerator", generator, LockKeyGenerator.class, where), where);
        }
        String key = resolve("key", annotation.key(), where);
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

    private @Nullable Condition condition(DistributedLocked annotation, LockedMethod where) {
        String text = resolve("condition", annotation.condition(), where);
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
        return new Condition(expression);
    }

    private LockOperation.@Nullable Locks operations(DistributedLocked annotation, LockedMethod where) {
        String bean = resolve("operations", annotation.operations(), where);
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
        return SingletonSupplier.of(() -> beanFactory.getBean(name, type));
    }

    private @Nullable Duration lease(DistributedLocked annotation, LockedMethod where) {
        Duration lease = duration("lease", annotation.lease(), where);
        try {
            return lease == null ? null : LockRequest.requireLease(lease);
        } catch (IllegalArgumentException ex) {
            throw where.refuse("lease", annotation.lease(), "it must be from 10 ms to 365 days", HOW_TO_WRITE, ex);
        }
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
