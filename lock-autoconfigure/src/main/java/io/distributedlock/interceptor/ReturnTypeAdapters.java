/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Finds the adapter of a method by its return type, and refuses methods whose work continues after they have returned.
 */
final class ReturnTypeAdapters {

    private static final ReturnTypeAdapter BLOCKING = new BlockingInvocationAdapter();

    private static final ReturnTypeAdapter FUTURE = new FutureAdapter();

    private static final Set<Class<?>> FUTURES = Set.of(CompletionStage.class, CompletableFuture.class);

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", ReturnTypeAdapters.class.getClassLoader());

    private static final boolean COROUTINES_REACTOR =
            ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", ReturnTypeAdapters.class.getClassLoader());

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    /** The results of a skipped suspending function that need not be nullable. */
    private static final Set<String> WITHOUT_NULL = Set.of("void", "kotlin.Unit", FLOW);

    private static final String ACTION =
            "Lock a blocking method that does the work, or use LockOperations.acquireAsync.";

    private static final String RETURN_A_MONO =
            "Return a Mono<ResponseEntity<...>>, or lock a blocking method that does the work.";

    /** Of Spring MVC, which fetches the result on another thread, or lets the application write it there. */
    private static final Set<String> FETCHED_LATER = Set.of(
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** Of Kotlin: a coroutine that has begun, and its values. A {@code Deferred} has an adapter. */
    private static final Set<String> RUNNING =
            Set.of("kotlinx.coroutines.Job", "kotlinx.coroutines.channels.ReceiveChannel");

    private static final boolean WEB = ClassUtils.isPresent(
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
            ReturnTypeAdapters.class.getClassLoader());

    private static final String RESPONSE_ENTITY = "org.springframework.http.ResponseEntity";

    private static final String RESPONSE = "org.springframework.http.HttpEntity";

    private ReturnTypeAdapters() {}

    static ReturnTypeAdapter adapterFor(LockedMethod where) {
        if (KotlinDetector.isSuspendingFunction(where.method())) {
            return suspendingAdapter(where);
        }
        Class<?> declared = typeOf(where);
        if (ClassUtils.isSimpleValueType(declared)) {
            return blockingAdapter(where);
        }
        if (FUTURES.contains(declared)) {
            requireResultIsAllOfIt(where, generic(where), false);
            return futureAdapter(declared, where);
        }
        ReactiveAdapter publisher = publisherOf(declared);
        if (publisher != null && !AsyncMethods.isAsync(where)) {
            requireResultIsAllOfIt(where, generic(where), !publisher.isMultiValue());
            return publisherAdapter(publisher, where);
        }
        Class<?> type = contentOf(declared, where);
        ResultContinuation continuation = continuationOf(declared, type);
        if (continuation != null && !AsyncMethods.isAsync(where)) {
            ResolvableType result = type == declared ? returned(where) : generic(where);
            requireResultIsAllOfIt(where, result.getGeneric(0), false);
            return new ContinuedAdapter(continuation);
        }
        Class<?> innermost = type == declared ? type : contentOf(generic(where)).toClass();
        if (isDeferred(innermost) && !mayReturnCompletableFuture(where)) {
            throw where.refuse(
                    "its result, a " + innermost.getName()
                            + ", is completed or read after the method has returned, so the lock"
                            + " would be released before the work is done",
                    type != declared && declared != Optional.class && isPublisher(type) ? RETURN_A_MONO : ACTION);
        }
        return blockingAdapter(where);
    }

    /** Instead of the type that an interface declares, in the class of the bean, which is not known yet. */
    private static boolean mayReturnCompletableFuture(LockedMethod where) {
        return !LockedMethod.isClassOfBean(where.targetClass())
                && typeOf(where).isAssignableFrom(CompletableFuture.class);
    }

    /** Spring fails each call of an asynchronous method that declares another stage. */
    private static ReturnTypeAdapter futureAdapter(Class<?> type, LockedMethod where) {
        if (type != CompletableFuture.class && AsyncMethods.isAsync(where) && !mayReturnCompletableFuture(where)) {
            throw where.refuse(
                    "it is @Async too, and Spring supports no " + type.getSimpleName() + " there",
                    "Let it return a CompletableFuture.");
        }
        return FUTURE;
    }

    private static ReturnTypeAdapter blockingAdapter(LockedMethod where) {
        if (AsyncMethods.isAsync(where) && !mayReturnCompletableFuture(where)) {
            throw where.refuse(
                    "it is @Async too, so the lock would be released before it is done",
                    "Let it return a CompletableFuture, or call a locked method from the asynchronous one.");
        }
        return BLOCKING;
    }

    /** Spring creates a publisher for the function, and passes its result to the caller. */
    private static ReturnTypeAdapter suspendingAdapter(LockedMethod where) {
        if (!REACTOR || !COROUTINES_REACTOR) {
            throw where.refuse(
                    "it is a suspending function, for which Reactor and Kotlin's bridge to it are needed",
                    "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor to the class path.");
        }
        if (AsyncMethods.isAsync(where)) {
            throw where.refuse(
                    "it is @Async too, and Spring supports no suspending function there",
                    "Remove @Async: the function does not block its caller.");
        }
        ResolvableType result = resultOfSuspending(where);
        boolean ofMany = result.toClass().getName().equals(FLOW);
        requireResultIsAllOfIt(where, ofMany ? result.getGeneric(0) : result, !ofMany);
        return PublisherAdapter.ofSuspending(ofMany);
    }

    private static ResolvableType resultOfSuspending(LockedMethod where) {
        return result(where.method(), where.targetClass());
    }

    static boolean isSuspending(LockedMethod where) {
        return KotlinDetector.isSuspendingFunction(where.method());
    }

    /** The type that a method returns in the source, also that of a suspending function. */
    static ResolvableType result(Method method, Class<?> type) {
        return KotlinDetector.isSuspendingFunction(method)
                ? ResolvableType.forMethodParameter(new MethodParameter(method, -1).withContainingClass(type))
                : ResolvableType.forMethodReturnType(method, type);
    }

    /** Whether a method with this result has none. */
    static boolean isNone(Class<?> result) {
        return result == void.class || result.getName().equals("kotlin.Unit");
    }

    /**
     * How to lock a publisher of exactly that type; null if it is none. A subtype could not be created from another
     * publisher.
     */
    private static @Nullable ReactiveAdapter publisherOf(Class<?> type) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        return adapter != null
                        && adapter.getReactiveType() == type
                        && adapter.getDescriptor().isDeferred()
                ? adapter
                : null;
    }

