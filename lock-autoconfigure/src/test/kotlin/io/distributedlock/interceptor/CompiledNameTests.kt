/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor

import io.distributedlock.LockNotAcquiredException
import io.distributedlock.annotation.DistributedLocked
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatException
import org.junit.jupiter.api.Test
import org.springframework.aot.hint.RuntimeHints
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates

/** Functions of Kotlin that have another name in the class file than in the source. */
class CompiledNameTests {

    private val locks = RecordingLocks().busy()

    private val proxies = LockedProxies.by(locks)

    @Test
    fun aFallbackWithAValueClassIsCalled() {
        assertThat(proxies.byClass(Payments()).pay(Id("7"))).isEqualTo("later 7")
    }

    @Test
    fun anInternalFallbackIsCalled() {
        val payments = proxies.byClass(Payments())
        assertThat(payments.cancel("7")).isEqualTo("internal 7")
        assertThat(payments.refund(Id("7"))).isEqualTo("both 7")
    }

    @Test
    fun theOverloadWithTheSameKindOfParametersIsCalled() {
        val overloads = proxies.byClass(Overloads())
        assertThat(overloads.pay("7")).isEqualTo("text 7")
        assertThat(overloads.pay(Id("7"))).isEqualTo("id 7")
    }

    /** A hyphen in backticks is no hash. */
    @Test
    fun aNameWithAHyphenIsWhole() {
        val method = Hyphens::class.java.methods.first { it.name.startsWith("pay") }
        assertThat(SourceNames.of(method)).isEqualTo("pay-invoice")
        assertThat(SourceNames.isNamed(method, "pay")).isFalse()
    }

    @Test
    fun aFallbackOfABeanIsCalledAndReachableInANativeImage() {
        proxies.beans.registerSingleton("later", Later())
        assertThat(proxies.byClass(OfBean()).pay(Id("7"))).isEqualTo("bean 7")
        val hints = RuntimeHints()
        val pay = OfBean::class.java.methods.first { it.name.startsWith("pay") }
        NamedBeanHints(proxies.beans, hints.reflection()).register(pay)
        val later = Later::class.java.methods.first { it.name.startsWith("instead") }
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(later)).accepts(hints)
    }

    @Test
    fun theLabelIsTheNameInTheSource() {
        val labels = Payments::class.java.methods
            .filter { it.isAnnotationPresent(DistributedLocked::class.java) }
            .map { LockedMethod(it, it, Payments::class.java).shortName() }
        assertThat(labels).containsExactlyInAnyOrder("Payments.pay", "Payments.cancel", "Payments.refund")
    }

    /** The compiler makes a static function of it. */
    @Test
    fun aFunctionInsideOfAnotherIsNoFallback() {
        assertThatException()
            .isThrownBy { proxies.byClass(OfInner()).pay("7") }
            .withStackTraceContaining("the parameters of ${OfInner::class.java.name}.make do not fit")
    }

    @Test
    fun aFunctionThatIsItsOwnFallbackIsRefused() {
        assertThatException()
            .isThrownBy { proxies.byClass(OfItself()).pay(Id("7")) }
            .withStackTraceContaining("the method is its own fallback")
    }

    @JvmInline
    value class Id(val text: String)

    open class Payments {

        @DistributedLocked("'work'", fallback = "later")
        open fun pay(id: Id): String = "paid ${id.text}"

        fun later(id: Id, busy: LockNotAcquiredException): String = "later ${id.text}".also { busy.lockName() }

        @DistributedLocked("'work'", fallback = "internally")
        open fun cancel(id: String): String = "cancelled $id"

        internal fun internally(id: String): String = "internal $id"

        @DistributedLocked("'work'", fallback = "both")
        internal open fun refund(id: Id): String = "refunded ${id.text}"

        internal fun both(id: Id): String = "both ${id.text}"
    }

    open class Overloads {

        @DistributedLocked("'work'", fallback = "later")
        open fun pay(id: String): String = "paid $id"

        @DistributedLocked("'work'", fallback = "later")
        open fun pay(id: Id): String = "paid ${id.text}"

        fun later(id: String): String = "text $id"

        fun later(id: Id): String = "id ${id.text}"
    }

    open class Hyphens {

        open fun `pay-invoice`(): String = "paid"
    }

    open class OfBean {

        @DistributedLocked("'work'", fallback = "later::instead")
        open fun pay(id: Id): String = "paid ${id.text}"
    }

    open class Later {

        open fun instead(id: Id): String = "bean ${id.text}"
    }

    open class OfInner {

        @DistributedLocked("'work'", fallback = "make")
        open fun pay(id: String): String = "paid $id"

        fun make(): String {
            fun inner(id: String): String = "made $id"
            return inner("1") + inner("2")
        }
    }

    open class OfItself {

        @DistributedLocked("'work'", fallback = "pay")
        open fun pay(id: Id): String = "paid ${id.text}"
    }
}
