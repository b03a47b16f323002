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

/** How an object that a method returns goes on with its work, and says that it is done. */
interface Continuation {

    /**
     * Lets the object end the work when it is done.
     *
     * @return what to give to the caller, or null if the object does nothing more
     */
    @Nullable
    Object holdUntilDone(Object result, HeldWork work);

    /** Called before the lock is acquired, by the thread that then waits for it; throws if it must not. */
    default void requireCaller() {}

    /** What a skipped call returns. */
    default @Nullable Object skipped() {
        return null;
    }

    /** Of exactly that type; null if it is not known to go on in a way that can be followed. */
    static @Nullable Continuation of(Class<?> type) {
        if (type == Callable.class) {
            return (result, work) -> result instanceof Callable<?> callable
                    ? (Callable<Object>) () -> work.<Exception>finish(callable::call)
                    : null;
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

    /** Reading it to its end is not enough: what it reads from may be open until it is closed. */
    private static Continuation untilClosed(java.util.function.Supplier<BaseStream<?, ?>> empty) {
        return new Continuation() {
            @Override
            public @Nullable Object holdUntilDone(Object result, HeldWork work) {
                return result instanceof BaseStream<?, ?> stream ? stream.onClose(work::end) : null;
            }

            @Override
            public Object skipped() {
                return empty.get();
            }
        };
    }
}
