/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure

import io.distributedlock.LockHandle
import io.distributedlock.LockLostException
import io.distributedlock.LockNotAcquiredException
import io.distributedlock.LockScope
import io.distributedlock.annotation.DistributedLocked
import io.distributedlock.annotation.WhenBusy
import io.distributedlock.annotation.WhenLost
import io.distributedlock.reactive.ReactiveLocks
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emptyFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatException
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.http.ResponseEntity
import org.springframework.scheduling.annotation.Async
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody
import reactor.core.publisher.Mono
import java.util.concurrent.CompletableFuture
import java.util.stream.Stream

/** Locked suspending functions and flows. */
class CoroutineMethodTests {

    private val work = application.bean(Work::class.java)

    @AfterEach
    fun leavesNothing() {
        application.awaitNoKeys()
        assertThat(LockHandle.current()).isEmpty
    }

    @Test
    fun holdsTheLockUntilTheFunctionHasReturned() {
        val seen = runBlocking {
            work.suspending("42") {
                yield()
                withContext(Dispatchers.Default) { application.isHeld("order:42") }
            }
        }
        assertThat(seen).isTrue()
        assertThat(application.isHeld("order:42")).isFalse()
    }

    @Test
    fun theHandleIsTheCurrentOneOnEveryThread() {
        val names = runBlocking {
            work.suspending("42") {
                val first = LockHandle.current().map { it.name() }.orElse("none")
                yield()
                val elsewhere = withContext(Dispatchers.IO) {
                    yield()
                    LockHandle.current().map { it.name() }.orElse("none")
                }
                val context = currentCoroutineContext()[ReactorContext]!!.context
                listOf(first, elsewhere, ReactiveLocks.current(context).map { it.name() }.orElse("none"))
            }
        }
        assertThat(names).containsOnly("order:42")
    }

    @Test
    fun aFunctionInsideEntersTheSameLock() {
        val tokens = runBlocking {
            work.suspending("42") {
                val outer = LockHandle.current().orElseThrow().fencingToken()
                withContext(Dispatchers.Default) {
                    work.suspending("42") { outer to LockHandle.current().orElseThrow().fencingToken() }
                }
            }
        }
        assertThat(tokens.first).isEqualTo(tokens.second)
    }

    @Test
    fun aLossThatIsIgnoredIsIgnoredOnEveryThread() {
        val loss = runBlocking {
            work.ignoring("42") {
                lose("order:42")
                listOf(lossFoundHere(), withContext(Dispatchers.IO) { lossFoundHere() })
            }
        }
        assertThat(loss).containsOnlyNulls()
    }

    @Test
    fun theLossOfALockAroundIsFoundOnEveryThread() {
        val found = mutableListOf<Throwable?>()
        assertThatExceptionOfType(LockLostException::class.java).isThrownBy {
            runBlocking {
                work.suspending("1") {
                    work.suspending("2") {
                        lose("order:1")
                        found += lossFoundHere()
                        found += withContext(Dispatchers.IO) { lossFoundHere() }
                    }
                }
            }
        }
        assertThat(found).hasSize(2).hasOnlyElementsOfType(LockLostException::class.java)
    }

    private fun lose(name: String) {
        assertThat(application.locks().forceRelease(name)).isTrue()
    }

    private fun lossFoundHere(): Throwable? = runCatching { LockScope.throwIfLost() }.exceptionOrNull()

    @Test
    fun cancellingReleases() {
        runBlocking {
            val begun = CompletableDeferred<Unit>()
            val job = launch(Dispatchers.Default) {
                work.suspending("42") {
                    begun.complete(Unit)
                    awaitCancellation()
                }
            }
            begun.await()
            assertThat(application.isHeld("order:42")).isTrue()
            job.cancelAndJoin()
        }
    }

    @Test
    fun aBusyLockIsReportedOrSkipped() {
        application.hold("order:42").use {
            runBlocking {
                assertThat(work.skipping("42")).isNull()
                val failure = runCatching { work.trying("42") }.exceptionOrNull()
                assertThat(failure).isInstanceOf(LockNotAcquiredException::class.java)
            }
        }
        assertThat(runBlocking { work.skipping("42") }).isEqualTo("done")
    }

    @Test
    fun aFailureReleases() {
        assertThatExceptionOfType(IllegalStateException::class.java)
            .isThrownBy { runBlocking { work.suspending("42") { throw IllegalStateException("on purpose") } } }
            .withMessage("on purpose")
    }

    @Test
    fun aFlowHoldsTheLockWhileItIsCollected() {
        val flow = work.flow("42")
        assertThat(application.isHeld("order:42")).isFalse()
        assertThat(runBlocking { flow.toList() }).containsExactly(true, true)
        assertThat(runBlocking { work.suspendingFlow("42").toList() }).containsExactly(true, true)
    }

