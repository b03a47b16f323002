/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.Buffer;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.util.ClassUtils;

/** Converts the value of a key to text, or reports why the text would not always identify the same object. */
final class LockKeyConverter {

    private static final int MOST_ZEROS = 100;

    private static final boolean PUBLISHERS =
            ClassUtils.isPresent("org.reactivestreams.Publisher", LockKeyConverter.class.getClassLoader());

    private LockKeyConverter() {}

    /** @throws IllegalArgumentException with a reason that completes "the key …" and never contains the value */
    static String of(@Nullable Object value) {
        Object content = contentOf(value);
        if (content == null) {
            throw new IllegalArgumentException("is null or an empty Optional or AtomicReference");
        }
        refuseSeveral(content);
        refuseNotFinite(content);
        String text = textOf(content);
        if (text.isBlank()) {
            throw new IllegalArgumentException("is blank");
        }
        return text;
    }

    /** The text of one value, also as a part of a key that consists of several. */
    static String textOf(Object value) {
        if (value instanceof CharSequence) {
            return value.toString();
        }
        refuseBuffer(value);
        String canonical = canonical(value);
        return canonical != null ? canonical : requireOwn(StableText.of(value).toString(), value);
    }

    /**
     * The text of a value whose own text depends on the time zone of the process, on the notation of a number, or on
     * how an address was found, and the name of a constant; null for all others. Equal moments, numbers and addresses
     * have equal texts.
     */
    static @Nullable String canonical(Object value) {
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        if (value instanceof BigDecimal number) {
            return plain(number.stripTrailingZeros());
        }
        if (value instanceof Date moment) {
            return ofDate(moment);
        }
        if (value instanceof Calendar moment) {
            return moment.toInstant().toString();
        }
        if (value instanceof ZonedDateTime moment) {
            return moment.toInstant().toString();
        }
        if (value instanceof OffsetDateTime moment) {
            return moment.toInstant().toString();
        }
        if (value instanceof InetAddress address) {
            return ofAddress(address);
        }
        if (value instanceof InetSocketAddress address) {
            return ofAddress(address);
        }
        return value instanceof TimeZone zone ? zone.getID() : null;
    }

    /** Without the name of the host and the zone of the address, which {@link InetAddress#equals} ignores too. */
    private static String ofAddress(InetAddress address) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }

    private static String ofAddress(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        String shown = host == null ? address.getHostString().toLowerCase(Locale.ROOT) : ofAddress(host);
        return (shown.indexOf(':') < 0 ? shown : '[' + shown + ']') + ':' + address.getPort();
    }

    /** Types of java.sql with only a date or only a time represent no moment, and their text has no zone. */
    private static @Nullable String ofDate(Date date) {
        try {
            return date.toInstant().toString();
        } catch (UnsupportedOperationException ex) {
            return null;
        }
    }

    /** Never writes out the zeros of 1E+999999999. */
    private static String plain(BigDecimal number) {
        return Math.abs((long) number.scale()) <= MOST_ZEROS ? number.toPlainString() : number.toString();
    }

    /**
     * Refuses a text that is only the identity of an object, and so differs in every instance and call, and a
     * publisher.
     */
    static String requireOwn(@Nullable String text, Object value) {
        refusePublisher(value);
        String buffer = text == null ? null : IdentityText.bufferIn(text);
        if (buffer != null) {
            throw new IllegalArgumentException("has no meaningful text: that of " + buffer + " is only its position");
        }
        String anonymous =
                text == null || isIdentity(text, value) ? value.getClass().getName() : IdentityText.typeIn(text, value);
        if (text == null || anonymous != null) {
            throw new IllegalArgumentException(
                    "has no meaningful text: " + anonymous + " does not override toString()");
        }
        return text;
    }

    /**
     * The content of an Optional or AtomicReference, also of one inside of another, or the value itself if it is none;
     * null without a content.
     */
    static @Nullable Object contentOf(@Nullable Object value) {
        Object content = value;
        for (int depth = 0; content != null && isContainer(content); depth++) {
            StableText.requireEnd(depth);
            content = inside(content);
        }
        return content;
    }

    private static boolean isContainer(Object value) {
        return value instanceof Optional<?>
                || value.getClass() == AtomicReference.class
                || value instanceof OptionalLong
                || value instanceof OptionalInt
                || value instanceof OptionalDouble;
    }

    private static @Nullable Object inside(Object container) {
        if (container instanceof AtomicReference<?> reference) {
            return reference.get();
        }
        if (container instanceof OptionalLong optional) {
            return optional.isPresent() ? (Object) optional.getAsLong() : null;
        }
        if (container instanceof OptionalInt optional) {
            return optional.isPresent() ? (Object) optional.getAsInt() : null;
        }
        if (container instanceof OptionalDouble optional) {
            return optional.isPresent() ? (Object) optional.getAsDouble() : null;
        }
        return ((Optional<?>) container).orElse(null);
    }

    /** Refuses a component of a record, or an element, whose text would not identify it. */
    static void refuseInside(Object value) {
        refuseBuffer(value);
        refusePublisher(value);
        Object number = value instanceof OptionalDouble ? inside(value) : value;
        if (number != null) {
            refuseNotFinite(number);
        }
    }

    /** Its text is the same for all of its kind. */
    private static void refusePublisher(Object value) {
        if (PUBLISHERS && Publishers.contain(value)) {
            throw new IllegalArgumentException("is or contains a publisher ("
                    + value.getClass().getName() + "), whose value is not known at the call");
        }
    }

    /** Its text is its position, and a conversion of Spring would read it and so move its position. */
    static void refuseBuffer(Object value) {
        if (value instanceof Buffer && !(value instanceof CharSequence)) {
            throw new IllegalArgumentException(
                    "is or contains a buffer (" + value.getClass().getName() + "), which makes no lock name");
        }
    }

    /** Collections and arrays that are not inside of another value have been taken apart before. */
    private static void refuseSeveral(Object value) {
        boolean isMap = value instanceof Map<?, ?>;
        if (isMap || value instanceof Collection<?> || value.getClass().isArray()) {
            throw new IllegalArgumentException((isMap ? "is a map (" : "is a collection or array in another value (")
                    + value.getClass().getTypeName() + "), which makes no lock name");
        }
    }

    private static void refuseNotFinite(Object value) {
        if (value instanceof Number number
                && (value instanceof Double || value instanceof Float)
                && !Double.isFinite(number.doubleValue())) {
            throw new IllegalArgumentException("is or contains a number that is not finite");
        }
    }

    private static boolean isIdentity(String text, Object value) {
        int at = text.lastIndexOf('@');
        return at > 0
                && text.startsWith(value.getClass().getName())
                && text.equals(value.getClass().getName() + "@" + Integer.toHexString(value.hashCode()));
    }

    /** Needs Reactive Streams. */
    private static final class Publishers {

        static boolean contain(Object value) {
            return value instanceof Publisher;
        }
    }
}
