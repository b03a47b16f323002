package io.distributedlock.redis;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A script beside this class. Called by its hash; Redis is told the text when it does not know the hash. */
final class LuaScript {

    private final String text;

    private final String sha;

    LuaScript(String file) {
        this.text = read(file);
        this.sha = sha1(text);
    }

    /** Runs it. The answer is a list of numbers or strings. */
    CompletableFuture<List<Object>> run(
            RedisScriptingAsyncCommands<String, String> redis, String[] keys, String... arguments) {
        CompletableFuture<List<Object>> answer = redis.<List<Object>>evalsha(
                        sha, ScriptOutputType.MULTI, keys, arguments)
                .toCompletableFuture();
        CompletableFuture<List<Object>> result = new CompletableFuture<>();
        answer.whenComplete((reply, failure) -> {
            if (failure instanceof RedisNoScriptException) {
                redis.<List<Object>>eval(text, ScriptOutputType.MULTI, keys, arguments)
                        .whenComplete((second, secondFailure) -> complete(result, second, secondFailure));
            } else {
                complete(result, reply, failure);
            }
        });
        result.whenComplete((reply, failure) -> {
            if (result.isCancelled()) {
                answer.cancel(false);
            }
        });
        return result;
    }

    private static void complete(
            CompletableFuture<List<Object>> result, @Nullable List<Object> reply, @Nullable Throwable failure) {
        if (failure != null) {
            result.completeExceptionally(LettuceFailures.translate(failure));
        } else {
            result.complete(reply == null ? List.of() : reply);
        }
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
