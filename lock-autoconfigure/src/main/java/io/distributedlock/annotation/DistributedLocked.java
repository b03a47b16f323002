/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.annotation;

import io.distributedlock.LockMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs the method under a distributed lock: one call of a lock name at a time, across all instances that use the same
 * Redis.
 *
 * <p>The lock is acquired before the method, renewed while it runs, and released when it has returned or thrown. The
 * lock encloses {@code @Transactional}, so the transaction is committed before the lock is released, and is inside
 * retries, so each attempt acquires it anew. A nested call of the same caller for the same name is a re-entry and costs
 * no command.
 *
 * <p>On a class or interface, it applies to all methods that a proxy can intercept, inherited ones included, those of
 * {@link Object} and those by which the container manages the bean excluded. An annotation on a method, also on one
 * that it implements or overrides, replaces that of the class; but as with {@code @Transactional}, a class that
 * declares the method without implementing the interface has priority over the method of that interface. Without a
 * {@link #key()}, each of these methods has a lock of its own; for one lock for the whole class, give it a fixed key,
 * as in {@code "'import'"}. {@link None} excludes a method. It may be used as a meta-annotation, and several times on
 * one method. An annotation on a private, static or final method, a final method of an annotated class, an invalid
 * expression, or an invalid duration fails the start-up of the application. As with every Spring proxy, calls through
 * {@code this} are not intercepted; {@link io.distributedlock.LockAssert} detects them.
 *
 * <p>Durations are written {@code "30s"}, {@code "500ms"}, {@code "PT30S"} or {@code "${some.property}"}. An attribute
 * whose placeholders resolve to an empty text, as {@code "${some.property:}"} can, has its default.
 *
 * @since 0.1.0
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(DistributedLocked.List.class)
public @interface DistributedLocked {

    /** {@return alias for {@link #key()}} */
    @AliasFor("key")
    String value() default "";

    /**
     * SpEL expression of the key, e.g. {@code "#order.id"} or {@code "'stock:' + #p0"}. It knows the parameters by name
     * and as {@code #p0}, {@code #a0}, the call as {@code #root.method}, {@code #root.target} and {@code #root.args},
     * and beans as {@code @bean}. Strings, numbers, UUIDs and similar values are names by their text, constants of
     * enums by their {@link Enum#name()}, time zones by their id, and addresses ({@link java.net.InetAddress}) by their
     * numbers. Equal moments have the same text in every time zone, and equal {@link java.math.BigDecimal} values in
     * every scale; this and the names of constants apply also in collections, arrays, maps, {@link java.util.Optional
     * Optionals} and records. A set or map in a concatenated text or in a record is sorted, since its order may be
     * another one in each process. In a native image, this does not apply to the components of a record. What is inside
     * other objects has the text of their {@code toString()}. An Optional or
     * {@link java.util.concurrent.atomic.AtomicReference} stands for its content. For a collection, array or stream of
     * such values, each is a lock, and they are acquired all or none; a stream is read and closed. An empty expression
     * is the method itself: its class, or of a generated bean, such as a repository, its interface, the name and the
     * parameter types. {@code ${…}} is allowed.
     *
     * <p>A result or element that is a map, or an element that is a collection or array, is refused with an
     * {@link IllegalArgumentException}. One that is null or blank is refused likewise, without running the method, and
     * so is one that contains itself, or no value, as an empty Optional. The same applies to NaN, an infinite number, a
     * publisher, a buffer of bytes or numbers, and a value without a meaningful {@code toString()}
     * ({@code Type@1b2c3d}), also inside a record or collection. In a concatenated text, null is the text {@code null}:
     * {@code "#a + ':' + #b"} makes {@code a:null}; an empty Optional is refused there too. The values of parameters
     * are never parsed as expressions.
     *
     * @return the expression; empty for the method itself
     */
    @AliasFor("value")
    String key() default "";

    /**
     * Fixed prefix of the lock name, {@code ${…}} allowed: the lock name is then {@code name:key}. A colon or backslash
     * in it is escaped by a backslash, so that two different names never make the same lock name, whatever the keys
     * are. A key without a name is not escaped: the key {@code "'a:b'"} alone is the lock {@code a:b}, and so is the
     * name {@code a} with the key {@code "'b'"}.
     *
     * @return the prefix; empty for none
     */
    String name() default "";

    /**
     * How long Redis keeps the lock if this process dies. While the method runs, it is renewed every third of it.
     *
     * @return the duration, from 10 ms to 365 days; empty for {@code distributed-lock.lease}
     */
    String lease() default "";

    /**
     * How long a call waits for the lock. With several annotations on the method, the waits of all begin together, with
     * the call. (It is not called {@code wait}, since Java allows no annotation attribute that would override
     * {@link Object#wait()}.)
     *
     * @return the duration: {@code "0"} tries once, a negative time waits without limit; empty for
     *     {@code distributed-lock.wait}
     */
    String waitUpTo() default "";

    /**
     * Whether the lease is renewed while the method runs. If not, the lock is lost when the lease ends. Together with a
     * {@link #maxHold()}, {@code false} fails the start-up.
     *
     * @return true by default
     */
    boolean renew() default true;

    /**
     * The maximum time of the hold, after which it is lost although the method still runs. Of several keys, it begins
     * when the last lock is granted; of several annotations, for each lock with its own grant.
     *
     * @return a duration of at least 10 ms; empty for {@code distributed-lock.max-hold}, which sets no limit by default
     */
    String maxHold() default "";

    /**
     * The lock becomes free no earlier than this time after the grant, also for other callers of the same instance. The
     * method does not wait for it: its release shortens the lease to the rest of that time. A re-entry does not change
     * it.
     *
     * @return a positive duration of at most 365 days, no longer than the maximum time of the hold by
     *     {@link #maxHold()} or the property, or than a {@link #lease()} that is not renewed; empty for none
     */
    String minHold() default "";

    /**
     * Bean name of a {@link io.distributedlock.LockKeyGenerator} that generates the key; {@code ${…}} allowed. Together
     * with a {@link #key()} it fails the start-up.
     *
     * @return the name of the bean; empty for {@link #key()}
     */
    String keyGenerator() default "";

    /**
     * Which callers may hold the lock at the same time. {@link LockMode#SHARED} allows calls that only read to run
     * together, and excludes calls in the mode {@link LockMode#EXCLUSIVE}. Together with {@code minHold} it fails the
     * start-up.
     *
     * @return the mode, {@link LockMode#EXCLUSIVE} by default
     */
    LockMode mode() default LockMode.EXCLUSIVE;

    /**
     * SpEL expression like {@link #key()} that is true or false. If it is false, the method runs without lock. Any
     * other result is refused with an {@link IllegalArgumentException}, and the method is not run.
     *
     * @return the expression; empty for always locked
     */
    String condition() default "";

    /**
     * Name of a method that is called instead when the lock is busy and the wait is over: of the same bean, or of
     * another one as {@code "bean::method"}, which must not be private; {@code ${…}} allowed. It has the same
     * parameters, optionally followed by the exception, and the same return type; of several overloads, the most
     * specific one is called. It runs without the lock, and only instead of
     * {@link io.distributedlock.LockNotAcquiredException}: it is not called if Redis does not reply. With several
     * annotations on the method, it runs without any of their locks. An invalid fallback fails the start-up, and so
     * does a fallback together with {@code whenBusy = SKIP}.
     *
     * @return the name of the method; empty for none
     */
    String fallback() default "";

    /**
     * Bean name of the {@link io.distributedlock.LockOperations} to use, {@code ${…}} allowed.
     *
     * @return the name of the bean; empty for the primary one
     */
    String operations() default "";

    /**
     * What a call does when another caller holds the lock and the wait is over.
     *
     * @return {@link WhenBusy#THROW} by default
     */
    WhenBusy whenBusy() default WhenBusy.THROW;

    /**
     * What a call does when its lock was lost while the method ran.
     *
     * @return {@link WhenLost#THROW} by default
     */
    WhenLost whenLost() default WhenLost.THROW;

    /**
     * Whether a nested call of the same caller, or a later call in a transaction that keeps the lock, may enter again.
     * If not, it is refused at once with {@link io.distributedlock.LockNotAcquiredException}.
     *
     * @return true by default
     */
    boolean reentrant() default true;

    /** The method is not locked, although its class or a more distant method or type has the annotation. */
    @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @interface None {}

    /**
     * Several locks around one method, which runs under all of them or not at all. They are acquired in the order of
     * their names, which is the same for all callers, and released in the reverse order. The wait of each annotation
     * begins with the call.
     */
    @Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @Documented
    @interface List {

        /** {@return the locks, in any order} */
        DistributedLocked[] value();
    }
}
