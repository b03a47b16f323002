/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockNames;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LeaseStore.ReleaseReply.Outcome;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.distributedlock.logging.SafeLog;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/** The lease store in Redis: converts commands to calls of the scripts, and their replies back. */
final class LettuceLeaseStore implements LeaseStore {

    private static final Log log = SafeLog.of(LettuceLeaseStore.class);

    /** {@link LockNameCodec} never produces such a name: after the sign is neither a hexadecimal digit nor a u. */
    private static final String READERS_IN_REDIS = "%shared";

    private static final LuaScript ACQUIRE = new LuaScript("acquire.lua");

    private static final LuaScript RELEASE = new LuaScript("release.lua");

    private static final LuaScript RELEASE_OWNER = new LuaScript("release-owner.lua");

    private static final LuaScript FORCE_RELEASE = new LuaScript("force-release.lua");

    private static final LuaScript RENEW = new LuaScript("renew.lua");

    private static final LuaScript INSPECT = new LuaScript("inspect.lua");

    private static final Pattern TOKEN = Pattern.compile("\\d{1,18}");

    private final RedisConnections connections;

    private final ScriptSender scripts;

    private final LockKeys keys;

    private final InstanceId instance;

    private final ServerClockMonitor serverClock;

    private @Nullable Listener listener;

    private volatile Predicate<String> queries = message -> false;

    private volatile Consumer<String> seen = address -> {};

    LettuceLeaseStore(
            RedisConnections connections, LockKeys keys, InstanceId instance, ServerClockMonitor serverClock) {
        this.connections = connections;
        this.keys = keys;
        this.instance = instance;
        this.serverClock = serverClock;
        this.scripts = new ScriptSender(connections, keys);
    }

    @Override
    public StoreCall acquire(AcquireCommand command, Reply<AcquireReply> to) {
        long floor = connections.floor(command.floor());
        long sentAt = serverClock.nanos();
        return scripts.send(
                ACQUIRE,
                command.name(),
                acquire(command, floor, false),
                connections.routesByKey()
                        ? oneKey -> acquire(command, connections.floor(command.floor()), oneKey)
                        : null,
                new IntegerListOutput(),
                reply -> acquired(command, floor, sentAt, reply),
                to);
    }

    /** @param oneKey whether the entry also represents the key of cancelled ids: then none counts as cancelled */
    private RespArguments acquire(AcquireCommand command, long floor, boolean oneKey) {
        String name = LockNameCodec.encode(command.name());
        RespArguments operands = new RespArguments().add("2");
        keys.addEntry(operands, name);
        if (oneKey) {
            keys.addEntry(operands, name);
        } else {
            keys.addCancelled(operands, name);
        }
        instance.addAcquisition(operands, command.number());
        operands.add(command.leaseMillis()).add(floor);
        String owner = command.owner();
        String queues = !command.queue() ? "0" : receivesMessages(command.name()) ? "1" : "2";
        if (owner != null || !queues.equals("1")) {
            operands.add(queues);
        }
        if (owner != null) {
            operands.add(owner.equals(READERS) ? READERS_IN_REDIS : LockNameCodec.encode(owner))
                    .add(command.reentrant() ? "1" : "0");
        }
        if (command.companion() != 0) {
            instance.addAcquisition(operands, command.companion());
        }
        return operands;
    }

    private AcquireReply acquired(AcquireCommand command, long floor, long sentAt, IntegerListOutput reply) {
        if (reply.size() == 1) {
            long token = reply.get(0);
            serverClock.replied(token, sentAt);
            connections.granted(token, sentAt);
            // A token that is ahead of the clock comes from an earlier one.
            Duration setBack = serverClock.saw(token, connections.isAhead(token) ? token : floor, sentAt);
            if (setBack != null && listener != null) {
                listener.serverClockSetBack(command.name(), setBack);
            }
            return new AcquireReply.Granted(token, 0);
        }
        connections.replied();
        return switch ((int) reply.get(0)) {
            case 1 -> {
                serverClock.replied(reply.get(1), sentAt);
                yield new AcquireReply.Granted(reply.get(1), (int) reply.get(2));
            }
            case 2 -> new AcquireReply.ReentryRefused(reply.get(1));
            case 3 -> new AcquireReply.Cancelled();
            default -> {
                if (reply.get(4) == 1) {
                    log.warn("The expiry of lock '" + LockNames.show(command.name())
                            + "' in Redis was missing or longer than the lease of its holder. It was set to that lease."
                            + " Another client changed the key, or Redis' clock was set back. Keep other clients"
                            + " away from keys with the prefix of the locks.");
                }
                serverClock.replied(reply.get(3), sentAt);
                yield new AcquireReply.Busy(
                        reply.get(1), reply.get(2) == 1, reply.get(3), (int) reply.get(5), (int) reply.get(6));
            }
        };
    }

