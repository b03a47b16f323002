/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.RespClient;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Only who knows the whole id of an acquisition has a right to it, and no id is published. */
class ForgedIdTests extends AbstractFaultTests {

    private static final String KEY = "lock:{forged}";

    private static final LockRequest REQUEST = leased("forged", 20_000);

    private static final Pattern ID = Pattern.compile("[\\w-]{8}\\.\\w+\\.([\\w-]{22})");

    private RespClient client;

    @BeforeEach
    void connect() {
        client = redis.connect();
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    /** What a forger could think of who sees names, leases and public parts, or an id that is no longer used. */
    private static List<String> guesses(Set<String> ids) {
        List<String> guesses = new ArrayList<>(List.of(
                "", " ", ".", ".*", "%S+", "=", "=job", "job", "900", "20000", ";", "1", "2", "a.b.1", "o", "t", "q"));
        for (String id : ids) {
            String[] parts = id.split("\\.", -1);
            guesses.addAll(List.of(
                    parts[0],
                    parts[0] + ".",
                    parts[0] + "." + parts[1],
                    parts[1] + "." + parts[2],
                    parts[2],
                    id.substring(1),
                    id.substring(0, id.length() - 1),
                    id + "0",
                    id + " ",
                    "=" + id,
                    id.toUpperCase(java.util.Locale.ROOT),
                    parts[0] + "." + parts[2],
                    parts[0] + "." + parts[1] + "0." + parts[2],
                    parts[0] + ".1." + parts[2],
                    parts[0] + ".2." + parts[2],
                    parts[0] + ".3." + parts[2],
                    parts[0] + "." + parts[1] + "." + "A".repeat(parts[2].length())));
        }
        guesses.removeAll(ids);
        return guesses;
    }

    private Set<String> ids() {
        Set<String> ids = new LinkedHashSet<>();
        ID.matcher(client.text("HGETALL", KEY)).results().forEach(id -> ids.add(id.group()));
        return ids;
    }

    private String content() {
        assertThat(client.number("PTTL", KEY)).isBetween(15_000L, 20_000L);
        List<String> fields = client.list("HGETALL", KEY);
        Map<String, String> sorted = new TreeMap<>();
        for (int i = 0; i < fields.size(); i += 2) {
            sorted.put(fields.get(i), fields.get(i + 1));
        }
        return sorted.toString();
    }

    /** Returns whether the script ran to its end. */
    private boolean run(List<String> operands) {
        List<String> command = new ArrayList<>(List.of("EVAL"));
        command.addAll(operands);
        try {
            client.call(command.toArray(String[]::new));
            return true;
        } catch (IllegalStateException e) {
            assertThat(e).as("refused").hasMessageStartingWith("ERR");
            return false;
        }
    }

    /** What a forger could send with that id. */
    private static List<List<String>> calls(String guess) {
        String release = LuaScript.text("release.lua");
        String renew = LuaScript.text("renew.lua");
        List<List<String>> calls = new ArrayList<>(List.of(
                List.of(release, "1", KEY, guess, "0"),
                List.of(release, "1", KEY, guess, "0", "0"),
                List.of(release, "2", KEY, KEY + "cancelled", guess, "0", "100"),
                List.of(release, "2", KEY, KEY + "cancelled", guess, "0", "0", "x.y.1", "60000"),
                List.of(renew, "1", KEY, guess, "60000", "9007199254740000", "1"),
                List.of(renew, "1", KEY, guess, "1", "9007199254740000", "1"),
                List.of(LuaScript.text("acquire.lua"), "2", KEY, KEY + "cancelled", guess, "60000", "0", "0")));
        if (!guess.equals("job")) {
            calls.add(List.of(LuaScript.text("release-owner.lua"), "1", KEY, guess, "0"));
        }
        return calls;
    }

    private void assertNoGuessChangesAnything() {
        Set<String> ids = ids();
        assertThat(ids).isNotEmpty();
        String before = content();
        List<String> guesses = guesses(ids);
        Map<Integer, Integer> executed = new TreeMap<>();
        for (String guess : guesses) {
            List<List<String>> calls = calls(guess);
            for (int i = 0; i < calls.size(); i++) {
                executed.merge(i, run(calls.get(i)) ? 1 : 0, Integer::sum);
            }
            assertThat(content()).as("after '%s'", guess).isEqualTo(before);
        }
        assertThat(ids()).isEqualTo(ids);
        assertThat(executed).hasSize(8);
        assertThat(executed.values())
                .as("how often each call was executed and not refused, of %d guesses", guesses.size())
                .allMatch(times -> times > guesses.size() / 2);
        assertThat(ids).as("true ids").anyMatch(this::isRenewed);
    }

    private boolean isRenewed(String id) {
        Object reply = client.call("EVAL", LuaScript.text("renew.lua"), "1", KEY, id, "20000", "0", "0");
        return ((List<?>) reply).get(0).equals(1L);
    }

    @Test
    void noGuessReleasesRenewsOrCancels() {
        RedisLockTemplate one = patient();
        RedisLockTemplate two = patient();
        LockHandle handle = one.acquire(REQUEST);
        CompletableFuture<LockHandle> next =
                two.acquireAsync(REQUEST.waitForever()).toCompletableFuture();
        await().until(() -> ids().size() == 2);
        assertNoGuessChangesAnything();
        handle.close();
        TestCallers.get(next).close();
    }

    @Test
    void noGuessTakesAHoldOfAnExplicitOwner() {
        RedisLockTemplate one = patient();
        RedisLockTemplate two = patient();
        LockHandle first = one.acquire(REQUEST.owner("job"));
        LockHandle second = two.acquire(REQUEST.owner("job"));
        CompletableFuture<LockHandle> next =
                two.acquireAsync(REQUEST.waitForever()).toCompletableFuture();
        await().until(() -> ids().size() == 3);
        assertNoGuessChangesAnything();
        first.close();
        second.close();
        TestCallers.get(next).close();
    }

    /** Whatever goes wrong, what is logged and thrown has names and public parts only. */
    @Test
    void idsAreInNoLogAndNoException() {
        Set<String> secrets = new LinkedHashSet<>();
        List<String> told = new ArrayList<>();
        try (Logs logs = Logs.capture(Level.INFO)) {
            RedisLockTemplate one = patient();
            RedisLockTemplate two = proxied();
            LockHandle forced = one.acquire(REQUEST);
            CompletableFuture<LockHandle> waiting =
                    two.acquireAsync(REQUEST.waitForever()).toCompletableFuture();
            await().until(() -> ids().size() == 2);
            remember(secrets);
            two.inspect("forged").ifPresent(state -> told.add(state.toString()));
            one.forceRelease("forged");
            told.add(String.valueOf(catchThrowable(forced::close)));
            LockHandle granted = TestCallers.get(waiting);
            remember(secrets);
            client.call("PERSIST", KEY);
            one.tryAcquire(REQUEST.noWait());
            client.call("HSET", KEY, "o", "somebody");
            told.add(String.valueOf(catchThrowable(granted::close)));
            client.call("SET", KEY, "garbage");
            told.add(String.valueOf(catchThrowable(() -> one.acquire(REQUEST))));
            client.call("DEL", KEY);
            LockHandle broken = two.acquire(leased("forged", 300));
            remember(secrets);
            proxy.requests().hold();
            told.add(String.valueOf(catchThrowable(broken::close)));
            proxy.cut();
            proxy.heal();
            await().until(() -> keys().stream().noneMatch(key -> key.endsWith("}")));
            for (ILoggingEvent event : logs.events()) {
                told.add(event.getFormattedMessage());
                if (event.getThrowableProxy() != null) {
                    told.add(ThrowableProxyUtil.asString(event.getThrowableProxy()));
                }
            }
        }
        assertThat(secrets).as("of each acquisition").hasSize(3);
        assertThat(told)
                .hasSizeGreaterThan(6)
                .allSatisfy(text -> assertThat(text).doesNotContain(secrets));
    }

    private void remember(Set<String> secrets) {
        ID.matcher(client.text("HGETALL", KEY)).results().forEach(id -> secrets.add(id.group(1)));
    }
}
