/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.function.Predicate;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/** The only place where text becomes an expression, and only text of an annotation. */
final class LockExpressionParser {

    private final SpelExpressionParser parser = new SpelExpressionParser();

    /** The context of each call uses its parts, so that these keep their caches. */
    private final StandardEvaluationContext shared = new StandardEvaluationContext();

    private final Predicate<String> beans;

    LockExpressionParser(ConfigurableBeanFactory beanFactory) {
        beans = beanFactory::containsBean;
        shared.setBeanResolver(new BeanFactoryResolver(beanFactory));
        shared.setTypeLocator(new StandardTypeLocator(beanFactory.getBeanClassLoader()));
        shared.setTypeConverter(new LockEvaluationContext.TextConverter());
    }

    /** @param attribute the attribute with the text */
    CallExpression parse(String attribute, String text, LockedMethod where) {
        SpelExpression expression = expression(attribute, text, where);
        ExpressionParameters parameters = new ExpressionParameters(where);
        LockExpressionValidator.Mistake mistake =
                new LockExpressionValidator(parameters, beans, shared.getTypeLocator()).find(expression.getAST());
        if (mistake != null) {
            throw where.refuse(attribute, text, mistake.problem(), mistake.action(), null);
        }
        return CallExpression.of(expression, parameters, where, shared);
    }

    /** The parts of an expression, to look for what it names. */
    static SpelNode parts(String text) {
        return new SpelExpressionParser().parseRaw(text).getAST();
    }

    private SpelExpression expression(String attribute, String text, LockedMethod where) {
        try {
            return (SpelExpression) parser.parseExpression(text);
        } catch (ParseException ex) {
            throw refuse(attribute, text, ex.getSimpleMessage() + ", at " + ex.getPosition(), ex, where);
        } catch (IllegalStateException ex) {
            throw refuse(attribute, text, String.valueOf(ex.getMessage()), ex, where);
        }
    }

    private static InvalidLockedMethodException refuse(
            String attribute, String text, String why, Exception cause, LockedMethod where) {
        String action = "Correct the expression; a fixed text stands in quotes, as in \"'orders'\".";
        return where.refuse(attribute, text, "not a SpEL expression: " + why, action, cause);
    }
}