    @Override
    public StoreCall release(ReleaseCommand command, Reply<ReleaseReply> to) {
        return scripts.send(
                RELEASE,
                command.name(),
                release(command, false),
                connections.routesByKey() ? oneKey -> release(command, oneKey) : null,
                new IntegerListOutput(),
                LettuceLeaseStore::released,
                to);
    }

    /**
     * @param oneKey whether the entry also represents the key of cancelled ids: then none counts as cancelled, nor is
     *     kept
     */
    private RespArguments release(ReleaseCommand command, boolean oneKey) {
        String name = LockNameCodec.encode(command.name());
        Requeue requeue = command.requeue();
        boolean plain = requeue == null && command.tombstoneMillis() == 0 && !command.lost();
        RespArguments operands = new RespArguments().add(plain ? "1" : "2");
        keys.addEntry(operands, name);
        if (!plain && oneKey) {
            keys.addEntry(operands, name);
        } else if (!plain) {
            keys.addCancelled(operands, name);
        }
        instance.addAcquisition(operands, command.number());
        addFloor(operands, connections.floorOfRelease(command.floor()));
        if (!plain) {
            operands.add(oneKey ? 0 : command.tombstoneMillis());
        }
        if (requeue != null) {
            instance.addAcquisition(operands, requeue.number());
            operands.add(requeue.leaseMillis());
        } else if (command.lost()) {
            operands.add("").add("0");
        }
        if (command.lost()) {
            operands.add("1");
        }
        return operands;
    }

    /**
     * A mark makes Redis keep the token of the free lock until the server's clock has passed it. A release by name or
     * by force always has it: the instance may not know the token of a lock that it has never held.
     */
    private RespArguments addFloor(RespArguments operands, long floor) {
        return connections.isAhead(floor) ? operands.add("+", floor, 10) : operands.add(floor);
    }

    private static ReleaseReply released(IntegerListOutput reply) {
        Outcome outcome = outcome(reply);
        long token = reply.size() > 1 ? reply.get(1) : 0;
        AcquireReply requeued = null;
        if (reply.size() > 4) {
            int waiting = (int) reply.get(4);
            requeued = reply.get(2) == 1
                    ? new AcquireReply.Granted(reply.get(3), waiting)
                    : new AcquireReply.Busy(reply.get(3), true, token, waiting - 1, waiting);
        }
        return new ReleaseReply(outcome, token, requeued);
    }

    private static Outcome outcome(IntegerListOutput reply) {
        return switch ((int) reply.get(0)) {
            case 1 -> Outcome.RELEASED;
            case 2 -> Outcome.TRANSFERRED;
            case 3 -> Outcome.LEFT_QUEUE;
            case 4 -> Outcome.STILL_HELD;
            case 0 -> Outcome.NOT_HELD;
            default -> Outcome.NOT_YOURS;
        };
    }

    @Override
    public CompletableFuture<ReleaseReply> releaseOwner(String name, String owner, long floor) {
        RespArguments operands =
                entry(name).add(LockNameCodec.encode(owner)).add("+", connections.floorOfRelease(floor), 10);
        return new ReplyFuture<ReleaseReply>()
                .to(to -> scripts.send(RELEASE_OWNER, name, operands, LettuceLeaseStore::released, to));
    }

    @Override
    public CompletableFuture<ReleaseReply> forceRelease(String name, long floor) {
        RespArguments operands = entry(name).add("+", connections.floorOfRelease(floor), 10);
        return new ReplyFuture<ReleaseReply>()
                .to(to -> scripts.send(FORCE_RELEASE, name, operands, LettuceLeaseStore::released, to));
    }

    private RespArguments entry(String name) {
        RespArguments operands = new RespArguments().add("1");
        keys.addEntry(operands, LockNameCodec.encode(name));
        return operands;
    }

