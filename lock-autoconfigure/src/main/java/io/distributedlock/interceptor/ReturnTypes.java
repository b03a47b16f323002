package io.distributedlock.interceptor;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/** Finds the adapter of a method by its return type, and refuses methods whose work goes on after they have returned. */
final class ReturnTypes {

    private static final ReturnTypeAdapter BLOCKING = new BlockingAdapter();

    private static final String ACTION =
            "Lock a blocking method that does the work, or use LockOperations.acquireAsync.";

    /** Of Spring MVC, which fetches the result on another thread, or lets the application write it there. */
    private static final Set<String> FETCHED_LATER = Set.of(
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private static final String RESPONSE = "org.springframework.http.HttpEntity";

    private ReturnTypes() {}

    static ReturnTypeAdapter adapterFor(LockedMethod where) {
        Method method = where.method();
        Class<?> type = contentOf(typeOf(where), where);
        if (isDeferred(type)) {
            throw where.refuse(
                    "its result, a " + type.getName() + ", is completed after the method has returned, so the lock"
                            + " would be released before the work is done",
                    ACTION);
        }
        if (KotlinDetector.isSuspendingFunction(method)) {
            throw where.refuse("it is a suspending function, so the lock would be released before it is done", ACTION);
        }
        if (isAsync(method) || isAsync(where.targetClass())) {
            throw where.refuse(
                    "it is @Async too, so the lock would be released before it is done",
                    "Call a locked method from the asynchronous one.");
        }
        return BLOCKING;
    }

    /** What a skipped call returns. */
    static @Nullable Object skipped(LockedMethod where) {
        Class<?> type = typeOf(where);
        if (type.isPrimitive() && type != void.class) {
            throw where.refuse(
                    "whenBusy",
                    "SKIP",
                    "a skipped call has no " + type + " to return",
                    "Return an object, or throw.",
                    null);
        }
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

    /** What a response of Spring MVC has in it. */
    private static Class<?> contentOf(Class<?> type, LockedMethod where) {
        if (!isOrExtends(type, RESPONSE::equals)) {
            return type;
        }
        Class<?> content = ResolvableType.forMethodReturnType(where.method(), where.targetClass())
                .getGeneric(0)
                .resolve();
        return content == null ? type : content;
    }

    private static Class<?> typeOf(LockedMethod where) {
        return GenericTypeResolver.resolveReturnType(where.method(), where.targetClass());
    }

    private static boolean isDeferred(Class<?> type) {
        return Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || Flow.Publisher.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null
                || Callable.class.isAssignableFrom(type)
                || isFetchedLater(type);
    }

    private static boolean isFetchedLater(Class<?> type) {
        return isOrExtends(type, FETCHED_LATER::contains);
    }

    private static boolean isOrExtends(Class<?> type, Predicate<String> name) {
        Set<Class<?>> types = new LinkedHashSet<>(ClassUtils.getAllInterfacesForClassAsSet(type));
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            types.add(each);
        }
        return types.stream().map(Class::getName).anyMatch(name);
    }

    private static boolean isAsync(AnnotatedElement element) {
        return AnnotatedElementUtils.hasAnnotation(element, Async.class);
    }
}
