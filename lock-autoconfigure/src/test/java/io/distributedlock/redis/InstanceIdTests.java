/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstanceIdTests {

    private final InstanceId instance = new InstanceId();

    private static String id(InstanceId instance, long number) {
        RespArguments words = new RespArguments();
        instance.addAcquisition(words, number);
        ByteBuf buffer = Unpooled.buffer();
        words.writeTo(buffer);
        return buffer.toString(StandardCharsets.US_ASCII).split("\r\n", -1)[1];
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 35, 36, 1_000_000, Long.MAX_VALUE})
    void knowsItsOwnAcquisitions(long number) {
        String id = id(instance, number);

        assertThat(id).startsWith(instance.publicPart() + ".").matches("[\\w-]{8}\\.\\w+\\.[\\w-]{22}");
        assertThat(instance.number(id)).isEqualTo(number);
        assertThat(id(instance, number)).isEqualTo(id);
        assertThat(new InstanceId().number(id)).isEqualTo(-1);
    }

    /** Who has overheard an id can write down the number of the next one, but not its secret. */
    @Test
    void anIdDoesNotRevealTheNext() {
        Set<String> secrets = new HashSet<>();
        for (long number = 1; number <= 1_000; number++) {
            String id = id(instance, number);
            String secret = id.substring(id.lastIndexOf('.'));
            assertThat(secrets.add(secret)).isTrue();
            String forged = instance.publicPart() + '.' + Long.toString(number + 1, 36) + secret;
            assertThat(instance.number(forged)).isEqualTo(-1);
        }
    }

    @Test
    void knowsNoIdThatIsNotWholeOrWrittenOtherwise() {
        String id = id(instance, 36);
        assertThat(instance.number(id.replace(".10.", ".+10."))).isEqualTo(-1);
        assertThat(instance.number(id.replace(".10.", ".010."))).isEqualTo(-1);
        assertThat(instance.number(id.replace(".10.", ".."))).isEqualTo(-1);
        assertThat(instance.number(id.substring(0, id.lastIndexOf('.')))).isEqualTo(-1);
        for (int end = 0; end < id.length(); end++) {
            assertThat(instance.number(id.substring(0, end))).isEqualTo(-1);
        }
        assertThat(instance.number(id + "A")).isEqualTo(-1);
    }

    /** The example of those who made SipHash: the key 00 01 … 0f, the message 00 01 … 07. */
    @Test
    void theHashIsSipHash24() {
        SipHash hash = new SipHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

        assertThat(hash.hash(0x0706050403020100L)).isEqualTo(0x93f5f5799a932462L);
    }
}