    @Override
    public CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands) {
        String first = commands.get(0).name();
        RespArguments operands = new RespArguments().add(commands.size());
        for (RenewCommand command : commands) {
            keys.addEntry(operands, LockNameCodec.encode(command.name()));
        }
        for (RenewCommand command : commands) {
            instance.addAcquisition(operands, command.number());
            operands.add(command.leaseMillis()).add(command.token()).add(command.mayShorten() ? "1" : "0");
        }
        return new ReplyFuture<List<RenewReply>>()
                .to(to -> scripts.send(RENEW, first, operands, LettuceLeaseStore::renewed, to));
    }

    private static List<RenewReply> renewed(IntegerListOutput reply) {
        List<RenewReply> replies = new ArrayList<>(reply.size() / 3);
        for (int i = 0; i < reply.size(); i += 3) {
            replies.add(new RenewReply(reply.get(i) == 1, reply.get(i + 1), (int) reply.get(i + 2)));
        }
        return replies;
    }

    @Override
    public CompletableFuture<Optional<LockState>> inspect(String name) {
        RespArguments operands = entry(name);
        return new ReplyFuture<Optional<LockState>>()
                .to(to -> scripts.send(
                        INSPECT,
                        name,
                        operands,
                        null,
                        new ArrayOutput<>(StringCodec.UTF8),
                        reply -> state(name, reply),
                        to));
    }

    private Optional<LockState> state(String name, List<Object> reply) {
        if (reply.isEmpty()) {
            return Optional.empty();
        }
        requireEntry(reply);
        String[] words = reply.get(0).toString().split(" ");
        boolean named = words[0].startsWith("=");
        List<String> instances = Arrays.stream(words)
                .skip(named || words[0].equals(READERS_IN_REDIS) ? 1 : 0)
                .map(this::instance)
                .distinct()
                .toList();
        return Optional.of(new LockState(
                name,
                named ? explicitOwner(words[0].substring(1)) : String.join(", ", instances),
                text(reply, 1),
                remainingLease(text(reply, 2)),
                (int) text(reply, 3),
                false,
                named,
                instances,
                null));
    }

    /** Another client may have written a hash with some of the fields. The script for a request refuses it as well. */
    private static void requireEntry(List<Object> reply) {
        Object token = reply.get(1);
        if (token == null || !TOKEN.matcher(token.toString()).matches()) {
            throw new LeaseStoreException(
                    Effect.REFUSED, "WRONGTYPE the key of this lock holds a hash that is not a lock", null);
        }
    }

    /** @param ttl negative without an expiry, which another client may have removed */
    private static Duration remainingLease(long ttl) {
        return ttl < 0 ? LockRequest.MAX_LEASE : Duration.ofMillis(ttl);
    }

    private static String explicitOwner(String encoded) {
        String decoded = LockNameCodec.decode(encoded);
        return decoded == null ? encoded : decoded;
    }

    private String instance(String address) {
        seen.accept(address);
        return InstanceAddresses.instance(address);
    }

    @Override
    public CompletableFuture<Void> ready() {
        return connections.ready();
    }

    @Override
    public int maxRenewals() {
        return connections.routesByKey() ? 1 : Integer.MAX_VALUE;
    }

    @Override
    public long number(String name, long counter) {
        return connections.number(name, counter);
    }

    @Override
    public boolean isOutOfReach(String name, long number) {
        return connections.isOutOfReach(name, number);
    }

    @Override
    public boolean receivesMessages(String name) {
        return connections.receivesMessages(name);
    }

    @Override
    public boolean isBelowFloor(long token, long floor) {
        long next = connections.floor(floor);
        return token <= next && connections.isAhead(next);
    }

    @Override
    public Object shard(String name) {
        return connections.shard(name);
    }

    @Override
    public long latestClock(String name) {
        return connections.latestClock(name);
    }

    @Override
    public Map<Object, String> shards() {
        return connections.shards();
    }

    @Override
    public @Nullable Throwable lastFailure() {
        return connections.isInTrouble() ? connections.notConnected() : null;
    }

    /**
     * Sets the reader of the messages between instances, and the receiver of the addresses that entries contain: an
     * entry has the channels of the instances that hold its lock.
     */
    void setFleetMessaging(Predicate<String> reader, Consumer<String> addresses) {
        queries = reader;
        seen = addresses;
    }

    @Override
    public void listen(Listener listener) {
        this.listener = listener;
        connections.listen(
                new InstanceChannelListener(keys, instance, serverClock, listener, message -> queries.test(message)),
                listener);
    }

    private static long text(List<Object> reply, int i) {
        return Long.parseLong(reply.get(i).toString());
    }
}
