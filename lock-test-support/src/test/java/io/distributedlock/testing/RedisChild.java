/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

/** A JVM that has a Redis of its own. */
final class RedisChild {

    private RedisChild() {}

    @SuppressWarnings("SystemOut")
    public static void main(String[] args) {
        EmbeddedRedis redis = EmbeddedRedis.start();
        System.out.println("Noise on the standard output comes too early to be mistaken for an answer");
        ChildRequests.serve(request -> switch (request.name()) {
            case "redis" -> Long.toString(redis.pid());
            case "guardian" -> Long.toString(Guardian.pid());
            case "directory" -> redis.connect().list("CONFIG", "GET", "dir").get(1);
            case "echo" -> String.join("|", request.arguments());
            case "thread" -> Thread.currentThread().getName();
            case "fail" -> throw new UnsupportedOperationException(request.text(0));
            case "exit" -> {
                System.exit(3);
                yield "";
            }
            default -> throw new IllegalArgumentException(request.name());
        });
    }
}
