package io.distributedlock.redis;

import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LeaseStore.ReleaseReply.Outcome;
import io.distributedlock.engine.LeaseStoreException;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** The lease store in Redis: turns commands into calls of the scripts, and their answers back. */
final class LettuceLeaseStore implements LeaseStore {

    private static final Log log = LogFactory.getLog(LettuceLeaseStore.class);

    private static final LuaScript ACQUIRE = new LuaScript("acquire.lua");

    private static final LuaScript RELEASE = new LuaScript("release.lua");

    private static final LuaScript RENEW = new LuaScript("renew.lua");

    private static final LuaScript INSPECT = new LuaScript("inspect.lua");

    private final LockConnections connections;

    private final LockKeys keys;

    private final InstanceId instance;

    LettuceLeaseStore(LockConnections connections, LockKeys keys, InstanceId instance) {
        this.connections = connections;
        this.keys = keys;
        this.instance = instance;
    }

    @Override
    public CompletableFuture<AcquireReply> acquire(AcquireCommand command) {
        String entry = keys.entry(command.name());
        String[] both = {entry, keys.cancelled(entry)};
        Function<List<Object>, AcquireReply> read = reply -> acquired(command.name(), reply);
        String id = instance.acquisition(command.number());
        String lease = Long.toString(command.leaseMillis());
        String floor = Long.toString(command.floor());
        String queue = command.queue() ? "1" : "0";
        String owner = command.owner();
        if (owner == null) {
            return call(ACQUIRE, both, read, id, lease, floor, queue, keys.channelPrefix());
        }
        String again = command.reentrant() ? "1" : "0";
        return call(ACQUIRE, both, read, id, lease, floor, queue, keys.channelPrefix(), NameCodec.encode(owner), again);
    }

    private static AcquireReply acquired(String name, List<Object> reply) {
        if (reply.size() == 1) {
            return new AcquireReply.Granted(number(reply, 0), 0);
        }
        return switch ((int) number(reply, 0)) {
            case 1 -> new AcquireReply.Granted(number(reply, 1), (int) number(reply, 2));
            case 2 -> new AcquireReply.Reentered(number(reply, 1));
            case 3 -> new AcquireReply.Cancelled();
            default -> {
                if (number(reply, 4) == 1) {
                    log.warn("The entry of lock '" + name
                            + "' in Redis had no expiry, which no instance does. It has one"
                            + " again now. Keep other clients away from keys with the prefix of the locks.");
                }
                yield new AcquireReply.Busy(number(reply, 1), number(reply, 2) == 1, number(reply, 3));
            }
        };
    }

    @Override
    public CompletableFuture<ReleaseReply> release(ReleaseCommand command) {
        String entry = keys.entry(command.name());
        String id = instance.acquisition(command.number());
        String token = Long.toString(command.token());
        String floor = Long.toString(command.floor());
        Requeue requeue = command.requeue();
        if (requeue == null && command.tombstoneMillis() == 0) {
            String[] only = {entry};
            return call(RELEASE, only, LettuceLeaseStore::released, "id", id, token, floor, keys.channelPrefix());
        }
        return call(
                RELEASE,
                new String[] {entry, keys.cancelled(entry)},
                LettuceLeaseStore::released,
                "id",
                id,
                token,
                floor,
                keys.channelPrefix(),
                Long.toString(command.tombstoneMillis()),
                requeue == null ? "" : instance.acquisition(requeue.number()),
                requeue == null ? "0" : Long.toString(requeue.leaseMillis()));
    }

    private static ReleaseReply released(List<Object> reply) {
        Outcome outcome = outcome(reply);
        long token = reply.size() > 1 ? number(reply, 1) : 0;
        AcquireReply requeued = null;
        if (reply.size() > 4) {
            requeued = number(reply, 2) == 1
                    ? new AcquireReply.Granted(number(reply, 3), (int) number(reply, 4))
                    : new AcquireReply.Busy(number(reply, 3), true, token);
        }
        return new ReleaseReply(outcome, token, requeued);
    }

