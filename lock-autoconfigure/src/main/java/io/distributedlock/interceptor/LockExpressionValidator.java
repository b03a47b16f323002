/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/** Searches a parsed key expression for errors that would fail every call: unknown names. */
final class LockExpressionValidator {

    private final ExpressionParameters parameters;

    private final Predicate<String> beans;

    LockExpressionValidator(ExpressionParameters parameters, Predicate<String> beans) {
        this.parameters = parameters;
        this.beans = beans;
    }

    /** The error, or null. */
    @Nullable
    Mistake find(SpelNode node) {
        return find(node, true);
    }

    /** @param bare whether a name without {@code #} is a property of the root here */
    private @Nullable Mistake find(SpelNode node, boolean bare) {
        Mistake mistake = in(node, bare);
        for (int i = 0; mistake == null && i < node.getChildCount(); i++) {
            mistake = find(node.getChild(i), bare && isBare(node, i));
        }
        return mistake;
    }

    private static boolean isBare(SpelNode parent, int i) {
        if (parent instanceof CompoundExpression && parent.getChild(i) instanceof PropertyOrFieldReference) {
            return i == 0 || (i == 1 && parent.getChild(0).toStringAST().equals("#root"));
        }
        return !(parent instanceof Projection
                || parent instanceof Selection
                || parent instanceof Indexer
                || parent instanceof InlineMap);
    }

    private @Nullable Mistake in(SpelNode node, boolean bare) {
        if (node instanceof VariableReference) {
            String text = node.toStringAST();
            return isVariable(text.substring(1)) ? null : new Mistake(text + " is unknown", parameters.advice());
        }
        if (node instanceof FunctionReference) {
            return new Mistake(
                    "the function " + node.toStringAST() + " is unknown", "There are no functions; use T(…) or @bean.");
        }
        if (node instanceof BeanReference) {
            String text = node.toStringAST();
            return beans.test(beanName(text)) ? null : new Mistake("there is no bean " + text, "Correct its name.");
        }
        if (bare && node instanceof PropertyOrFieldReference property && !isOfRoot(property)) {
            String name = node.toStringAST();
            return new Mistake(
                    "the call has no property " + name,
                    "Write #" + name + " for the parameter, or '" + name + "' in quotes for a fixed text.");
        }
        return null;
    }

    private boolean isVariable(String name) {
        return name.equals("root") || name.equals("this") || parameters.positionOf(name) != null;
    }

    private static boolean isOfRoot(PropertyOrFieldReference property) {
        return LockExpressionRootObject.PROPERTIES.contains(property.getName());
    }

    /** The name in {@code @name} or {@code @'the.name'}. */
    static String beanName(String reference) {
        String name = reference.substring(1);
        return name.startsWith("'") ? name.substring(1, name.length() - 1) : name;
    }

    record Mistake(String problem, String action) {}
}