    private static ReturnTypeAdapter publisherAdapter(ReactiveAdapter publisher, LockedMethod where) {
        if (!REACTOR) {
            throw where.refuse(
                    "it returns a " + publisher.getReactiveType().getName() + ", for which Reactor is needed",
                    "Add io.projectreactor:reactor-core to the class path.");
        }
        return new PublisherAdapter(publisher);
    }

    private static @Nullable ResultContinuation continuationOf(Class<?> declared, Class<?> content) {
        if (declared == content) {
            ResultContinuation ofWeb = WEB ? WebContinuation.of(declared) : null;
            return ofWeb == null ? ResultContinuation.of(declared) : ofWeb;
        }
        if (!WEB || !declared.getName().equals(RESPONSE_ENTITY)) {
            return null;
        }
        return REACTOR && isPublisher(content) ? new PublisherContinuation() : WebContinuation.ofContent(content);
    }

    private static boolean isPublisher(Class<?> type) {
        return publisherOf(type) != null;
    }

    /**
     * The result of a future, publisher, suspending function, callable or stream must not continue the work: that would
     * be without the lock. Only the body of a response is supported.
     */
    private static void requireResultIsAllOfIt(LockedMethod where, ResolvableType result, boolean mayGoOnInResponse) {
        Class<?> type = result.toClass();
        boolean response = isOrExtends(type, RESPONSE::equals);
        Class<?> content = contentOf(result).toClass();
        if (isDeferred(content) && !(mayGoOnInResponse && isResponseOfPublisher(result))) {
            throw where.refuse(
                    "its result has a " + content.getName() + " in it, which is completed or read after the lock is"
                            + " released",
                    response && isPublisher(content) ? RETURN_A_MONO : ACTION);
        }
    }

    private static boolean isResponseOfPublisher(ResolvableType result) {
        return result.toClass().getName().equals(RESPONSE_ENTITY)
                && isPublisher(result.getGeneric(0).toClass());
    }

