/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.distributedlock.LockHandle;
import io.distributedlock.LockKeyGenerator;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.annotation.AliasFor;
import org.springframework.util.ReflectionUtils;

/** Attributes that change whether, under which locks and by what a call is run, and what they may not say. */
class AttributeTests {

    private final RecordingLocks locks = new RecordingLocks();

    private final RecordingLocks others = new RecordingLocks();

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    private Work work;

    @BeforeEach
    void proxy() {
        beans.registerSingleton("others", others);
        beans.registerSingleton("text", "no locks");
        beans.registerSingleton("substitute", new Substitute());
        LockKeyGenerator generator = (target, method, arguments) ->
                List.of(method.getName() + "-" + arguments[0], target.getClass().getSimpleName());
        beans.registerSingleton("generator", generator);
        work = new LockedProxies(locks, beans).byClass(new Work());
    }

    @Test
    void runsWithoutLockIfTheConditionIsFalse() {
        assertThat(work.conditional(3)).isEqualTo("ran 3");
        assertThat(locks.events()).isEmpty();
        assertThat(work.conditional(30)).isEqualTo("ran 30");
        assertThat(locks.events()).containsExactly("acquire", "close");
    }

    @Test
    void refusesAConditionThatIsNeitherTrueNorFalse() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> work.undecided(null))
                .withMessageContaining("\"#flag\"")
                .withMessageContaining("must be true or false, but is null");
        assertThat(locks.events()).isEmpty();
    }

    @Test
    void callsTheFallbackIfTheLockIsBusy() throws IOException {
        assertThat(work.withFallback("a")).isEqualTo("ran a");
        locks.busy();
        assertThat(work.withFallback("a")).isEqualTo("instead of a: busy");
        assertThat(work.withShortFallback("a")).isEqualTo("short a");
        assertThat(work.withFallbackElsewhere("a")).isEqualTo("elsewhere a");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> work.withFailingFallback())
                .withMessage("no");
    }

    @Test
    void callsNoFallbackIfTheLockIsUnavailableNorIfTheMethodItselfThrowsBusy() {
        assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> work.saysBusyItself("a"));
        locks.failAcquire(new LockUnavailableException("a", "down", null));
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> work.withFallback("a"));
    }

    @Test
    void takesTheKeyFromTheGenerator() {
        work.generated(7);
        assertThat(locks.request().names()).containsExactly("n:Work", "n:generated-7");
    }

    @Test
    void usesTheLocksOfTheNamedBean() {
        work.elsewhere();
        assertThat(locks.requests()).isEmpty();
        assertThat(others.name()).isEqualTo("k");
    }

    @Test
    void requestsAMinimumHoldTime() {
        work.minimum();
        assertThat(locks.request().minHold()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void acquiresSeveralLocksInTheOrderOfTheirNames() {
        work.several(1, 2);
        assertThat(locks.requests()).extracting("names").containsExactly(List.of("account:1"), List.of("account:2"));
        assertThat(locks.events()).containsExactly("acquire", "acquire", "close", "close");
        locks.requests().clear();
        work.several(2, 1);
        assertThat(locks.requests()).extracting("names").containsExactly(List.of("account:1"), List.of("account:2"));
        locks.requests().clear();
        work.several(3, 3);
        assertThat(locks.requests()).extracting("names").containsExactly(List.of("account:3"));
    }

    @Test
    void acquiresThoseOfSeveralLocksWhoseConditionIsMet() {
        work.severalConditional(1, 2);
        assertThat(locks.requests()).extracting("names").containsExactly(List.of("account:2"));
        locks.requests().clear();
        work.severalConditional(1, 1);
        assertThat(locks.requests()).isEmpty();
    }

    @Test
    void readsSeveralComposedAnnotations() {
        work.composed(4);
        assertThat(locks.requests()).extracting("names").containsExactly(List.of("account:4"), List.of("stock:4"));
    }

    @Test
    void requestsTheModeOfTheAnnotation() {
        Reading reading = new LockedProxies(locks, beans).byClass(new Reading());
        reading.read();
        reading.write();
        assertThat(locks.requests()).extracting(LockRequest::mode).containsExactly(LockMode.SHARED, LockMode.EXCLUSIVE);
    }

    @Test
    void leavesOutWhatSaysSo() {
        ClassWide wide = new LockedProxies(locks, beans).byClass(new ClassWide());
        wide.excluded();
        assertThat(locks.requests()).isEmpty();
        wide.covered();
        assertThat(locks.name()).isEqualTo("wide");
    }

    @Test
    void handsTheHandleToTheMethodIfTheCallerPassesNull() {
        assertThat(work.handle("a", null)).isEqualTo("a");
        LockHandle own = new RecordingLocks().acquire(LockRequest.of("own"));
        assertThat(work.handle("a", own)).isEqualTo("own");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "sharedMinimum | minHold | 1m | it is not supported with mode = SHARED",
                "twoKeys | keyGenerator | generator | there is a key as well",
                "unknownGenerator | keyGenerator | nobody | there is no bean 'nobody'",
                "wrongGenerator | keyGenerator | text | the bean 'text' is no LockKeyGenerator",
                "unknownLocks | operations | nobody | there is no bean 'nobody'",
                "wrongLocks | operations | text | the bean 'text' is no LockOperations",
                "skipAndFallback | fallback | other | a call that is skipped has no fallback",
                "unknownFallback | fallback | nobody | has no other method nobody",
                "wrongParameters | fallback | other | do not fit",
                "wrongResult | fallback | other | it returns void, and the locked method java.lang.String",
                "unknownFallbackBean | fallback | nobody::other | there is no bean 'nobody'",
                "privateFallback | fallback | substitute::hidden | has no method hidden that another bean may call",
                "minOverMax | minHold | 2m | it is longer than maxHold = \"1m\"",
                "minOverDefault | minHold | 11m | it is longer than the property distributed-lock.max-hold",
                "minOverLease | minHold | 11m | it is longer than lease = \"10m\", which is not renewed",
                "zeroMinimum | minHold | 0s | it must be positive",
                "longMinimum | minHold | 366d | it must be at most 365 days",
                "wrongCondition | condition | #idd > 1 | #idd is unknown",
                "constantCondition | condition | 'yes' | it is neither true nor false",
                "wrongContent | fallback | numbers | it returns java.util.Optional<java.lang.Integer>, and the locked"
                        + " method java.util.Optional<java.lang.String>",
                "noKey | key | null | it is null",
                "emptyKey | key | '' | it is blank",
                "emptyKeys | key | {} | it is an empty collection or array",
                "blankOfKeys | key | {'a', ' '} | it has an element that is blank"
            })
    void refusesAtTheStart(String method, String attribute, String value, String problem) {
        InvalidLockedMethodException refusal =
                catchThrowableOfType(InvalidLockedMethodException.class, () -> parse(Wrong.class, method));
        assertThat(refusal).isNotNull();
        assertThat(refusal.description())
                .startsWith("@DistributedLocked(" + attribute + " = \"" + value + "\") on " + Wrong.class.getName()
                        + "#" + method + "(")
                .contains(problem);
        assertThat(refusal.action()).isNotBlank();
    }

    /** The limit by default applies to the default locks, and not to a hold that ends with its lease. */
    private LockOperation parse(Class<?> type, String method) {
        Duration maxHold = Duration.ofMinutes(10);
        return new LockOperationSource(
                        new LockAnnotationParser(beans, true, maxHold, () -> DistributedLockAdvisor.DEFAULT_ORDER))
                .get(ReflectionUtils.findMethod(type, method, (Class<?>[]) null), type);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "generatorLeftOut",
                "keyLeftOut",
                "fallbackLeftOut",
                "maxHoldLeftOut",
                "minHoldLeftOut",
                "longMaximum",
                "ofOtherLocks",
                "hardEnd",
                "subtype",
                "supertype"
            })
    void acceptsWhatOnlySeemsToContradict(String method) {
        beans.addEmbeddedValueResolver(text -> text.replace("${none:}", ""));
        assertThat(parse(Right.class, method)).isNotNull();
    }

    @Test
    void aConstantKeyIsEvaluatedOnce() {
        List<String> names = parse(Right.class, "constantKeys").name().all(null, new Object[0]);
        assertThat(names).containsExactly("n:b", "n:1");
        assertThat(parse(Right.class, "constantKeys").name()).isNotInstanceOf(ExpressionLockNameResolver.class);
    }

    @Test
    void refusesAnAnnotationBesideItsOptOut() {
        LockOperationSource source = new LockOperationSource(
                new LockAnnotationParser(beans, true, null, () -> DistributedLockAdvisor.DEFAULT_ORDER));
        assertThat(catchThrowableOfType(
                                InvalidLockedMethodException.class,
                                () -> source.get(
                                        ReflectionUtils.findMethod(Wrong.class, "both", (Class<?>[]) null),
                                        Wrong.class))
                        .description())
                .contains("@DistributedLocked.None");
    }

    static class Substitute {

        String other(String id) {
            return "elsewhere " + id;
        }

        private void hidden() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLocked(name = "stock")
    @interface Stock {

        @AliasFor(annotation = DistributedLocked.class, attribute = "key")
        String value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLocked(name = "account")
    @interface Account {

        @AliasFor(annotation = DistributedLocked.class, attribute = "key")
        String value();
    }

    @DistributedLocked("'wide'")
    static class ClassWide {

        @DistributedLocked.None
        void excluded() {}

        void covered() {}
    }

    static class Work {

        @DistributedLocked(key = "#size", condition = "#size > 10")
        String conditional(int size) {
            return "ran " + size;
        }

        @DistributedLocked(condition = "#flag")
        void undecided(Boolean flag) {}

        @DistributedLocked(key = "#id", fallback = "instead")
        String withFallback(String id) {
            return "ran " + id;
        }

        private String instead(String id, LockNotAcquiredException busy) {
            return "instead of " + id + ": " + busy.getMessage();
        }

        @DistributedLocked(key = "#id", fallback = "shortly")
        String withShortFallback(String id) {
            return "ran " + id;
        }

        String shortly(String id) {
            return "short " + id;
        }

        @DistributedLocked(key = "#id", fallback = "substitute::other")
        String withFallbackElsewhere(String id) {
            return "ran " + id;
        }

        @DistributedLocked(fallback = "failing")
        String withFailingFallback() throws IOException {
            return "ran";
        }

        String failing() throws IOException {
            throw new IOException("no");
        }

        @DistributedLocked(key = "#id", fallback = "shortly")
        String saysBusyItself(String id) {
            throw new LockNotAcquiredException(id, "another lock", Duration.ZERO);
        }

        @DistributedLocked(name = "n", keyGenerator = "generator")
        void generated(int number) {}

        @DistributedLocked(key = "'k'", operations = "others")
        void elsewhere() {}

        @DistributedLocked(minHold = "5s")
        void minimum() {}

        @DistributedLocked(name = "account", key = "#from")
        @DistributedLocked(name = "account", key = "#to")
        void several(int from, int to) {}

        @DistributedLocked(name = "account", key = "#from", condition = "#from > 1")
        @DistributedLocked(name = "account", key = "#to", condition = "#to > 1")
        void severalConditional(int from, int to) {}

        @Stock("#number")
        @Account("#number")
        void composed(int number) {}

        @DistributedLocked("#id")
        String handle(String id, LockHandle handle) {
            return handle.name();
        }
    }

    static class Reading {

        @DistributedLocked(value = "'data'", mode = LockMode.SHARED)
        void read() {}

        @DistributedLocked("'data'")
        void write() {}
    }

    static class Wrong {

        @DistributedLocked(mode = LockMode.SHARED, minHold = "1m")
        void sharedMinimum() {}

        @DistributedLocked(key = "'k'", keyGenerator = "generator")
        void twoKeys() {}

        @DistributedLocked(keyGenerator = "nobody")
        void unknownGenerator() {}

        @DistributedLocked(keyGenerator = "text")
        void wrongGenerator() {}

        @DistributedLocked(operations = "nobody")
        void unknownLocks() {}

        @DistributedLocked(operations = "text")
        void wrongLocks() {}

        @DistributedLocked(whenBusy = WhenBusy.SKIP, fallback = "other")
        void skipAndFallback() {}

        @DistributedLocked(fallback = "nobody")
        void unknownFallback() {}

        @DistributedLocked(fallback = "other")
        void wrongParameters(String id) {}

        @DistributedLocked(fallback = "other")
        String wrongResult() {
            return "";
        }

        void other() {}

        @DistributedLocked(fallback = "nobody::other")
        void unknownFallbackBean() {}

        @DistributedLocked(fallback = "substitute::hidden")
        void privateFallback() {}

        @DistributedLocked(minHold = "2m", maxHold = "1m")
        void minOverMax() {}

        @DistributedLocked(minHold = "11m")
        void minOverDefault() {}

        @DistributedLocked(minHold = "11m", lease = "10m", renew = false)
        void minOverLease() {}

        @DistributedLocked(minHold = "0s")
        void zeroMinimum() {}

        @DistributedLocked(minHold = "366d")
        void longMinimum() {}

        @DistributedLocked(condition = "#idd > 1")
        void wrongCondition(int id) {}

        @DistributedLocked(condition = "'yes'")
        void constantCondition() {}

        @DistributedLocked(fallback = "numbers")
        Optional<String> wrongContent() {
            return Optional.empty();
        }

        Optional<Integer> numbers() {
            return Optional.empty();
        }

        @DistributedLocked("null")
        void noKey() {}

        @DistributedLocked("''")
        void emptyKey() {}

        @DistributedLocked("{}")
        void emptyKeys() {}

        @DistributedLocked("{'a', ' '}")
        void blankOfKeys() {}

        @DistributedLocked
        @DistributedLocked.None
        void both() {}
    }

    static class Right {

        @DistributedLocked(key = "'a'", keyGenerator = "${none:}")
        void generatorLeftOut() {}

        @DistributedLocked(key = "${none:}", keyGenerator = "generator")
        void keyLeftOut() {}

        @DistributedLocked(whenBusy = WhenBusy.SKIP, fallback = "${none:}")
        void fallbackLeftOut() {}

        @DistributedLocked(renew = false, maxHold = "${none:}")
        void maxHoldLeftOut() {}

        @DistributedLocked(mode = LockMode.SHARED, minHold = "${none:}")
        void minHoldLeftOut() {}

        @DistributedLocked(minHold = "11m", maxHold = "12m")
        void longMaximum() {}

        @DistributedLocked(minHold = "11m", operations = "others")
        void ofOtherLocks() {}

        @DistributedLocked(minHold = "11m", renew = false)
        void hardEnd() {}

        @DistributedLocked(fallback = "integers")
        Optional<? extends Number> subtype() {
            return Optional.empty();
        }

        Optional<Integer> integers() {
            return Optional.empty();
        }

        @DistributedLocked(fallback = "objects")
        Optional<Number> supertype() {
            return Optional.empty();
        }

        Optional<Object> objects() {
            return Optional.empty();
        }

        @DistributedLocked(name = "n", key = "{'b', 1, 'b'}")
        void constantKeys() {}
    }
}