    @Test
    fun aFlowInAResponseHoldsTheLockUntilItIsCollected() {
        runBlocking {
            val response = work.response("42")
            assertThat(application.isHeld("order:42")).isTrue()
            assertThat(response.body!!.toList()).containsExactly(true, true)
        }
    }

    @ParameterizedTest
    @ValueSource(
        classes = [
            OfStream::class, OfFuture::class, OfPublisher::class, OfFlows::class, OfWriter::class, OfInherited::class,
        ],
    )
    fun refusesAResultThatIsReadAfterTheRelease(type: Class<*>) {
        assertThatException()
            .isThrownBy { LockedApplication(type).close() }
            .withStackTraceContaining("which is completed or read after the lock is released")
    }

    @Test
    fun refusesToSkipAFunctionWhoseResultIsNotNullable() {
        assertThatException()
            .isThrownBy { LockedApplication(Counting::class.java).close() }
            .withStackTraceContaining("the result of the suspending function is not nullable")
    }

    @Test
    fun skipsAFunctionWhoseResultNeedNotBeNullable() {
        LockedApplication(Skipping::class.java).use { other ->
            val skipping = other.bean(Skipping::class.java)
            other.hold("work").use {
                runBlocking {
                    skipping.none()
                    assertThat(skipping.flow().toList()).isEmpty()
                    assertThat(skipping.generic { "called" }).isNull()
                }
            }
        }
    }

    /** Spring fails each call. */
    @Test
    fun refusesAnAsynchronousFunction() {
        assertThatException()
            .isThrownBy { LockedApplication(Asynchronous::class.java).close() }
            .withStackTraceContaining("Spring supports no suspending function there")
    }

    open class Counting {

        @DistributedLocked(key = "'work'", whenBusy = WhenBusy.SKIP)
        open suspend fun count(): Int = 1
    }

    open class Skipping {

        @DistributedLocked(key = "'work'", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        open suspend fun none() = Unit

        @DistributedLocked(key = "'work'", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        open suspend fun flow(): Flow<String> = flow { emit("called") }

        @DistributedLocked(key = "'work'", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        open suspend fun <T> generic(body: () -> T): T? = body()
    }

    open class Asynchronous {

        @Async
        @DistributedLocked("'work'")
        open suspend fun run() = Unit
    }

    open class OfStream {

        @DistributedLocked("'work'")
        open suspend fun refused(): Stream<String> = Stream.empty()
    }

    open class OfFuture {

        @DistributedLocked("'work'")
        open suspend fun refused(): CompletableFuture<String> = CompletableFuture()
    }

    open class OfPublisher {

        @DistributedLocked("'work'")
        open suspend fun refused(): Mono<String> = Mono.empty()
    }

    /** Each response comes before the work in it is done. */
    open class OfFlows {

        @DistributedLocked("'work'")
        open suspend fun refused(): Flow<ResponseEntity<Flow<String>>> = emptyFlow()
    }

    open class OfWriter {

        @DistributedLocked("'work'")
        open suspend fun refused(): ResponseEntity<StreamingResponseBody> = ResponseEntity.ok().build()
    }

    open class Inherited<T : Any> {

        @DistributedLocked("'work'")
        open suspend fun refused(): T = throw UnsupportedOperationException()
    }

    open class OfInherited : Inherited<Stream<String>>()

    open class Work {

        @DistributedLocked(name = "order", key = "#id", waitUpTo = "60s")
        open suspend fun <T> suspending(id: String, body: suspend () -> T): T = body()

        @DistributedLocked(name = "order", key = "#id", waitUpTo = "60s", whenLost = WhenLost.IGNORE)
        open suspend fun <T> ignoring(id: String, body: suspend () -> T): T = body()

        @DistributedLocked(name = "order", key = "#id", waitUpTo = "0")
        open suspend fun trying(id: String) = Unit

        @DistributedLocked(name = "order", key = "#id", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        open suspend fun skipping(id: String): String? = "done"

        @DistributedLocked(name = "order", key = "#id", waitUpTo = "60s")
        open fun flow(id: String): Flow<Boolean> = held()

        @DistributedLocked(name = "order", key = "#id", waitUpTo = "60s")
        open suspend fun suspendingFlow(id: String): Flow<Boolean> {
            yield()
            return held()
        }

        @DistributedLocked(name = "order", key = "#id", waitUpTo = "60s")
        open suspend fun response(id: String): ResponseEntity<Flow<Boolean>> = ResponseEntity.ok(held())

        private fun held(): Flow<Boolean> = flow {
            emit(application.isHeld("order:42"))
            yield()
            emit(application.isHeld("order:42"))
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
