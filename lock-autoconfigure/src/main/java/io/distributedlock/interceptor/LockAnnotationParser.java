package io.distributedlock.interceptor;

import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/** Makes an operation of an annotation, or says what is wrong with it and where it stands. */
class LockAnnotationParser {

    private static final String HOW_TO_WRITE = "Write it like \"30s\", \"500ms\" or \"PT30S\".";

    private final ConfigurableBeanFactory beanFactory;

    private final boolean keptUntilCompletion;

    private final KeyExpressions expressions;

    LockAnnotationParser(ConfigurableBeanFactory beanFactory, boolean keptUntilCompletion) {
        this.beanFactory = beanFactory;
        this.keptUntilCompletion = keptUntilCompletion;
        this.expressions = new KeyExpressions(beanFactory);
    }

    LockOperation parse(DistributedLocked annotation, LockedMethod where) {
        Duration maxHold = maxHold(annotation, where);
        ReturnTypeAdapter adapter = ReturnTypes.adapterFor(where);
        return new LockOperation(
                name(annotation, where),
                lease(annotation, where),
                duration("waitUpTo", annotation.waitUpTo(), where),
                annotation.renew(),
                maxHold,
                annotation.reentrant(),
                annotation.whenBusy(),
                annotation.whenLost(),
                keptUntilCompletion,
                Transactions.ownOf(where),
                adapter,
                annotation.whenBusy() == WhenBusy.SKIP ? ReturnTypes.skipped(where) : null);
    }

    private LockName name(DistributedLocked annotation, LockedMethod where) {
        String name = resolve("name", annotation.name(), where);
        String prefix = name.isEmpty() ? "" : name.replace("\\", "\\\\").replace(":", "\\:") + ":";
        if (!annotation.key().isBlank()) {
            return expressions.parse(annotation.key(), prefix, where);
        }
        if (!annotation.key().isEmpty()) {
            throw where.refuse("key", annotation.key(), "it is blank", "Leave it out, or write an expression.", null);
        }
        return LockName.fixed(prefix + where.asKey());
    }

    private @Nullable Duration lease(DistributedLocked annotation, LockedMethod where) {
        Duration lease = duration("lease", annotation.lease(), where);
        try {
            return lease == null ? null : LockRequest.requireLease(lease);
        } catch (IllegalArgumentException ex) {
            throw where.refuse("lease", annotation.lease(), "it must be from 10 ms to 365 days", HOW_TO_WRITE, ex);
        }
    }

    private @Nullable Duration maxHold(DistributedLocked annotation, LockedMethod where) {
        Duration maxHold = duration("maxHold", annotation.maxHold(), where);
        if (maxHold != null && (maxHold.isNegative() || maxHold.isZero())) {
            throw where.refuse("maxHold", annotation.maxHold(), "it must be positive", HOW_TO_WRITE, null);
        }
        if (maxHold != null && !annotation.renew()) {
            throw where.refuse(
                    "maxHold",
                    annotation.maxHold(),
                    "a hold with renew = false ends with its lease",
                    "Leave out maxHold or renew = false.",
                    null);
        }
        return maxHold;
    }

    private @Nullable Duration duration(String attribute, String text, LockedMethod where) {
        String resolved = resolve(attribute, text, where);
        if (resolved.isEmpty()) {
            return null;
        }
        try {
            return Durations.parse(resolved);
        } catch (IllegalArgumentException ex) {
            throw where.refuse(attribute, text, "the value \"" + resolved + "\" " + ex.getMessage(), HOW_TO_WRITE, ex);
        }
    }

    private String resolve(String attribute, String text, LockedMethod where) {
        String resolved = text.contains("${") ? placeholders(attribute, text, where) : text;
        if (resolved.isBlank() && !text.isEmpty()) {
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
