package io.distributedlock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A script beside this class. Called by its hash; Redis is told the text when it does not know the hash. */
final class LuaScript {

    private final String text;

    private final String sha;

    LuaScript(String file) {
        this.text = read(file);
        this.sha = sha1(text);
    }

    String text() {
        return text;
    }

    String sha() {
        return sha;
    }

    private static String read(String file) {
        try (InputStream in = LuaScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The script " + file + " is missing from the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String sha1(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-1");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException("Every Java platform has SHA-1", ex);
        }
    }
}
