/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure

import io.distributedlock.LockLostException
import io.distributedlock.annotation.DistributedLocked
import io.distributedlock.annotation.WhenLost
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.Test

/** Losses of the locks of methods that return a Deferred. */
class DeferredMethodTests {

    private val work = application.bean(Work::class.java)

    private val begun = CompletableDeferred<Unit>()

    private val own = CompletableDeferred<String>()

    @AfterEach
    fun leavesNothing() {
        own.cancel()
        application.awaitNoKeys()
    }

    @Test
    fun aLossThatInterruptsCancelsTheDeferredOfTheMethod() {
        val returned = work.interrupted(begun, own)
        loseWhenBegun()
        assertLost(returned)
        await().atMost(LockedApplication.LONG).until { own.isCancelled }
    }

    @Test
    fun anotherLossLeavesTheDeferredOfTheMethod() {
        val returned = work.run(begun, own)
        loseWhenBegun()
        assertThat(own.complete("done")).isTrue()
        assertLost(returned)
    }

    private fun loseWhenBegun() {
        runBlocking { withTimeout(LockedApplication.LONG.toMillis()) { begun.await() } }
        assertThat(application.locks().forceRelease("work")).isTrue()
    }

    private fun assertLost(returned: Deferred<String>) {
        val failure = runBlocking { withTimeout(LockedApplication.LONG.toMillis()) { runCatching { returned.await() } } }
        assertThat(failure.exceptionOrNull()).isInstanceOf(LockLostException::class.java)
    }

    open class Work {

        @DistributedLocked("'work'", whenLost = WhenLost.INTERRUPT)
        open fun interrupted(begun: CompletableDeferred<Unit>, own: Deferred<String>): Deferred<String> {
            begun.complete(Unit)
            return own
        }

        @DistributedLocked("'work'")
        open fun run(begun: CompletableDeferred<Unit>, own: Deferred<String>): Deferred<String> {
            begun.complete(Unit)
            return own
        }
    }

    companion object {

        private lateinit var application: LockedApplication

        @BeforeAll
        @JvmStatic
        fun start() {
            application = LockedApplication(Work::class.java)
        }

        @AfterAll
        @JvmStatic
        fun stop() {
            application.close()
        }
    }
}