    private static Outcome outcome(List<Object> reply) {
        return switch ((int) number(reply, 0)) {
            case 1 -> Outcome.RELEASED;
            case 2 -> Outcome.TRANSFERRED;
            case 3 -> Outcome.LEFT_QUEUE;
            case 4 -> Outcome.STILL_HELD;
            case 0 -> Outcome.NOT_HELD;
            default -> Outcome.NOT_YOURS;
        };
    }

    @Override
    public CompletableFuture<ReleaseResult> releaseOwner(String name, String owner, long floor) {
        Function<List<Object>, ReleaseResult> result = reply -> switch (outcome(reply)) {
            case RELEASED, TRANSFERRED, LEFT_QUEUE -> ReleaseResult.RELEASED;
            case STILL_HELD -> ReleaseResult.STILL_HELD;
            case NOT_HELD -> ReleaseResult.NOT_HELD;
            case NOT_YOURS -> ReleaseResult.NOT_YOURS;
        };
        return release(name, result, "owner", NameCodec.encode(owner), floor);
    }

    @Override
    public CompletableFuture<Boolean> forceRelease(String name, long floor) {
        return release(name, reply -> outcome(reply) != Outcome.NOT_HELD, "force", "", floor);
    }

    private <T> CompletableFuture<T> release(
            String name, Function<List<Object>, T> read, String mode, String subject, long floor) {
        String[] only = {keys.entry(name)};
        return call(RELEASE, only, read, mode, subject, "0", Long.toString(floor), keys.channelPrefix());
    }

    @Override
    public CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
        String[] entries = new String[commands.size()];
        List<String> arguments = new ArrayList<>(4 * entries.length);
        for (int i = 0; i < entries.length; i++) {
            RenewCommand command = commands.get(i);
            entries[i] = keys.entry(command.name());
            arguments.add(instance.acquisition(command.number()));
            arguments.add(Long.toString(command.leaseMillis()));
            arguments.add(Long.toString(command.token()));
            arguments.add(command.mayShorten() ? "1" : "0");
        }
        return call(RENEW, entries, LettuceLeaseStore::renewed, arguments.toArray(String[]::new));
    }

    private static List<RenewReply> renewed(List<Object> reply) {
        List<RenewReply> replies = new ArrayList<>(reply.size() / 3);
        for (int i = 0; i < reply.size(); i += 3) {
            replies.add(new RenewReply(number(reply, i) == 1, number(reply, i + 1), (int) number(reply, i + 2)));
        }
        return replies;
    }

    @Override
    public CompletableFuture<Optional<LockState>> inspect(String name) {
        return call(INSPECT, new String[] {keys.entry(name)}, reply -> state(name, reply));
    }

    private static Optional<LockState> state(String name, List<Object> reply) {
        if (reply.isEmpty()) {
            return Optional.empty();
        }
        String owner = reply.get(0).toString();
        if (owner.startsWith("=")) {
            String decoded = NameCodec.decode(owner.substring(1));
            owner = decoded == null ? owner.substring(1) : decoded;
        }
        return Optional.of(new LockState(
                name, owner, text(reply, 1), Duration.ofMillis(Math.max(0, text(reply, 2))), (int) text(reply, 3)));
    }

    @Override
    public CompletableFuture<Void> ready() {
        return connections.ready();
    }

    @Override
    public void listen(Listener listener) {
        connections.listen(new Messages(keys, instance, listener), listener::connected);
    }

    private <T> CompletableFuture<T> call(
            LuaScript script, String[] entries, Function<List<Object>, T> read, String... arguments) {
        RedisScriptingAsyncCommands<String, String> redis = connections.commands();
        if (redis == null) {
            return CompletableFuture.failedFuture(new LeaseStoreException(
                    LeaseStoreException.Effect.NOT_EXECUTED, connections.whyNotConnected(), connections.trouble()));
        }
        return new ScriptCall<>(redis, script, entries, arguments, read).send();
    }

    private static long number(List<Object> reply, int i) {
        return (Long) reply.get(i);
    }

    private static long text(List<Object> reply, int i) {
        return Long.parseLong(reply.get(i).toString());
    }
}
