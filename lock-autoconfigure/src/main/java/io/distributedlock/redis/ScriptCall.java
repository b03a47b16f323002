package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call of a script, and the future of its answer in one object, as there is one for every command. Sends the script's
 * hash, then its text if Redis does not know it. Cancelling it keeps the command from being written if it was not yet.
 */
final class ScriptCall<T> extends CompletableFuture<T>
        implements BiConsumer<@Nullable List<Object>, @Nullable Throwable> {

    private final RedisScriptingAsyncCommands<String, String> redis;

    private final LuaScript script;

    private final String[] keys;

    private final String[] arguments;

    private final Function<List<Object>, T> read;

    private volatile @Nullable RedisFuture<?> sent;

    private boolean byText;

    ScriptCall(
            RedisScriptingAsyncCommands<String, String> redis,
            LuaScript script,
            String[] keys,
            String[] arguments,
            Function<List<Object>, T> read) {
        this.redis = redis;
        this.script = script;
        this.keys = keys;
        this.arguments = arguments;
        this.read = read;
    }

    ScriptCall<T> send() {
        try {
            follow(redis.evalsha(script.sha(), ScriptOutputType.MULTI, keys, arguments));
        } catch (RuntimeException ex) {
            completeExceptionally(LettuceFailures.translate(ex));
        }
        return this;
    }

    private void follow(RedisFuture<List<Object>> command) {
        sent = command;
        command.whenComplete(this);
    }

    @Override
    public void accept(@Nullable List<Object> reply, @Nullable Throwable failure) {
        if (failure instanceof RedisNoScriptException && !byText && !isDone()) {
            byText = true;
            follow(redis.eval(script.text(), ScriptOutputType.MULTI, keys, arguments));
        } else if (failure != null) {
            completeExceptionally(LettuceFailures.translate(failure));
        } else {
            read(reply == null ? List.of() : reply);
        }
    }

    private void read(List<Object> reply) {
        try {
            complete(read.apply(reply));
        } catch (RuntimeException ex) {
            completeExceptionally(new LeaseStoreException(Effect.UNKNOWN, "Redis gave an answer that is none", ex));
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        RedisFuture<?> command = sent;
        if (cancelled && command != null) {
            command.cancel(false);
        }
        return cancelled;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
