/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethodWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.distributedlock.testing.Background;
import io.distributedlock.wrong.BrokenRules;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.expression.ExpressionParser;

/** The arrows between the rooms of the house, and what is not done in any of them. */
class ArchitectureTests {

    private static final String ROOT = "io.distributedlock";

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("io/distributedlock/testing"))
            .importPackages(ROOT);

    private static final JavaClasses TESTS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS)
            .importPackages(ROOT);

    static final ArchRule NO_CYCLES =
            slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();

    static final ArchRule API_KNOWS_NO_OTHER_ROOM = room("", "");

    static final ArchRule ANNOTATION_KNOWS_THE_API = room(".annotation", "");

    static final ArchRule COMPOSITE_KNOWS_THE_API = room(".composite", "");

    static final ArchRule ENGINE_KNOWS_THE_API = room(".engine", "", ".composite");

    static final ArchRule REDIS_KNOWS_THE_ENGINE = room(".redis", "", ".composite", ".engine", ".transaction");

    static final ArchRule INTERCEPTOR_KNOWS_THE_ANNOTATION =
            room(".interceptor", "", ".annotation", ".composite", ".transaction", ".reactive");

    static final ArchRule REACTIVE_KNOWS_THE_API = room(".reactive", "");

    static final ArchRule TRANSACTION_KNOWS_THE_API = room(".transaction", "", ".composite", ".reactive");

    static final ArchRule OBSERVATION_KNOWS_THE_API = room(".observation", "");

    static final ArchRule ACTUATE_KNOWS_THE_API = room(".actuate", "");

    static final ArchRule ENGINE_IS_PLAIN_JAVA = noClasses()
            .that()
            .resideInAPackage(ROOT + ".engine..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..", "io.lettuce..", "io.netty..", "reactor..");

    static final ArchRule API_NEEDS_NO_SPRING = noClasses()
            .that()
            .resideInAPackage(ROOT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..", "io.lettuce..", "io.netty..", "reactor..");

    /** Tokens without Redis have to be as high as those of Redis, which come from a wall clock. */
    static final ArchRule NO_WALL_CLOCK = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(ROOT + ".autoconfigure.LocalLockOperations")
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callConstructor(Date.class);

    static final ArchRule NO_TIMER = noClasses().should().dependOnClassesThat().belongToAnyOf(Timer.class);

    static final ArchRule EXPRESSIONS_ARE_PARSED_IN_ONE_PLACE = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(ROOT + ".interceptor.LockExpressionParser")
            .should(callMethodWhere(JavaAccess.Predicates.target(owner(assignableTo(ExpressionParser.class))))
                    .as("call an expression parser"));

    static final ArchRule PACKAGES_ARE_NULL_MARKED = classes().should(beInANullMarkedPackage());

    static final ArchRule AUTO_CONFIGURATIONS_ARE_CLOSED = classes()
            .that()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .bePublic()
            .andShould()
            .haveModifier(JavaModifier.FINAL);

    static final ArchRule AUTO_CONFIGURATIONS_SHOW_NO_METHODS = methods()
            .that()
            .areDeclaredInClassesThat()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .notBePublic()
            .andShould()
            .notBeProtected();

    private static final Map<Class<?>, Set<String>> SLEEPS = Map.of(
            Thread.class, Set.of("sleep"),
            TimeUnit.class, Set.of("sleep", "timedJoin", "timedWait"),
            LockSupport.class, Set.of("parkNanos", "parkUntil"));

    /**
     * In these two, a sleep is the purpose: the first is how long a fault lasts, the second measures how late a
     * sleeping thread is woken up.
     */
    private static final Set<String> MAY_SLEEP =
            Set.of(ROOT + ".redis.faults.Waits", ROOT + ".redis.history.StallWatch");

    static final ArchRule NO_SLEEP_IN_TESTS = noClasses()
            .that(not(describe("the two that may", type -> MAY_SLEEP.contains(type.getName()))))
            .should(callMethodWhere(describe(
                    "a sleep",
                    call -> SLEEPS.entrySet().stream()
                            .anyMatch(sleeps -> call.getTargetOwner().isEquivalentTo(sleeps.getKey())
                                    && sleeps.getValue().contains(call.getName())))))
            .as("no test should sleep");

    /** See {@link Background}. */
    static final ArchRule NO_COMMON_POOL = noClasses()
            .should(callMethodWhere(describe(
                    "an asynchronous method without an executor",
                    call -> call.getTargetOwner().isAssignableTo(CompletionStage.class)
                            && (call.getName().endsWith("Async")
                                            && !call.getName().equals("completeAsync")
                                    || call.getName().equals("delayedExecutor"))
                            && call.getTarget().getRawParameterTypes().stream()
                                    .noneMatch(type -> type.isAssignableTo(Executor.class)))))
            .as("asynchronous methods should get an executor");

    /**
     * A failed test may be run again in the same JVM, after {@code @AfterAll}. A server that a static initializer
     * started is stopped then.
     */
    static final ArchRule FIXTURES_CAN_START_AGAIN = noFields()
            .that()
            .areStatic()
            .and()
            .areFinal()
            .and()
            .haveRawType(assignableTo(AutoCloseable.class))
            .should()
            .beDeclaredInClassesThat(describe(
                    "have a method with @AfterAll",
                    type -> type.getMethods().stream().anyMatch(method -> method.isAnnotatedWith(AfterAll.class))))
            .as("fixtures that are closed after all tests of a class should be started before all of them");

    static final ArchRule[] RULES = {
        NO_CYCLES,
        API_KNOWS_NO_OTHER_ROOM,
        ANNOTATION_KNOWS_THE_API,
        COMPOSITE_KNOWS_THE_API,
        ENGINE_KNOWS_THE_API,
        REDIS_KNOWS_THE_ENGINE,
        INTERCEPTOR_KNOWS_THE_ANNOTATION,
        REACTIVE_KNOWS_THE_API,
        OBSERVATION_KNOWS_THE_API,
        ACTUATE_KNOWS_THE_API,
        TRANSACTION_KNOWS_THE_API,
        ENGINE_IS_PLAIN_JAVA,
        API_NEEDS_NO_SPRING,
        NO_WALL_CLOCK,
        NO_TIMER,
        NO_COMMON_POOL,
        EXPRESSIONS_ARE_PARSED_IN_ONE_PLACE,
        PACKAGES_ARE_NULL_MARKED,
        AUTO_CONFIGURATIONS_ARE_CLOSED,
        AUTO_CONFIGURATIONS_SHOW_NO_METHODS
    };

    @ParameterizedTest
    @FieldSource("RULES")
    void isKept(ArchRule rule) {
        rule.check(MAIN);
    }

    @Test
    void testsDoNotSleep() {
        NO_SLEEP_IN_TESTS.check(TESTS.that(describe("no fixtures", type -> !isFixture(type))));
    }

    @Test
    void testsDoNotShareAThread() {
        NO_COMMON_POOL.check(TESTS.that(describe("no fixtures", type -> !isFixture(type))));
    }

    @Test
    void testsCanBeRunAgain() {
        FIXTURES_CAN_START_AGAIN.check(TESTS.that(describe("no fixtures", type -> !isFixture(type))));
    }

    /** Each rule that is made here finds the class that breaks it. */
    @Test
    void aBrokenRuleIsFound() {
        assertBroken(NO_WALL_CLOCK, BrokenRules.WallClock.class);
        assertBroken(NO_TIMER, BrokenRules.WithTimer.class);
        assertBroken(EXPRESSIONS_ARE_PARSED_IN_ONE_PLACE, BrokenRules.Parsing.class);
        assertBroken(PACKAGES_ARE_NULL_MARKED, BrokenRules.class);
        assertBroken(AUTO_CONFIGURATIONS_ARE_CLOSED, BrokenRules.Configuration.class);
        assertBroken(AUTO_CONFIGURATIONS_SHOW_NO_METHODS, BrokenRules.Configuration.class);
        assertBroken(NO_SLEEP_IN_TESTS, BrokenRules.Sleeping.class);
        assertBroken(NO_SLEEP_IN_TESTS, BrokenRules.Parking.class);
        assertBroken(NO_COMMON_POOL, BrokenRules.InCommonPool.class);
        assertBroken(FIXTURES_CAN_START_AGAIN, BrokenRules.WithStaticFixture.class);
    }

    private static void assertBroken(ArchRule rule, Class<?> fixture) {
        JavaClasses classes = new ClassFileImporter().importClasses(fixture);
        assertThat(rule.evaluate(classes).hasViolation())
                .as(rule.getDescription())
                .isTrue();
    }

    private static boolean isFixture(JavaClass type) {
        return type.getFullName().contains("BrokenRules");
    }

    /** A room may know itself and the given others, named by what follows the root. */
    private static ArchRule room(String room, String... others) {
        String[] known = Stream.concat(Stream.of(room), Arrays.stream(others))
                .map(ROOT::concat)
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(ROOT + room)
                .should()
                .dependOnClassesThat(
                        resideInAPackage(ROOT + "..").and(not(JavaClass.Predicates.resideInAnyPackage(known))))
                .as("the room '" + room + "' only knows " + List.of(known));
    }

    private static ArchCondition<JavaClass> beInANullMarkedPackage() {
        return new ArchCondition<>("be in a @NullMarked package") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                boolean marked = type.getPackage().isAnnotatedWith(NullMarked.class);
                events.add(new SimpleConditionEvent(type, marked, type.getPackageName() + " is not @NullMarked"));
            }
        };
    }
}
