/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLocked;
import java.lang.reflect.Method;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A fallback whose name several methods have: the one that the compiler would choose is called, or the start fails. */
class FallbackOverloadTests {

    private final RecordingLocks locks = new RecordingLocks();

    private final LockedProxies locked = LockedProxies.by(locks);

    @BeforeEach
    void busy() {
        locks.busy();
    }

    @Test
    void theMostSpecificParametersCount() {
        assertThat(locked.byClass(new Work()).run("a")).isEqualTo("as the compiler chooses");
    }

    @Test
    void thePrimitiveTypeOfTheMethodCounts() {
        assertThat(locked.byClass(new OfNumber()).run(7)).isEqualTo("as the compiler chooses");
    }

    @Test
    void primitiveTypesThatFitEquallyFailTheStart() throws NoSuchMethodException {
        Method method = OfMixedNumbers.class.getDeclaredMethod("run", long.class, long.class);
        assertThatExceptionOfType(InvalidLockedMethodException.class)
                .isThrownBy(() -> locked.advisor.source().get(method, OfMixedNumbers.class))
                .satisfies(refusal -> assertThat(refusal.description()).contains("later fit"));
    }

    /** A call with null would fail in the fallback's place. */
    @Test
    void aPrimitiveTypeDoesNotFitAWrapper() throws NoSuchMethodException {
        Method method = OfWrapper.class.getDeclaredMethod("run", Long.class);
        assertThatExceptionOfType(InvalidLockedMethodException.class)
                .isThrownBy(() -> locked.advisor.source().get(method, OfWrapper.class))
                .satisfies(refusal -> assertThat(refusal.description()).contains("OfWrapper.later do not fit"));
    }

    @Test
    void aMethodThatNamesItselfFailsTheStart() throws NoSuchMethodException {
        Method method = OfItself.class.getDeclaredMethod("run", String.class);
        assertThatExceptionOfType(InvalidLockedMethodException.class)
                .isThrownBy(() -> locked.advisor.source().get(method, OfItself.class))
                .satisfies(refusal -> assertThat(refusal.description()).contains("the method is its own fallback"))
                .satisfies(refusal -> assertThat(refusal.action()).isEqualTo("Name another method."));
    }

    @Test
    void theMostSpecificExceptionCounts() {
        assertThat(locked.byClass(new WithFailures()).run("a")).isEqualTo("as the compiler chooses");
    }

    @Test
    void theTypesOfAGenericSuperclassCount() {
        assertThat(locked.byClass(new OfText()).run("a")).isEqualTo("as the compiler chooses");
    }

    @Test
    void severalThatFitEquallyFailTheStart() throws NoSuchMethodException {
        Method method = Ambiguous.class.getDeclaredMethod("run", String.class);
        assertThatExceptionOfType(InvalidLockedMethodException.class)
                .isThrownBy(() -> locked.advisor.source().get(method, Ambiguous.class))
                .satisfies(refusal -> assertThat(refusal.description())
                        .contains(
                                "fallback = \"later\"", "several methods " + Ambiguous.class.getName() + ".later fit"))
                .satisfies(refusal -> assertThat(refusal.action()).isEqualTo("Rename all but one."));
    }

    @Test
    void aFallbackThatTheAnnotationOfItsClassAppliesToFailsTheStart() throws NoSuchMethodException {
        Method method = OfClass.class.getDeclaredMethod("later", String.class);
        assertThatExceptionOfType(InvalidLockedMethodException.class)
                .isThrownBy(() -> locked.advisor.source().get(method, OfClass.class))
                .satisfies(refusal ->
                        assertThat(refusal.description()).contains("#later(String)", "it is its own fallback"))
                .satisfies(refusal -> assertThat(refusal.action()).contains("private", "@DistributedLocked.None"));
    }

    @Test
    void aFallbackThatIsExcludedFromTheLockOfItsClassIsCalled() {
        assertThat(locked.byClass(new WithExclusion()).run("a")).isEqualTo("later a");
    }

    static class OfNumber {

        @DistributedLocked(key = "#id", fallback = "later")
        String run(long id) {
            return "ran";
        }

        String later(Long id) {
            return "a wrapper";
        }

        String later(long id) {
            return "as the compiler chooses";
        }

        String later(Object id) {
            return "any object";
        }
    }

    static class OfWrapper {

        @DistributedLocked(key = "#id", fallback = "later")
        String run(Long id) {
            return "ran";
        }

        String later(long id) {
            return "has no number for null";
        }
    }

    static class OfMixedNumbers {

        @DistributedLocked(key = "#id", fallback = "later")
        String run(long id, long other) {
            return "ran";
        }

        String later(Long id, long other) {
            return "the first is a wrapper";
        }

        String later(long id, Long other) {
            return "the second is a wrapper";
        }
    }

    static class OfItself {

        @DistributedLocked(key = "#id", fallback = "run")
        String run(String id) {
            return "ran";
        }
    }

    @DistributedLocked(key = "#id", fallback = "later")
    static class OfClass {

        String run(String id) {
            return "ran";
        }

        String later(String id) {
            return "later " + id;
        }
    }

    static class WithExclusion extends OfClass {

        @Override
        @DistributedLocked.None
        String later(String id) {
            return "later " + id;
        }
    }

    static class Work {

        @DistributedLocked(key = "#id", fallback = "later")
        String run(String id) {
            return "ran";
        }

        String later(Object id) {
            return "any object";
        }

        String later(CharSequence id) {
            return "any text";
        }

        String later(String id) {
            return "as the compiler chooses";
        }

        String later(Comparable<?> id) {
            return "anything comparable";
        }
    }

    static class WithFailures {

        @DistributedLocked(key = "#id", fallback = "later")
        String run(String id) {
            return "ran";
        }

        String later(Object id, LockNotAcquiredException busy) {
            return "any object";
        }

        String later(String id, Throwable busy) {
            return "any failure";
        }

        String later(String id, LockNotAcquiredException busy) {
            return "as the compiler chooses";
        }

        String later(String id, Exception busy) {
            return "any exception";
        }

        String later(String id) {
            return "no exception";
        }
    }

    abstract static class Generic<T> {

        @DistributedLocked(key = "#id", fallback = "later")
        String run(T id) {
            return "ran";
        }

        String later(Object id) {
            return "any object";
        }

        abstract String later(T id, LockNotAcquiredException busy);
    }

    static class OfText extends Generic<String> {

        @Override
        String later(String id, LockNotAcquiredException busy) {
            return "as the compiler chooses";
        }

        String later(CharSequence id, LockNotAcquiredException busy) {
            return "any text";
        }
    }

    static class Ambiguous {

        @DistributedLocked(key = "#id", fallback = "later")
        String run(String id) {
            return "ran";
        }

        String later(CharSequence id) {
            return "any text";
        }

        String later(Comparable<?> id) {
            return "anything comparable";
        }
    }
}
