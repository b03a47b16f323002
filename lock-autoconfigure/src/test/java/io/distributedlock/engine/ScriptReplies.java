/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.redis.ScriptText;
import io.distributedlock.testing.RespClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The scripts on a real server, without a client in between. Each command brings the state after it. */
final class ScriptReplies {

    /** The line is read place by place, and every field has to belong to a place. */
    private static final String STATE = """
        local entry, known, line = KEYS[1], 0, ''
        local fields = redis.call('HMGET', entry, 'o', 't', 'l', 'f', 'h', 'g')
        local beyond, empty = unpack(redis.call('HMGET', entry, 'n', 'x'))
        local first = tonumber(fields[4])
        local place, holes, owners = first, 0, {}
        while first and place < tonumber(beyond) do
          local text = redis.call('HGET', entry, 'q' .. place) or 'nothing at ' .. place
          local from, to = string.match(text, '^ (%S+) (%S+)$')
          if from then
            assert(tonumber(from) == place and redis.call('HGET', entry, 'q' .. to) == text, 'row ' .. text)
            assert(place > first and to + 1 < tonumber(beyond), 'the line ends with nobody: ' .. text)
            known = known + (from == to and 1 or 2)
            holes = holes + to - from + 1
            place = to + 1
          else
            local id, lease, owner = string.match(text, '^(%S+) (%d+) ?(.*)$')
            assert(redis.call('HGET', entry, 'w' .. id) == tostring(place), 'place of ' .. id)
            line = line .. id .. ' ' .. lease .. ' ' .. owner .. ';'
            known = known + 2
            if owner ~= '' and string.sub(owner, 1, 2) ~= '%!' then
              owners[owner] = (owners[owner] or 0) + 1
            end
            place = place + 1
          end
        end
        assert(tostring(holes) == (empty or '0'), 'empty places')
        for owner, count in pairs(owners) do
          local chained, each, before = 0, redis.call('HGET', entry, 'e' .. owner), false
          while each do
            assert(redis.call('HGET', entry, 'b' .. each) == before, 'chain of ' .. owner)
            before, each = each, redis.call('HGET', entry, 'a' .. each)
            chained = chained + 1
          end
          assert(chained == count, 'all of ' .. owner)
          known = known + 1 + 2 * (count - 1)
        end
        for _, field in ipairs({'o', 't', 'l', 'f', 'n', 'x', 'h', 'g', 'd', 's'}) do
          known = known + redis.call('HEXISTS', entry, field)
        end
        local ends, now = {}, redis.call('TIME')
        if fields[5] and fields[1] ~= '=%shared' then
          for id in string.gmatch(fields[5], '%S+') do
            ends[#ends + 1] = redis.call('HGET', entry, 'u' .. id) - now[1] * 1000
            known = known + 1
          end
        end
        assert(known == redis.call('HLEN', entry), 'fields of nobody')
        fields[4] = line
        for i = 1, 6 do fields[i] = fields[i] or '' end
        return {fields, redis.call('PTTL', entry), redis.call('HKEYS', KEYS[2]), ends}
        """;

    /** Lets all keys expire that have not more than that to live, and takes it off the others and their holds. */
    private static final String PASS = """
        for _, key in ipairs(redis.call('KEYS', 'lock:*')) do
          for _, field in ipairs(redis.call('HKEYS', key)) do
            if string.match(field, '^u%S+') then
              redis.call('HINCRBY', key, field, -ARGV[1])
            end
          end
          redis.call('PEXPIRE', key, math.max(0, redis.call('PTTL', key) - ARGV[1]))
        end
        """;

    /**
     * @param fields owner, token, longest lease, line, holds, and how many of them were given back; or "" for each
     * @param ends when the leases of an explicit owner's holds end, in milliseconds from now
     */
    record State(List<?> fields, long ttl, Set<String> cancelled, List<Long> ends) {}

    private final RespClient redis;

    private final List<String> names;

    private final Map<String, State> states = new HashMap<>();

    private final String acquire;

    private final String release;

    private final String releaseOwner;

    private final String forceRelease;

    private final String renew;

    private final String state;

    private final String pass;

    /** @param names those whose states the commands bring */
    ScriptReplies(RespClient redis, List<String> names) {
        this.redis = redis;
        this.names = names;
        this.acquire = load(ScriptText.of("acquire.lua"));
        this.release = load(ScriptText.of("release.lua"));
        this.releaseOwner = load(ScriptText.of("release-owner.lua"));
        this.forceRelease = load(ScriptText.of("force-release.lua"));
        this.renew = load(ScriptText.of("renew.lua"));
        this.state = load(STATE);
        this.pass = load(PASS);
    }

    private String load(String script) {
        return redis.text("SCRIPT", "LOAD", script);
    }

    private Object run(String script, String name, Object... arguments) {
        return runFor(List.of(name), script, keys(name).subList(0, 1), arguments);
    }

    private Object runWithCancelled(String script, String name, Object... arguments) {
        return runFor(List.of(name), script, keys(name), arguments);
    }

    /** One write for all, since the round trips would take most of the time. */
    private Object runFor(List<String> changed, String script, List<String> keys, Object... arguments) {
        List<String[]> commands = new ArrayList<>();
        commands.add(command(script, keys, arguments));
        changed.forEach(name -> commands.add(command(state, keys(name))));
        List<?> replies = redis.callAll(commands);
        states.clear();
        for (int i = 0; i < changed.size(); i++) {
            states.put(changed.get(i), stateOf((List<?>) replies.get(i + 1)));
        }
        return replies.get(0);
    }

    private static String[] command(String script, List<String> keys, Object... arguments) {
        List<String> command = new ArrayList<>(List.of("EVALSHA", script, Integer.toString(keys.size())));
        command.addAll(keys);
        Arrays.stream(arguments).map(Object::toString).forEach(command::add);
        return command.toArray(String[]::new);
    }

    private static List<String> keys(String name) {
        return List.of("lock:{" + name + "}", "lock:{" + name + "}cancelled");
    }

    List<?> acquire(String name, Object... arguments) {
        Object reply = runWithCancelled(acquire, name, arguments);
        return reply instanceof List<?> list ? list : List.of(1L, Long.valueOf(reply.toString()), 0L);
    }

    /** The way of nearly every release. */
    List<?> releasePlainly(String name, Object... arguments) {
        return list(run(release, name, arguments));
    }

    List<?> release(String name, Object... arguments) {
        return list(runWithCancelled(release, name, arguments));
    }

    List<?> releaseOwner(String name, String owner, Object floor) {
        return list(run(releaseOwner, name, owner, floor));
    }

    List<?> forceRelease(String name, Object floor) {
        return list(run(forceRelease, name, floor));
    }

    private static List<?> list(Object reply) {
        return reply instanceof List<?> list ? list : List.of(reply);
    }

    List<?> renew(String name, Object... arguments) {
        return (List<?>) run(renew, name, arguments);
    }

    /** The states after the last command: that of its lock, or of all locks after {@link #pass}. */
    Map<String, State> states() {
        return states;
    }

    private static State stateOf(List<?> reply) {
        Set<String> cancelled = new HashSet<>();
        ((List<?>) reply.get(2)).forEach(each -> cancelled.add(each.toString()));
        List<Long> ends =
                ((List<?>) reply.get(3)).stream().map(end -> (Long) end).toList();
        return new State((List<?>) reply.get(0), (Long) reply.get(1), cancelled, ends);
    }

    void pass(long millis) {
        runFor(names, pass, List.of(), millis);
    }

    void forgetAll() {
        redis.call("FLUSHALL");
    }
}
