/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor

import io.distributedlock.LockNotAcquiredException
import io.distributedlock.annotation.DistributedLocked
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatException
import org.assertj.core.api.Assertions.assertThatIllegalStateException
import org.junit.jupiter.api.Test

/** What is called instead of a suspending function whose lock is busy. */
class CoroutineFallbackTests {

    private val proxies = LockedProxies.by(RecordingLocks().busy())

    private val work = proxies.byClass(Work())

    @Test
    fun aSuspendingFallbackRunsInTheContextOfTheCaller() {
        assertThat(runBlocking(CoroutineName("caller")) { work.named("7") }).isEqualTo("caller 7 work")
    }

    @Test
    fun aFallbackThatDoesNotSuspendIsCalled() {
        assertThat(runBlocking { work.plain("7") }).isEqualTo("plain 7")
        assertThat(runBlocking { work.nothing("7") }).isNull()
        runBlocking { work.unit("7") }
    }

    @Test
    fun aFallbackReturnsAFlow() {
        assertThat(runBlocking { work.flow("7").toList() }).containsExactly("flow 7")
        assertThat(runBlocking { work.plainFlow("7").toList() }).containsExactly("plain flow 7")
    }

    @Test
    fun aFailureOfTheFallbackReachesTheCaller() {
        assertThatIllegalStateException().isThrownBy { runBlocking { work.failing("7") } }.withMessage("failed 7")
    }

    @Test
    fun aFallbackOfABeanIsCalled() {
        proxies.beans.registerSingleton("later", Later())
        assertThat(runBlocking { proxies.byClass(OfBean()).run("7") }).isEqualTo("bean 7")
    }

    @Test
    fun aFallbackWithAnotherResultIsRefused() {
        assertThatException()
            .isThrownBy { proxies.byClass(OtherResult()).let { runBlocking { it.run("7") } } }
            .withStackTraceContaining("it returns")
    }

    @Test
    fun aBlockingMethodHasNoSuspendingFallback() {
        assertThatException()
            .isThrownBy { proxies.byClass(Blocking()).run("7") }
            .withStackTraceContaining("do not fit")
    }

    open class Work {

        @DistributedLocked("'work'", fallback = "instead")
        open suspend fun named(id: String): String = id

        private suspend fun instead(id: String, busy: LockNotAcquiredException): String {
            yield()
            return "${currentCoroutineContext()[CoroutineName]?.name} $id ${busy.lockName()}"
        }

        @DistributedLocked("'work'", fallback = "plainly")
        open suspend fun plain(id: String): String = id

        fun plainly(id: String): String = "plain $id"

        @DistributedLocked("'work'", fallback = "none")
        open suspend fun nothing(id: String): String? = id

        fun none(id: String): String? = id.takeIf { it.isEmpty() }

        @DistributedLocked("'work'", fallback = "noted")
        open suspend fun unit(id: String) {
            error(id)
        }

        suspend fun noted(id: String) {
            yield()
            check(id == "7")
        }

        @DistributedLocked("'work'", fallback = "otherFlow")
        open suspend fun flow(id: String): Flow<String> = flowOf(id)

        suspend fun otherFlow(id: String): Flow<String> {
            yield()
            return flowOf("flow $id")
        }

        @DistributedLocked("'work'", fallback = "otherPlainFlow")
        open suspend fun plainFlow(id: String): Flow<String> = flowOf(id)

        fun otherPlainFlow(id: String): Flow<String> = flowOf("plain flow $id")

        @DistributedLocked("'work'", fallback = "failed")
        open suspend fun failing(id: String): String = id

        suspend fun failed(id: String): String {
            yield()
            throw IllegalStateException("failed $id")
        }
    }

    open class OfBean {

        @DistributedLocked("'work'", fallback = "later::instead")
        open suspend fun run(id: String): String = id
    }

    open class Later {

        open suspend fun instead(id: String): String {
            yield()
            return "bean $id"
        }
    }

    open class OtherResult {

        @DistributedLocked("'work'", fallback = "number")
        open suspend fun run(id: String): String = id

        suspend fun number(id: String): Int {
            yield()
            return id.length
        }
    }

    open class Blocking {

        @DistributedLocked("'work'", fallback = "suspending")
        open fun run(id: String): String = id

        suspend fun suspending(id: String): String {
            yield()
            return id
        }
    }
}
