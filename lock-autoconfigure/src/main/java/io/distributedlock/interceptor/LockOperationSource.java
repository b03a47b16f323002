package io.distributedlock.interceptor;

import io.distributedlock.annotation.DistributedLocked;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * What is known of each method in each target class, including that it is not locked. What is nearest to the target
 * counts: its method, its class, then the method of the interface, and the interface. A class stands for the methods that it
 * inherits, too.
 */
final class LockOperationSource {

    private final Map<MethodClassKey, Optional<LockOperation>> operations = new ConcurrentHashMap<>();

    private final LockAnnotationParser parser;

    LockOperationSource(LockAnnotationParser parser) {
        this.parser = parser;
    }

    /**
     * The operation of a method, or null if it is not locked.
     *
     * @throws InvalidLockedMethodException if its annotation cannot be followed
     */
    @Nullable
    LockOperation get(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        Optional<LockOperation> known = operations.get(key);
        if (known == null) {
            known = ofTarget(method, ClassUtils.getUserClass(targetClass));
            operations.put(key, known);
        }
        return known.orElse(null);
    }

    /** The same for a method of an interface and for that of the target, so that the start finds it for both. */
    private Optional<LockOperation> ofTarget(Method method, Class<?> targetClass) {
        Method specific = LockedMethod.isGenerated(targetClass)
                ? ClassUtils.getInterfaceMethodIfPossible(method, targetClass)
                : AopUtils.getMostSpecificMethod(method, targetClass);
        MethodClassKey key = new MethodClassKey(specific, targetClass);
        Optional<LockOperation> known = operations.get(key);
        if (known == null) {
            known = Optional.ofNullable(compute(specific, targetClass));
            operations.put(key, known);
        }
        return known;
    }

    private @Nullable LockOperation compute(Method specific, Class<?> targetClass) {
        if (Modifier.isPrivate(specific.getModifiers()) || Modifier.isStatic(specific.getModifiers())) {
            return null;
        }
        Method declared = ClassUtils.getInterfaceMethodIfPossible(specific, targetClass);
        LockedMethod where = new LockedMethod(specific, declared, targetClass);
        try {
            MergedAnnotation<DistributedLocked> found = find(specific, declared, targetClass);
            return found.isPresent() ? parse(found, where) : null;
        } catch (AnnotationConfigurationException ex) {
            throw where.refuse(String.valueOf(ex.getMessage()), "Correct the attributes of the annotation.");
        }
    }

    private LockOperation parse(MergedAnnotation<DistributedLocked> found, LockedMethod where) {
        return parser.parse(
                found.synthesize(), found.getSource() instanceof Method source ? where.declaredBy(source) : where);
    }

    private static MergedAnnotation<DistributedLocked> find(Method specific, Method declared, Class<?> targetClass) {
        Class<?> type = LockedMethod.isGenerated(targetClass) ? annotatedInterface(specific, targetClass) : targetClass;
        return Stream.<Supplier<MergedAnnotation<DistributedLocked>>>of(
                        () -> on(specific, SearchStrategy.SUPERCLASS),
                        () -> onClass(specific, type, SearchStrategy.SUPERCLASS),
                        () -> on(specific, SearchStrategy.TYPE_HIERARCHY),
                        () -> on(declared, SearchStrategy.TYPE_HIERARCHY),
                        () -> onClass(specific, type, SearchStrategy.TYPE_HIERARCHY))
                .map(Supplier::get)
                .filter(MergedAnnotation::isPresent)
                .findFirst()
                .orElseGet(() -> onClass(declared, declared.getDeclaringClass(), SearchStrategy.TYPE_HIERARCHY));
    }

    private static MergedAnnotation<DistributedLocked> onClass(Method method, Class<?> type, SearchStrategy strategy) {
        return isOfClass(method) ? on(type, strategy) : MergedAnnotation.missing();
    }

    /** The interface of a generated class that is annotated and has the method, be it by inheritance. */
    private static Class<?> annotatedInterface(Method method, Class<?> generated) {
        for (Class<?> type : ClassUtils.getAllInterfacesForClass(generated)) {
            if (method.getDeclaringClass().isAssignableFrom(type)
                    && on(type, SearchStrategy.TYPE_HIERARCHY).isPresent()) {
                return type;
            }
        }
        return method.getDeclaringClass();
    }

    private static MergedAnnotation<DistributedLocked> on(AnnotatedElement element, SearchStrategy strategy) {
        return MergedAnnotations.from(element, strategy).get(DistributedLocked.class);
    }

    /** Whether an annotation on the class means this method: not {@code toString()}, nor what a compiler has added. */
    private static boolean isOfClass(Method method) {
        return ClassUtils.isUserLevelMethod(method) && !ReflectionUtils.isObjectMethod(method);
    }
}
