/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure

import io.distributedlock.LockLostException
import io.distributedlock.annotation.DistributedLocked
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.transaction.TransactionDefinition
import org.springframework.transaction.annotation.EnableTransactionManagement
import org.springframework.transaction.annotation.Transactional
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager
import org.springframework.transaction.reactive.GenericReactiveTransaction
import org.springframework.transaction.reactive.TransactionSynchronizationManager
import reactor.core.publisher.Mono
import java.util.concurrent.CopyOnWriteArrayList

/** Reactive transactions of suspending functions under a lock. */
class CoroutineTransactionTests {

    private val work = application.bean(Work::class.java)

    private val ends = application.bean(Transactions::class.java).ends

    @BeforeEach
    fun forget() = ends.clear()

    @AfterEach
    fun leavesNothing() = application.awaitNoKeys()

    @Test
    fun theTransactionOfASuspendingFunctionIsCommittedUnderItsLock() {
        assertThat(runBlocking { work.transaction { "done" } }).isEqualTo("done")
        assertThat(ends).containsExactly("commit held=true")
    }

    @Test
    fun theTransactionOfASuspendingFunctionUnderALostLockIsRolledBack() {
        assertThatExceptionOfType(LockLostException::class.java)
            .isThrownBy { runBlocking { work.transaction { lose() } } }
        assertThat(ends).containsExactly("rollback held=false")
    }

    @Test
    fun theTransactionOfASuspendingFunctionWithAFlowUnderALostLockIsRolledBack() {
        assertThatExceptionOfType(LockLostException::class.java)
            .isThrownBy { runBlocking { work.emitting { lose() }.toList() } }
        assertThat(ends).containsExactly("rollback held=false")
    }

    private fun lose(): String {
        assertThat(application.locks().forceRelease("work")).isTrue()
        return "lost"
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    open class Configured {

        @Bean
        open fun work() = Work()

        @Bean
        open fun transactions() = Transactions()
    }

    open class Work {

        @DistributedLocked("'work'")
        @Transactional
        open suspend fun transaction(body: () -> String): String {
            yield()
            return body()
        }

        @DistributedLocked("'work'")
        @Transactional
        open suspend fun emitting(body: () -> String): Flow<String> {
            yield()
            return flow { emit(body()) }
        }
    }

    /** Records how its transactions end, and whether the lock was still held then. */
    open class Transactions : AbstractReactiveTransactionManager() {

        val ends = CopyOnWriteArrayList<String>()

        override fun doGetTransaction(manager: TransactionSynchronizationManager) = Any()

        override fun doBegin(
            manager: TransactionSynchronizationManager,
            transaction: Any,
            definition: TransactionDefinition,
        ): Mono<Void> = Mono.empty()

        override fun doCommit(
            manager: TransactionSynchronizationManager,
            status: GenericReactiveTransaction,
        ): Mono<Void> = end("commit")

        override fun doRollback(
            manager: TransactionSynchronizationManager,
            status: GenericReactiveTransaction,
        ): Mono<Void> = end("rollback")

        private fun end(how: String): Mono<Void> =
            Mono.fromRunnable { ends += "$how held=${application.isHeld("work")}" }
    }

    companion object {

        private lateinit var application: LockedApplication

        @BeforeAll
        @JvmStatic
        fun start() {
            application = LockedApplication(Configured::class.java)
        }

        @AfterAll
        @JvmStatic
        fun stop() {
            application.close()
        }
    }
}
