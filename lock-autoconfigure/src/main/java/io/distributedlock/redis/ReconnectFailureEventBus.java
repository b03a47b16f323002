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
 * Hears why our own connections could not be opened again, as Lettuce tells that to nobody else: commands meanwhile
 * fail with "not connected", be it that nobody listens or that the password is wrong. All events go on to the
 * application's bus.
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
