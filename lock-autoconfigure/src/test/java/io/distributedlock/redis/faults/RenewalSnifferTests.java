/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.redis.ScriptText;
import io.distributedlock.redis.history.Renewal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** However the bytes come in, each renewal is seen once. */
class RenewalSnifferTests {

    private static final String SCRIPT = ScriptText.of("renew.lua");

    private final List<Renewal> renewals = new ArrayList<>();

    private final RenewalSniffer tap = new RenewalSniffer("a", renewals::add);

    private static byte[] command(String... words) {
        StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            text.append('$')
                    .append(word.getBytes(StandardCharsets.UTF_8).length)
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void assertSeen(String... locks) {
        assertThat(renewals).extracting(Renewal::lock).containsExactly(locks);
        assertThat(renewals).extracting(Renewal::jvm).containsOnly("a");
    }

    @Test
    void byHashCutAnywhere() throws Exception {
        byte[] script = SCRIPT.getBytes(StandardCharsets.UTF_8);
        String hash =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(script));
        byte[] bytes = command("EVALSHA", hash, "2", "lock:{x}", "lock:{y}", "id", "1000", "1", "0");
        for (int i = 1; i < bytes.length; i++) {
            renewals.clear();
            tap.read(bytes, i);
            byte[] rest = Arrays.copyOfRange(bytes, i, bytes.length);
            tap.read(rest, rest.length);
            assertSeen("x", "y");
        }
    }

    @Test
    void byTextAmongOthers() throws IOException {
        byte[] other = command("EVALSHA", "of another script", "1", "lock:{x}");
        byte[] bytes = command("EVAL", SCRIPT, "1", "lock:{z}");
        tap.read(other, other.length);
        tap.read(bytes, bytes.length);
        tap.read(other, other.length);
        assertSeen("z");
    }
}
