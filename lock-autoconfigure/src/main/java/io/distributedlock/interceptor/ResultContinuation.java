/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.concurrent.Callable;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How an object that a method returns continues its work, and reports its end. */
interface ResultContinuation {

    /**
     * Makes the object end the work when it is complete.
     *
     * @return the object for the caller, or null if it does no further work
     */
    @Nullable
    Object holdUntilDone(Object result, ContinuedWork work);

    /**
     * Called before the lock is acquired, by the thread that then waits for it; throws if that thread must not wait.
     */
    default void requireCaller() {}

    /** The result of a skipped call. */
    default @Nullable Object skipped() {
        return null;
    }

    /** The first call of the callable is the rest of the work. */
    static @Nullable Object holdUntilCalled(Object result, ContinuedWork work) {
        return result instanceof Callable<?> callable
                ? (Callable<@Nullable Object>) () -> work.<Exception>finish(callable::call)
                : null;
    }

    /** For exactly that type; null if it does not continue its work in a known way. */
    static @Nullable ResultContinuation of(Class<?> type) {
        if (type == Callable.class) {
            return ResultContinuation::holdUntilCalled;
        }
        if (type == Stream.class) {
            return untilClosed(Stream::empty);
        }
        if (type == IntStream.class) {
            return untilClosed(IntStream::empty);
        }
        if (type == LongStream.class) {
            return untilClosed(LongStream::empty);
        }
        return type == DoubleStream.class ? untilClosed(DoubleStream::empty) : null;
    }

    /** Reading it to its end is not enough: its source may be open until it is closed. */
    private static ResultContinuation untilClosed(java.util.function.Supplier<BaseStream<?, ?>> empty) {
        return new ResultContinuation() {
            @Override
            public @Nullable Object holdUntilDone(Object result, ContinuedWork work) {
                return result instanceof BaseStream<?, ?> stream
                        ? endingAtLoss(stream, work).onClose(work::end)
                        : null;
            }

            @Override
            public Object skipped() {
                return empty.get();
            }
        };
    }

    /** A loss that interrupts fails the code that reads the stream at the next element. */
    private static BaseStream<?, ?> endingAtLoss(BaseStream<?, ?> stream, ContinuedWork work) {
        Runnable check = work.checkOfInterruptingLoss();
        if (check == null) {
            return stream;
        }
        if (stream instanceof IntStream numbers) {
            return numbers.peek(element -> check.run());
        }
        if (stream instanceof LongStream numbers) {
            return numbers.peek(element -> check.run());
        }
        if (stream instanceof DoubleStream numbers) {
            return numbers.peek(element -> check.run());
        }
        return stream instanceof Stream<?> objects ? objects.peek(element -> check.run()) : stream;
    }
}
