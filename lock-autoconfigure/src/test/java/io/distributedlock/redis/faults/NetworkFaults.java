/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.testing.TcpProxy;
import io.distributedlock.testing.TcpStream;
import java.time.Duration;
import java.util.Random;

/** What happens between one JVM and Redis. Each looks at what the proxy says of the bytes that it touched. */
final class NetworkFaults {

    /** As long as workers may take to send something. */
    private static final int SOON = 300;

    /** As long as the longest answers and the shortest. */
    private static final int REPLY_BYTES = 90;

    private NetworkFaults() {}

    static boolean loseReplies(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        TcpProxy network = victim.network();
        network.replies().drop();
        return lostThenCut(network, network.replies());
    }

    static boolean loseRequests(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        TcpProxy network = victim.network();
        network.requests().drop();
        return lostThenCut(network, network.requests());
    }

    static boolean cutInMidReply(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        TcpProxy network = victim.network();
        network.replies().dropAfter(random.nextInt(REPLY_BYTES));
        return lostThenCut(network, network.replies());
    }

    private static boolean lostThenCut(TcpProxy network, TcpStream stream) {
        long before = stream.dropped();
        try {
            boolean lost = Waits.until(SOON, () -> stream.dropped() > before);
            return network.cut() > 0 && lost;
        } finally {
            network.heal();
        }
    }

    static boolean delay(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        TcpStream stream = random.nextBoolean()
                ? victim.network().requests()
                : victim.network().replies();
        return slow(victim, stream, 250 + random.nextInt(250), () -> stream.delay(Duration.ofMillis(200)));
    }

    static boolean jitter(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        TcpStream stream = random.nextBoolean()
                ? victim.network().requests()
                : victim.network().replies();
        long until = System.nanoTime() + Duration.ofMillis(250).toNanos();
        boolean hit = false;
        while (System.nanoTime() < until) {
            hit |= slow(victim, stream, 20, () -> stream.delay(Duration.ofMillis(random.nextInt(400))));
        }
        return hit;
    }

    static boolean byteByByte(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        victim.network().replies().byteByByte();
        TcpStream requests = victim.network().requests();
        return slow(victim, requests, 100 + random.nextInt(200), requests::byteByByte);
    }

    private static boolean slow(ClientProcess victim, TcpStream stream, long millis, Runnable how) {
        long before = stream.delivered();
        how.run();
        try {
            Waits.pause(millis);
            return stream.pending() > 0 || stream.delivered() > before;
        } finally {
            victim.network().heal();
        }
    }

    static boolean blackHole(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        victim.network().blackHole();
        return holes(arena, victim, random, victim.network().requests());
    }

    static boolean blackHoleForRequests(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        victim.network().requests().hold();
        return holes(arena, victim, random, victim.network().requests());
    }

    static boolean blackHoleForReplies(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        victim.network().replies().hold();
        return holes(arena, victim, random, victim.network().replies());
    }

    /** For some moments, or for longer than a lease. */
    private static boolean holes(FaultTestbed<?> arena, ClientProcess victim, Random random, TcpStream stream) {
        int lease = (int) arena.lease().toMillis();
        try {
            Waits.pause(random.nextBoolean() ? lease + 100 + random.nextInt(300) : 50 + random.nextInt(lease / 4));
            return stream.pending() > 0;
        } finally {
            victim.network().heal();
        }
    }

    /** What a dead connection had under way reaches Redis up to a lease later. */
    static boolean lateBytes(FaultTestbed<?> arena, ClientProcess victim, Random random) {
        TcpProxy network = victim.network();
        network.requests().hold();
        boolean sent = Waits.until(SOON, () -> network.requests().pending() > 0);
        int abandoned = network.abandon();
        network.heal();
        try {
            int lease = (int) arena.lease().toMillis();
            Waits.pause(random.nextInt(random.nextInt(3) == 0 ? lease : lease / 8));
        } finally {
            network.deliverAbandoned();
        }
        return sent && abandoned > 0;
    }
}
