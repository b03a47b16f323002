/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.layout;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethodWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
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
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.expression.ExpressionParser;

/**
 * The dependencies between packages, their public types, and what no class does. All of this is in one class, since the
 * import of the byte code takes most of the time.
 */
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

    static final ArchRule LOGGING_KNOWS_NO_OTHER_ROOM = noClasses()
            .that()
            .resideInAPackage(ROOT + ".logging")
            .should()
            .dependOnClassesThat(resideInAPackage(ROOT + "..").and(not(resideInAPackage(ROOT + ".logging"))));

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

    static final ArchRule LOGS_HAVE_ONE_NAME =
            fields().that().haveRawType(Log.class).should().haveName("log");

    /** A line of another log may throw what an appender throws, between two changes of a state. */
    static final ArchRule LOGS_ARE_SAFE = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(ROOT + ".logging.SafeLog")
            .should()
            .callMethod(LogFactory.class, "getLog", Class.class)
            .orShould()
            .callMethod(LogFactory.class, "getLog", String.class);

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

    /** Other ways to let time pass. They are searched in the sources of all modules. */
    private static final Pattern PAUSES = Pattern.compile("\\bThread(\\.|::)sleep\\b"
            + "|\\bTimeUnit\\.\\w+(\\.|::)sleep\\b"
            + "|\\bLockSupport(\\.|::)park(Nanos|Until)\\b"
            + "|\\bMono\\.delay\\("
            + "|\\.delay(Element|Elements|Sequence|Subscription)\\("
            + "|\\.pollDelay\\((?!Duration\\.ZERO\\))"
            + "|\\.during\\(");

    /**
     * The two above, a test that watches threads of which none may wake up, one whose holder keeps the lock for a
     * moment, the fixture, and the names in this test.
     */
    private static final Set<String> MAY_PAUSE = Set.of(
            "Waits.java",
            "StallWatch.java",
            "CallbackPoolTests.java",
            "DeniedChannelTests.java",
            "BrokenRules.java",
            "ArchitectureTests.java");

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

    /** The API, as the page about upgrading defines it: a new name here is a promise to applications. */
    private static final String API = """
            io.distributedlock
              DistributedLockException FleetReport HoldReport InstanceReport LockActivity LockAssert LockAvailability
              LockCallback LockDeadlockEvent LockDeadlockException LockEvent LockHandle LockInterruptedException
              LockKeyGenerator LockListener LockLostEvent LockLostException LockMode LockMonitor LockNames
              LockNotAcquiredException LockOperations LockOrigin LockOwner LockReleaseUnconfirmedException LockRequest
              LockScope LockState LockUnavailableException LongHoldEvent LongWaitEvent ReleaseResult
              ServerClockSetBackEvent
            io.distributedlock.annotation
              DistributedLocked WhenBusy WhenLost
            io.distributedlock.reactive
              LockThreadLocalAccessor ReactiveLocks SubscriberObservation
            io.distributedlock.actuate
              InstanceLabel LocksEndpoint LocksHealthIndicator
            io.distributedlock.autoconfigure
              DistributedLockProperties
            io.distributedlock.engine
              EngineSettings
            io.distributedlock.interceptor
              DistributedLockAdvisor DistributedLockValidator InvalidLockedMethodException
            io.distributedlock.observation
              DefaultLockObservationConvention LockGauges LockMetrics LockObservationContext
              LockObservationConvention LockObservations PeriodicWatch SlowLockWatch
            io.distributedlock.redis
              RedisLockTemplate UnsupportedTopologyException
            io.distributedlock.transaction
              CommitGuardInstaller ReactiveCommitGuard
            """;

    /** What packages show to other packages only. */
    private static final String SHARED = """
            io.distributedlock.autoconfigure
              DistributedLockAutoConfiguration DistributedLockEndpointAutoConfiguration
              DistributedLockHealthAutoConfiguration DistributedLockMetricsAutoConfiguration
              DistributedLockObservationAutoConfiguration
            io.distributedlock.transaction
              CommitGuard LockReleaseSynchronization OwnTransaction ReactiveTransactions TransactionalHold
              WorkInTransaction
            io.distributedlock.composite
              AwaitedRelease BlockingJointRelease CompositeLockHandle KnownRefusals LossReaction LostPart
              PartOfAcquisition ReleaseStages SequentialAcquisition StageFailures
            io.distributedlock.logging
              SafeLog
            io.distributedlock.engine
              DeadlockSearch HolderNames LeaseStore LeaseStoreException LibraryThreads LockEngine LockSet NanoClock
            """;

    static final ArchRule[] RULES = {
        NO_CYCLES,
        API_KNOWS_NO_OTHER_ROOM,
        ANNOTATION_KNOWS_THE_API,
        COMPOSITE_KNOWS_THE_API,
        LOGGING_KNOWS_NO_OTHER_ROOM,
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
        LOGS_HAVE_ONE_NAME,
        LOGS_ARE_SAFE,
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
    void publicTypesAreAList() {
        assertThat(MAIN.that(describe("public top-level types", ArchitectureTests::isShown)))
                .extracting(JavaClass::getName)
                .containsExactlyInAnyOrderElementsOf(listed(API + SHARED));
    }

    private static boolean isShown(JavaClass type) {
        return type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC);
    }

    /** The names of the types of the API. */
    static List<String> api() {
        return listed(API);
    }

    private static List<String> listed(String types) {
        List<String> names = new ArrayList<>();
        String in = "";
        for (String line : types.split("\n")) {
            if (!line.startsWith(" ")) {
                in = line;
                continue;
            }
            for (String type : line.trim().split(" ")) {
                names.add(in + "." + type);
            }
        }
        return names;
    }

    @Test
    void testsDoNotSleep() {
        NO_SLEEP_IN_TESTS.check(TESTS.that(describe("no fixtures", type -> !isFixture(type))));
    }

    @Test
    void testsOfAllModulesWaitForEvents() throws IOException {
        assertThat(pauses().filter(pause -> !MAY_PAUSE.contains(pause.file()))).isEmpty();
    }

    private record Pause(String file, String code) {}

    private static Stream<Pause> pauses() throws IOException {
        List<Pause> found = new ArrayList<>();
        for (Path module : modules()) {
            try (Stream<Path> files = Files.walk(module.resolve(Path.of("src", "test")))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    PAUSES.matcher(Files.readString(file))
                            .results()
                            .forEach(pause ->
                                    found.add(new Pause(file.getFileName().toString(), pause.group())));
                }
            }
        }
        return found.stream();
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            return modules.filter(module -> Files.isDirectory(module.resolve(Path.of("src", "test"))))
                    .toList();
        }
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
    void aBrokenRuleIsFound() throws IOException {
        assertBroken(NO_WALL_CLOCK, BrokenRules.WallClock.class);
        assertBroken(NO_TIMER, BrokenRules.WithTimer.class);
        assertBroken(LOGS_HAVE_ONE_NAME, BrokenRules.WithLogger.class);
        assertBroken(LOGS_ARE_SAFE, BrokenRules.WithLogger.class);
        assertBroken(EXPRESSIONS_ARE_PARSED_IN_ONE_PLACE, BrokenRules.Parsing.class);
        assertBroken(PACKAGES_ARE_NULL_MARKED, BrokenRules.class);
        assertBroken(AUTO_CONFIGURATIONS_ARE_CLOSED, BrokenRules.Configuration.class);
        assertBroken(AUTO_CONFIGURATIONS_SHOW_NO_METHODS, BrokenRules.Configuration.class);
        assertBroken(NO_SLEEP_IN_TESTS, BrokenRules.Sleeping.class);
        assertBroken(NO_SLEEP_IN_TESTS, BrokenRules.Parking.class);
        assertBroken(NO_COMMON_POOL, BrokenRules.InCommonPool.class);
        assertBroken(FIXTURES_CAN_START_AGAIN, BrokenRules.WithStaticFixture.class);
        assertThat(modules()).hasSizeGreaterThan(3);
        assertThat(pauses().filter(pause -> pause.file().equals("BrokenRules.java")))
                .extracting(Pause::code)
                .containsExactlyInAnyOrder(
                        "LockSupport.parkNanos",
                        "Mono.delay(",
                        ".delayElement(",
                        ".pollDelay(",
                        ".during(",
                        "Thread.sleep");
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

    /** A room may know itself, the log, and the given others, named by what follows the root. */
    private static ArchRule room(String room, String... others) {
        String[] known = Stream.concat(Stream.of(room, ".logging"), Arrays.stream(others))
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