    /** The result of a skipped call. */
    static @Nullable Object skipped(LockedMethod where) {
        if (KotlinDetector.isSuspendingFunction(where.method())) {
            requireNullable(where);
            return null;
        }
        Class<?> type = typeOf(where);
        if (type.isPrimitive() && type != void.class) {
            throw where.refuse(
                    "whenBusy",
                    "SKIP",
                    "a skipped call has no " + type + " to return",
                    "Return an object, or throw.",
                    null);
        }
        if (FUTURES.contains(type)) {
            return emptyOf(generic(where).resolve(Object.class));
        }
        ReactiveAdapter publisher = publisherOf(type);
        if (publisher != null && !publisher.supportsEmpty()) {
            throw where.refuse(
                    "whenBusy",
                    "SKIP",
                    "a skipped call has no value, and a " + type.getSimpleName() + " cannot be empty",
                    "Return a type that may be empty, or throw.",
                    null);
        }
        return emptyOf(type);
    }

    /** The caller does not see the null of a function without a result, nor that in the place of a Flow. */
    private static void requireNullable(LockedMethod suspending) {
        Type type = resultOfSuspending(suspending).getType();
        boolean maySkip = type instanceof TypeVariable
                || WITHOUT_NULL.contains(ResolvableType.forType(type).toClass().getName());
        if (!maySkip && Nullness.forMethodReturnType(suspending.method()) == Nullness.NON_NULL) {
            throw suspending.refuse(
                    "whenBusy",
                    "SKIP",
                    "a skipped call returns null, and the result of the suspending function is not nullable",
                    "Let it return " + ResolvableType.forType(type).toClass().getSimpleName() + "?, or throw.",
                    null);
        }
    }

    private static @Nullable Object emptyOf(Class<?> type) {
        return type == Optional.class ? Optional.empty() : emptyOfPrimitive(type);
    }

    private static @Nullable Object emptyOfPrimitive(Class<?> type) {
        if (type == OptionalInt.class) {
            return OptionalInt.empty();
        }
        if (type == OptionalLong.class) {
            return OptionalLong.empty();
        }
        return type == OptionalDouble.class ? OptionalDouble.empty() : null;
    }

    /** The content of a response of Spring MVC, or of an Optional. */
    private static Class<?> contentOf(Class<?> type, LockedMethod where) {
        if (!isContainer(type)) {
            return type;
        }
        Class<?> content = generic(where).resolve();
        return content == null ? type : content;
    }

    /** The innermost content, as of an Optional in a response or a response in an Optional; else the type itself. */
    private static ResolvableType contentOf(ResolvableType type) {
        ResolvableType content = type;
        while (isContainer(content.toClass())) {
            content = content.getGeneric(0);
        }
        return content;
    }

    private static boolean isContainer(Class<?> type) {
        return type == Optional.class || isOrExtends(type, RESPONSE::equals);
    }

    private static ResolvableType generic(LockedMethod where) {
        return returned(where).getGeneric(0);
    }

    private static ResolvableType returned(LockedMethod where) {
        return ResolvableType.forMethodReturnType(where.method(), where.targetClass());
    }

    private static Class<?> typeOf(LockedMethod where) {
        Class<?> raw = where.method().getReturnType();
        return where.method().getGenericReturnType() == raw
                ? raw
                : GenericTypeResolver.resolveReturnType(where.method(), where.targetClass());
    }

    private static boolean isDeferred(Class<?> type) {
        return Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || Flow.Publisher.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null
                || Callable.class.isAssignableFrom(type)
                || BaseStream.class.isAssignableFrom(type)
                || isOrExtends(type, FETCHED_LATER::contains)
                || isOrExtends(type, RUNNING::contains);
    }

    private static boolean isOrExtends(Class<?> type, Predicate<String> name) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (name.test(each.getName()) || extendsAny(each.getInterfaces(), name)) {
                return true;
            }
        }
        return false;
    }

    private static boolean extendsAny(Class<?>[] interfaces, Predicate<String> name) {
        for (Class<?> each : interfaces) {
            if (isOrExtends(each, name)) {
                return true;
            }
        }
        return false;
    }
}
