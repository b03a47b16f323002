/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.testing.ChildJvm;
import io.distributedlock.testing.ChildRequests;
import java.util.Arrays;
import java.util.Map;

/** An instance of the sample in a JVM of its own, so that it can be killed. Its arguments are those of the sample. */
final class ShopProcess {

    private ShopProcess() {}

    /** Starts an instance that the build has prepared ahead of time, with its own Redis. */
    static ChildJvm startAheadOfTime(String instance) {
        return ChildJvm.start(
                Map.of("JAVA_TOOL_OPTIONS", "-Dspring.aot.enabled=true"),
                ShopProcess.class,
                instance,
                "shop.redis-port=0");
    }

    static ChildJvm start(String instance, int redisPort, String... arguments) {
        String[] all = new String[arguments.length + 2];
        all[0] = instance;
        all[1] = "shop.redis-port=" + redisPort;
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        return ChildJvm.start(ShopProcess.class, all);
    }

    public static void main(String[] arguments) {
        RunningShop shop = RunningShop.start(arguments[0], Arrays.copyOfRange(arguments, 1, arguments.length));
        ChildRequests.serve(request -> switch (request.name()) {
            case "sale" ->
                String.valueOf(shop.run(Sale.valueOf(request.text(0))).sold());
            case "generated" -> String.valueOf(shop.generatedAheadOfTime());
            default -> throw new IllegalArgumentException(request.name());
        });
    }
}
