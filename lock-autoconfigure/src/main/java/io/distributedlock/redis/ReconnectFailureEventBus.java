/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.event.Event;
import io.lettuce.core.event.EventBus;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Receives the reason why the locks' connections could not be opened again, which Lettuce reports only here: commands
 * meanwhile fail with "not connected", whether no server listens or the password is wrong. All events are passed on to
 * the application's bus.
 */
record ReconnectFailureEventBus(@Nullable EventBus application, Consumer<Throwable> listener) implements EventBus {

    @Override
    public Flux<Event> get() {
        return application == null ? Flux.never() : application.get();
    }

    @Override
    public void publish(Event event) {
        if (event instanceof ReconnectFailedEvent failed) {
            listener.accept(failed.getCause());
        }
        if (application != null) {
            application.publish(event);
        }
    }
}
