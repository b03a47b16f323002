/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.Seeds;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is written for a command is what Lettuce would write. */
class RespArgumentsTests {

    private static final long[] NUMBERS = {0, 1, 9, 10, 99, 100, 35, 36, 1_295, 1_296, 30_000, Long.MAX_VALUE};

    private final RespArguments words = new RespArguments();

    private final CommandArgs<String, String> expected = new CommandArgs<>(StringCodec.UTF8);

    private void agree() {
        assertThat(text(words::writeTo)).isEqualTo(text(expected::encode));
        assertThat(words.count()).isEqualTo(expected.count());
    }

    private static String text(Consumer<ByteBuf> writing) {
        ByteBuf buffer = Unpooled.buffer();
        writing.accept(buffer);
        return buffer.toString(StandardCharsets.UTF_8);
    }

    @Test
    void wordsOfAnyLengthAndAlphabet() {
        long seed = Seeds.of("words.seed");
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            String word = word(random, random.nextInt(random.nextInt(300) + 1));
            words.add(word);
            expected.add(word);
        }
        agree();
    }

    /** Without halves of surrogate pairs. */
    private static String word(Random random, int length) {
        int highest = random.nextBoolean() ? 0x7F : random.nextBoolean() ? 0xD000 : 0x10_FFFF;
        return random.ints(length, 0, highest)
                .filter(c -> c < 0xD800 || c > 0xDFFF)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @Test
    void wordsOfSeveralParts() {
        words.add("lock:{", "name", "}").add("lock:{", "größe", "}cancelled").add("ä", "", "");
        expected.add("lock:{name}").add("lock:{größe}cancelled").add("ä");

        agree();
    }

    @Test
    void numbers() {
        for (long number : NUMBERS) {
            words.add(number).add("id.", number, 36);
            expected.add(Long.toString(number)).add("id." + Long.toString(number, 36));
        }
        agree();
    }
}
