package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads what comes in on this instance's channel (release.lua and acquire.lua write it). A message without an acquisition
 * id of this instance has no authority and is dropped.
 */
final class Messages extends RedisPubSubAdapter<String, String> {

    private static final Log log = LogFactory.getLog(Messages.class);

    private final LockKeys keys;

    private final InstanceId instance;

    private final LeaseStore.Listener listener;

    Messages(LockKeys keys, InstanceId instance, LeaseStore.Listener listener) {
        this.keys = keys;
        this.instance = instance;
        this.listener = listener;
    }

    String channel() {
        return keys.channel(instance);
    }

    @Override
    public void message(String channel, String message) {
        try {
            boolean understood = message.startsWith("grant ") ? grant(message) : notice(message);
            if (!understood) {
                log.debug("Dropped a message that is none of this instance's acquisitions");
            }
        } catch (NumberFormatException ex) {
            log.debug("Dropped a message that cannot be read", ex);
        }
    }

    private boolean grant(String message) {
        String[] parts = message.split(" ", 6);
        long number = parts.length == 6 ? instance.number(parts[1]) : -1;
        String name = number < 0 ? null : name(parts[5]);
        if (name == null) {
            return false;
        }
        listener.granted(name, number, Long.parseLong(parts[2]), Long.parseLong(parts[3]), Integer.parseInt(parts[4]));
        return true;
    }

    private boolean notice(String message) {
        String[] parts = message.split(" ", 3);
        long number = parts.length == 3 ? instance.number(parts[1]) : -1;
        String name = number < 0 ? null : name(parts[2]);
        if (name == null) {
            return false;
        }
        if (parts[0].equals("recall")) {
            listener.recalled(name, number);
        } else if (parts[0].equals("revoke")) {
            listener.revoked(name, number);
        }
        return true;
    }

    private @Nullable String name(String entry) {
        String name = keys.nameOf(entry);
        if (name != null) {
            return name;
        }
        for (String inUse : listener.names()) {
            if (keys.entry(inUse).equals(entry)) {
                return inUse;
            }
        }
        return null;
    }
}
