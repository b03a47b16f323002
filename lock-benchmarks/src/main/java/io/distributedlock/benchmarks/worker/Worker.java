/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import io.distributedlock.benchmarks.contenders.Contender;
import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.testing.ChildRequests;
import io.distributedlock.testing.ChildRequests.Request;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Main class of a JVM that puts load on locks. Contenders stay connected until they are closed. */
public final class Worker {

    private record Target(ContenderKind kind, int port) {}

    private final Map<Target, Contender> open = new HashMap<>();

    private @Nullable HoldRun hold;

    private Worker() {}

    public static void main(String[] args) {
        Worker worker = new Worker();
        ChildRequests.serve(worker::handle);
    }

    private String handle(Request request) throws Exception {
        return switch (request.name()) {
            case "open" -> open(ContenderKind.of(request.text(0)), (int) request.number(1));
            case "load" -> load(Json.read(request.text(0), LoadOrder.class));
            case "gc" -> collectGarbage();
            case "heap" -> Long.toString(Cpu.usedHeap());
            case "cpu" -> Long.toString(Cpu.nanos());
            case "names" -> Long.toString(names(Json.read(request.text(0), NamesOrder.class)));
            case "hold" -> Long.toString(hold(Json.read(request.text(0), NamesOrder.class)));
            case "held" -> Long.toString(held().stillHeld());
            case "release" -> release();
            case "start-up" ->
                Json.write(StartUpRun.of((int) request.number(0), StartUpRun.Services.valueOf(request.text(1))));
            case "waiting" -> Json.write(WaitingRun.of((int) request.number(0), (int) request.number(1)));
            default -> throw new IllegalArgumentException(request.name());
        };
    }

    private String open(ContenderKind kind, int port) {
        open.computeIfAbsent(new Target(kind, port), missing -> kind.open(port));
        return "";
    }

    private String load(LoadOrder order) throws InterruptedException {
        return Json.write(LoadRun.run(order, contender(order.kind(), order.port())));
    }

    private static String collectGarbage() {
        Cpu.collectGarbage();
        return "";
    }

    private long names(NamesOrder order) throws Exception {
        return NamesRun.run(contender(order.kind(), order.port()), order.prefix(), order.count(), order.threads());
    }

    private long hold(NamesOrder order) throws Exception {
        HoldRun run = new HoldRun(contender(order.kind(), order.port()), order.threads());
        hold = run;
        return run.acquire(order.prefix(), order.count());
    }

    private HoldRun held() {
        return Objects.requireNonNull(hold, "Nothing is held");
    }

    private String release() throws Exception {
        long failed = held().release();
        held().end();
        hold = null;
        return Long.toString(failed);
    }

    private Contender contender(ContenderKind kind, int port) {
        return Objects.requireNonNull(open.get(new Target(kind, port)), () -> kind + " is not open");
    }
}
