/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor

import io.distributedlock.LockKeyGenerator
import io.distributedlock.LockRequest
import io.distributedlock.annotation.DistributedLocked
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatException
import org.junit.jupiter.api.Test

/** Suspending functions have a hidden argument, which is in no key. */
class CoroutineKeyTests {

    private val locks = RecordingLocks()

    private val proxies = LockedProxies.by(locks)

    @Test
    fun allArgumentsAreThoseThatTheCallerHasWritten() {
        val work = proxies.byClass(Work())
        runBlocking {
            work.ofAll("a", "b")
            work.conditional("a", "b")
        }
        assertThat(locks.requests()).allSatisfy { assertThat(it.names()).containsExactlyInAnyOrder("a", "b") }.hasSize(2)
    }

    @Test
    fun aGeneratorGetsTheArgumentsThatTheCallerHasWritten() {
        proxies.beans.registerSingleton("joined", LockKeyGenerator { _, _, arguments -> arguments.joinToString("+") })
        val work = proxies.byClass(Generated())
        runBlocking { work.ofGenerator("a", "b") }
        assertThat(locks.requests()).extracting<String>(LockRequest::name).containsExactly("a+b")
    }

    @Test
    fun theHiddenArgumentHasNoNumber() {
        assertThatException()
            .isThrownBy { proxies.byClass(Numbered()).let { runBlocking { it.ofHidden("a") } } }
            .withStackTraceContaining("#p1 is unknown")
    }

    open class Work {

        @DistributedLocked("#root.args")
        open suspend fun ofAll(one: String, other: String) = one + other

        @DistributedLocked("#root.args", condition = "#root.args.length == 2")
        open suspend fun conditional(one: String, other: String) = one + other
    }

    open class Generated {

        @DistributedLocked(keyGenerator = "joined")
        open suspend fun ofGenerator(one: String, other: String) = one + other
    }

    open class Numbered {

        @DistributedLocked("#p1")
        open suspend fun ofHidden(one: String) = one
    }
}
