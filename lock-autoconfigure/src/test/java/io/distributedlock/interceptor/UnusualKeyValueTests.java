/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distributedlock.LockRequest;
import io.distributedlock.interceptor.KeyValueTests.Named;
import io.distributedlock.interceptor.KeyValueTests.Plain;
import io.distributedlock.interceptor.KeyValueTests.Work;
import io.distributedlock.interceptor.KeyValueTests.Wrapper;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.Type;
import org.springframework.beans.BeanUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Buffers, constants with a text of their own, and values that contain themselves. */
class UnusualKeyValueTests {

    private final RecordingLocks locks = new RecordingLocks();

    private final Work work = LockedProxies.by(locks).byClass(new Work());

    static Stream<Object> buffers() {
        ByteBuffer buffer = ByteBuffer.wrap(new byte[] {0, 1, 2}, 1, 2);
        return Stream.of(
                buffer,
                buffer.slice(),
                ByteBuffer.allocateDirect(2),
                buffer.asReadOnlyBuffer(),
                IntBuffer.allocate(2),
                Optional.of(buffer),
                new Wrapper("acme", buffer),
                new Wrapper("acme", List.of(buffer)),
                new AtomicReference<>(new Named("a " + buffer)),
                Map.of("a", buffer));
    }

    /** Two with the same content may have two texts, and two with different contents the same. */
    @ParameterizedTest
    @MethodSource("buffers")
    void refusesTheTextOfABuffer(Object value) {
        for (Throwable thrown :
                List.of(catchThrowable(() -> work.any(value)), catchThrowable(() -> work.concatenated(value)))) {
            assertThat(thrown).isExactlyInstanceOf(IllegalArgumentException.class);
        }
        assertThat(catchThrowable(() -> work.concatenated(List.of(value))))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.nio.");
        assertThat(locks.events()).isEmpty();
    }

    /** A conversion of Spring would read it to its end, where the method finds nothing more. */
    @Test
    void leavesABufferAtItsPosition() {
        ByteBuffer buffer = ByteBuffer.wrap(new byte[] {0, 1, 2}, 1, 2);
        assertThat(catchThrowable(() -> work.concatenated(buffer))).isNotNull();
        assertThat(catchThrowable(() -> work.concatenated(List.of(buffer)))).isNotNull();
        assertThat(buffer.remaining()).isEqualTo(2);
    }

    @Test
    void takesTheContentOfABufferThatIsItsText() {
        work.any(CharBuffer.wrap("abcd", 1, 3));
        work.concatenated(new Wrapper("acme", CharBuffer.wrap("abcd", 1, 3)));
        work.concatenated(new Blob(ByteBuffer.allocate(2)));
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly("bc", "v:Wrapper[tenant=acme, content=bc]", "v:2 bytes");
    }

    private record Blob(ByteBuffer content) {

        @Override
        public String toString() {
            return content.remaining() + " bytes";
        }
    }

    static Stream<Object> endless() {
        List<Object> list = new ArrayList<>();
        list.add(list);
        List<Object> mutual = new ArrayList<>(List.of(List.of("a")));
        mutual.add(new Wrapper("acme", Set.of(Optional.of(new AtomicReference<>(mutual)))));
        Map<Object, Object> map = new HashMap<>();
        map.put("a", map);
        Object[] array = new Object[1];
        array[0] = array;
        AtomicReference<Object> reference = new AtomicReference<>();
        reference.set(Optional.of(reference));
        AtomicReference<Object> itself = new AtomicReference<>();
        itself.set(itself);
        return Stream.of(list, mutual, map, array, reference, itself);
    }

    @ParameterizedTest
    @MethodSource("endless")
    void refusesAValueThatContainsItself(Object value) {
        for (Throwable thrown : List.of(
                catchThrowable(() -> work.concatenated(value)),
                catchThrowable(() -> work.any(new Wrapper("acme", value))))) {
            assertThat(thrown)
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("contains itself");
        }
        assertThat(catchThrowable(() -> work.any(value))).isExactlyInstanceOf(IllegalArgumentException.class);
        assertThat(locks.events()).isEmpty();
    }

