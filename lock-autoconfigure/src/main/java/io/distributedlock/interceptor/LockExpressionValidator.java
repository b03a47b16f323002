/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeCode;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;

/** Searches a parsed key expression for errors that would fail every call: unknown names, assignments. */
final class LockExpressionValidator {

    private final ExpressionParameters parameters;

    private final Predicate<String> beans;

    private final TypeLocator types;

    LockExpressionValidator(ExpressionParameters parameters, Predicate<String> beans, TypeLocator types) {
        this.parameters = parameters;
        this.beans = beans;
        this.types = types;
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
        if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
            return new Mistake(
                    "an expression must not change a value", "Compare by ==, as in \"#order.state == 'NEW'\".");
        }
        if (node instanceof FunctionReference) {
            return new Mistake(
                    "the function " + node.toStringAST() + " is unknown", "There are no functions; use T(…) or @bean.");
        }
        if (node instanceof BeanReference) {
            String text = node.toStringAST();
            return beans.test(beanName(text)) ? null : new Mistake("there is no bean " + text, "Correct its name.");
        }
        if (node instanceof TypeReference || node instanceof ConstructorReference) {
            String name = node.getChild(0).toStringAST();
            return isType(name)
                    ? null
                    : new Mistake(
                            "the type " + name + " is unknown",
                            "Write the full name of a class, as T(com.shop.Orders).");
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

    /** Loads a class without initializing it. */
    private boolean isType(String name) {
        if (TypeCode.forName(name) != TypeCode.OBJECT) {
            return true;
        }
        try {
            types.findType(name);
            return true;
        } catch (EvaluationException ex) {
            return false;
        }
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
