package io.distributedlock.interceptor;

import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;

/** Selects the locked methods, and never those of the machinery that locks them. */
final class LockPointcut extends StaticMethodMatcherPointcut {

    private final LockOperationSource source;

    LockPointcut(LockOperationSource source) {
        this.source = source;
        setClassFilter(new CandidateFilter());
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return source.get(method, targetClass) != null;
    }

    /** Whether a class may have locked methods at all. */
    static boolean isCandidate(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, DistributedLocked.class)
                && !LockOperations.class.isAssignableFrom(type)
                && !isRedis(type.getName());
    }

    private static boolean isRedis(String className) {
        return className.startsWith("org.springframework.data.redis.") || className.startsWith("io.lettuce.");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || other instanceof LockPointcut that && source == that.source;
    }

    @Override
    public int hashCode() {
        return source.hashCode();
    }

    @Override
    public String toString() {
        return "methods with @DistributedLocked";
    }

    private static final class CandidateFilter implements ClassFilter {

        @Override
        public boolean matches(Class<?> type) {
            return isCandidate(type);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof CandidateFilter;
        }

        @Override
        public int hashCode() {
            return CandidateFilter.class.hashCode();
        }

        @Override
        public String toString() {
            return "classes that may have @DistributedLocked";
        }
    }
}