    /** Each node leads to all others, so that there are more ways through them than anything could follow. */
    @Test
    void takesARecordInACycleThatWritesItsOwnText() {
        List<Object> nodes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            nodes.add(new Node("node " + i, nodes));
        }
        work.any(nodes.get(1));
        work.concatenated(new Wrapper("acme", nodes.get(2)));
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly("node 1", "v:Wrapper[tenant=acme, content=node 2]");
    }

    private record Node(String name, List<Object> others) {

        @Override
        public String toString() {
            return name;
        }
    }

    @Test
    void takesValuesThatAreDeepInOthers() {
        Object value = "a";
        for (int i = 0; i < 90; i++) {
            value = new Wrapper("acme", value);
        }
        work.any(value);
        assertThat(locks.name()).isEqualTo(value.toString());
    }

    static Stream<Arguments> constants() {
        return Stream.of(
                Arguments.of(Color.RED, "RED"),
                Arguments.of(Optional.of(Color.RED), "RED"),
                Arguments.of(new Wrapper("acme", Color.RED), "Wrapper[tenant=acme, content=RED]"),
                Arguments.of(
                        new Wrapper("acme", List.of(Optional.of(Color.RED))),
                        "Wrapper[tenant=acme, content=[Optional[RED]]]"),
                Arguments.of(
                        new Wrapper("acme", Map.of(Color.RED, Color.RED)), "Wrapper[tenant=acme, content={RED=RED}]"));
    }

    /** Its own text may be one for the reader, in another language in each process. */
    @ParameterizedTest
    @MethodSource("constants")
    void writesTheNameOfAConstantAlsoWithinOtherValues(Object value, String name) {
        work.any(value);
        work.concatenated(value);
        assertThat(locks.requests()).extracting(LockRequest::name).containsExactly(name, "v:" + name);
    }

    @Test
    void writesTheNameOfAConstantInACollectionThatBecomesText() {
        work.concatenated(List.of(Color.RED));
        work.concatenated(Map.of(Color.RED, Color.RED));
        work.concatenated(EnumSet.of(Color.RED));
        work.concatenated(new Color[] {Color.RED});
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly("v:RED", "v:{RED=RED}", "v:RED", "v:RED");
    }

    static Stream<Arguments> meaningless() {
        return Stream.of(
                Arguments.of(Double.NaN, "not finite"),
                Arguments.of(Float.POSITIVE_INFINITY, "not finite"),
                Arguments.of(OptionalDouble.of(Double.NaN), "not finite"),
                Arguments.of(Mono.just("a"), "a publisher (reactor.core.publisher.MonoJust)"),
                Arguments.of(Flux.empty(), "a publisher (reactor.core.publisher.FluxEmpty)"));
    }

    /** The text of a publisher is the same for all of its kind, and NaN is mostly the result of a mistake. */
    @ParameterizedTest
    @MethodSource("meaningless")
    void refusesNumbersThatAreNotFiniteAndPublishersAlsoWithinOtherValues(Object value, String reason) {
        for (Object key : List.of(
                value,
                new Wrapper("acme", value),
                new Wrapper("acme", List.of(value)),
                Optional.of(new Wrapper("acme", Map.of("a", value))),
                List.of(new Wrapper("acme", Optional.of(value))))) {
            assertThat(catchThrowable(() -> work.any(key)))
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(reason);
        }
        assertThat(catchThrowable(() -> work.concatenated(new Wrapper("acme", value))))
                .isExactlyInstanceOf(IllegalArgumentException.class);
        assertThat(locks.events()).isEmpty();
    }

    /** They are equal whether the name of the host is known or not. */
    @Test
    void writesEqualAddressesAlikeAlsoWithinOtherValues() throws UnknownHostException {
        byte[] four = {10, 0, 0, 7};
        byte[] six = {(byte) 0xFE, (byte) 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
        InetAddress named = InetAddress.getByAddress("till", four);
        InetAddress scoped = Inet6Address.getByAddress("till", six, 3);
        assertThat(named).isEqualTo(InetAddress.getByAddress(four));
        assertThat(scoped).isEqualTo(InetAddress.getByAddress(six));
        work.any(named);
        work.any(InetAddress.getByAddress(four));
        work.any(scoped);
        work.any(InetAddress.getByAddress(six));
        work.any(new InetSocketAddress(named, 80));
        work.any(new InetSocketAddress(scoped, 80));
        work.any(InetSocketAddress.createUnresolved("Till.Example", 80));
        work.concatenated(new Wrapper("acme", List.of(named, new InetSocketAddress(named, 80))));
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly(
                        "10.0.0.7",
                        "10.0.0.7",
                        "fe80:0:0:0:0:0:0:1",
                        "fe80:0:0:0:0:0:0:1",
                        "10.0.0.7:80",
                        "[fe80:0:0:0:0:0:0:1]:80",
                        "till.example:80",
                        "v:Wrapper[tenant=acme, content=[10.0.0.7, 10.0.0.7:80]]");
    }

    @Test
    void writesTheIdOfATimeZone() {
        work.any(TimeZone.getTimeZone("Asia/Tokyo"));
        work.any(new SimpleTimeZone(3_600_000, "One"));
        work.concatenated(new Wrapper("acme", TimeZone.getTimeZone("Asia/Tokyo")));
        assertThat(locks.requests())
                .extracting(LockRequest::name)
                .containsExactly("Asia/Tokyo", "One", "v:Wrapper[tenant=acme, content=Asia/Tokyo]");
    }

    static Stream<Arguments> identitiesInUnusualTexts() throws ReflectiveOperationException {
        Class<?> type = MethodHandles.lookup().defineClass(subclassOfPlain("io/distributedlock/interceptor/Schlüssel"));
        Object key = BeanUtils.instantiateClass(type);
        Plain plain = new Plain();
        return Stream.of(
                Arguments.of(new Wrapper("acme", key), type.getName()),
                Arguments.of(new Wrapper("acme", new ProxyFactory(key).getProxy()), type.getName()),
                Arguments.of(new Wrapper("acme", Array.newInstance(type, 0)), "[L" + type.getName() + ";"),
                Arguments.of(new Named("acme/" + plain), Plain.class.getName()),
                Arguments.of(new Named("7/" + plain), Plain.class.getName()),
                Arguments.of(new Named("/acme/7/" + plain + "/x"), Plain.class.getName()),
                Arguments.of(new Named(plain + "-x"), Plain.class.getName()),
                Arguments.of(new Named(plain + ".x"), Plain.class.getName()),
                Arguments.of(new Named("joe@cafe.de " + plain + "."), Plain.class.getName()));
    }

    /** Not in a file, whose name not every system could write. */
    private static byte[] subclassOfPlain(String name) {
        String plain = Type.getInternalName(Plain.class);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, plain, null);
        MethodVisitor constructor = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        constructor.visitVarInsn(Opcodes.ALOAD, 0);
        constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, plain, "<init>", "()V", false);
        constructor.visitInsn(Opcodes.RETURN);
        constructor.visitMaxs(0, 0);
        writer.visitEnd();
        return writer.toByteArray();
    }

    @ParameterizedTest
    @MethodSource("identitiesInUnusualTexts")
    void refusesAnIdentityWithAnyLettersAndNextToAnyText(Object value, String type) {
        for (Throwable thrown :
                List.of(catchThrowable(() -> work.any(value)), catchThrowable(() -> work.concatenated(value)))) {
            assertThat(thrown)
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("has no meaningful text")
                    .hasMessageContaining(type);
        }
        assertThat(locks.events()).isEmpty();
    }

    @Test
    void takesTextsThatOnlyLookLikeIdentities() {
        List<String> texts = List.of(
                "schlüssel@cafe.de", "acme/joe.smith@cafe-bar.de", "7@1f", "/@1f", "a/.@1f", "java.lang.Object/x@1f");
        texts.forEach(text -> work.any(new Named(text)));
        assertThat(locks.requests()).extracting(LockRequest::name).containsExactlyElementsOf(texts);
    }

    /** Looking at data takes time in proportion to its length. */
    @Test
    void looksThroughLongTextsWithAnyLetters() {
        for (String part : List.of("ü.", "a/", "7/", "[Lü", "ü@", "./", "\uD835\uDC00")) {
            Named value = new Named(part.repeat(60_000 / part.length()) + "@");
            KeyValueTests.assertTakesLittleTime(() -> work.any(value));
        }
        assertThat(locks.requests()).hasSize(7);
    }

    private enum Color {
        RED;

        @Override
        public String toString() {
            return "Rot";
        }
    }
}
