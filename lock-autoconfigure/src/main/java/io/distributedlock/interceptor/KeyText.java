package io.distributedlock.interceptor;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Makes text of the value of a key, or says why that would not name the same thing every time. */
final class KeyText {

    private KeyText() {}

    /** @throws IllegalArgumentException with a reason that completes "the key …" and never contains the value */
    static String of(@Nullable Object value) {
        Object content = unwrap(value);
        if (content == null) {
            throw new IllegalArgumentException("is null or an empty Optional");
        }
        refuseSeveral(content);
        refuseNotFinite(content);
        String text = textOf(content);
        if (text.isBlank()) {
            throw new IllegalArgumentException("is blank");
        }
        return text;
    }

    /** The text of one value, also as a part of a key that is put together from several. */
    static String textOf(Object value) {
        if (value instanceof CharSequence) {
            return value.toString();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        return requireOwn(value.toString(), value);
    }

    /** Refuses a text that only tells which object it is, and so another one in every instance and call. */
    static String requireOwn(@Nullable String text, Object value) {
        if (text == null || isIdentity(text, value)) {
            throw new IllegalArgumentException(
                    "has no text of its own: " + value.getClass().getName() + " does not override toString()");
        }
        return text;
    }

    private static @Nullable Object unwrap(@Nullable Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.orElse(null);
        }
        if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? (Object) optional.getAsLong() : null;
        }
        if (value instanceof OptionalInt optional) {
            return optional.isPresent() ? (Object) optional.getAsInt() : null;
        }
        if (value instanceof OptionalDouble optional) {
            return optional.isPresent() ? (Object) optional.getAsDouble() : null;
        }
        return value;
    }

    private static void refuseSeveral(Object value) {
        if (value instanceof Collection<?>
                || value instanceof Map<?, ?>
                || value.getClass().isArray()) {
            throw new IllegalArgumentException("is a collection or array ("
                    + value.getClass().getTypeName() + "), and a method is locked by one value");
        }
    }

    private static void refuseNotFinite(Object value) {
        if (value instanceof Number number
                && (value instanceof Double || value instanceof Float)
                && !Double.isFinite(number.doubleValue())) {
            throw new IllegalArgumentException("is not a finite number");
        }
    }

    private static boolean isIdentity(String text, Object value) {
        int at = text.lastIndexOf('@');
        return at > 0
                && text.startsWith(value.getClass().getName())
                && text.equals(value.getClass().getName() + "@" + Integer.toHexString(value.hashCode()));
    }
}
