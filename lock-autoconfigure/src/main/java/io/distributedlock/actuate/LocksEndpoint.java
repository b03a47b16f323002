/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockNames;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.logging.SafeLog;
import java.security.Principal;
import java.time.Clock;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Shows the holds and waits of this instance or of all instances, shows one lock, and releases a lock by force. A lock
 * name may contain slashes: everything after {@code locks/} is the name, without the query. Web servers and frameworks
 * reject some paths (an encoded slash, two slashes in a row, a slash at the end, a backslash, a semicolon that is not
 * encoded as {@code %3B}); {@code locks?name=} accepts every name. A forced release requires
 * {@code management.endpoint.locks.access=unrestricted}.
 *
 * @since 0.1.0
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
@RegisterReflectionForBinding({
    LocksDescriptor.class,
    FleetDescriptor.class,
    LockDescriptor.class,
    UnavailableDescriptor.class
})
public final class LocksEndpoint {

    /**
     * The type of the audit event. Its data are {@code lock}, the name, and {@code released}, whether Redis has
     * confirmed that the lock was taken away: false if it was free, and if there was no reply.
     */
    public static final String FORCE_RELEASED = "LOCK_FORCE_RELEASED";

    private static final Log log = SafeLog.of(LocksEndpoint.class);

    private static final int SERVICE_UNAVAILABLE = 503;

    /** The principal of requests without an authenticated user, or with one that has no name. */
    private static final String UNKNOWN = "unknown";

    /** The request was sent, or may have been, so Redis may have executed it. */
    private static final String UNCONFIRMED = "Redis has not confirmed that it was taken away from its holder";

    private final LockOperations locks;

    private final InstanceView instance;

    private final FleetView fleet;

    private final LockDetails details;

    private final ApplicationEventPublisher events;

    /**
     * Creates the endpoint.
     *
     * @param locks reads and releases single locks
     * @param monitor reports what this and other instances hold
     * @param label identifies this instance
     * @param events receives an {@link AuditApplicationEvent} for each lock that was to be taken away
     */
    public LocksEndpoint(
            LockOperations locks, LockMonitor monitor, InstanceLabel label, ApplicationEventPublisher events) {
        this(locks, monitor, label, events, Clock.systemUTC());
    }

    LocksEndpoint(
            LockOperations locks,
            LockMonitor monitor,
            InstanceLabel label,
            ApplicationEventPublisher events,
            Clock clock) {
        this.locks = locks;
        this.events = events;
        this.instance = new InstanceView(locks, monitor, label, clock);
        this.fleet = new FleetView(monitor, clock);
        this.details = new LockDetails(locks, monitor, label, clock);
    }

    /**
     * The holds and waits of this instance, or of all instances with {@code scope=fleet}; or the lock of that name, as
     * {@link #lock} shows it.
     *
     * @param name a lock, or null
     * @param scope {@code instance}, which is the default, or {@code fleet}
     * @param after only locks whose names come after this one
     * @param limit the maximum number of locks, from 1 to 500; by default 500 for the instance and 100 for the fleet
     * @return the description, which becomes JSON
     * @throws InvalidEndpointRequestException if there is no such scope, the limit is out of its range, or the name is
     *     blank or too long
     */
    @ReadOperation
    public Object locks(
            @Nullable String name, @Nullable String scope, @Nullable String after, @Nullable Integer limit) {
        if (name != null) {
            return detailsOf(name);
        }
        boolean ofFleet = "fleet".equals(scope);
        if (scope != null && !ofFleet && !scope.equals("instance")) {
            throw new InvalidEndpointRequestException("The scope is 'instance' or 'fleet'", "No such scope");
        }
        int locksAtMost = limit != null ? limit : ofFleet ? FleetView.DEFAULT_LIMIT : FleetView.MAX_LIMIT;
        if (locksAtMost < 1 || locksAtMost > FleetView.MAX_LIMIT) {
            throw new InvalidEndpointRequestException(
                    "The limit is from 1 to " + FleetView.MAX_LIMIT, "Limit out of range");
        }
        String behind = after == null ? "" : after;
        return ofFleet ? fleet.describe(behind, locksAtMost) : instance.describe(behind, locksAtMost);
    }

    /**
     * One lock, as recorded in Redis and by the instances; the status is 503 if Redis does not reply.
     *
     * @param path the segments of the path, which make the name of the lock; or the name as one text, as JMX has it
     * @return the description, which becomes JSON
     * @throws InvalidEndpointRequestException if the name is blank or too long, or Spring MVC has removed a part of the
     *     path
     */
    @ReadOperation
    public Object lock(@Selector(match = Match.ALL_REMAINING) Object path) {
        return detailsOf(nameIn(path));
    }

    /**
     * The parameter is an object, since Actuator converts only what is not of its type: an array of segments from the
     * web, and a text from JMX, which it would split at commas and trim.
     */
    private static String nameIn(Object path) {
        PathOfRequest.requireWhole();
        return path instanceof Object[] segments
                ? Arrays.stream(segments).map(String::valueOf).collect(Collectors.joining("/"))
                : String.valueOf(path);
    }

    private Object detailsOf(String name) {
        String lock = valid(name);
        try {
            return details.of(lock);
        } catch (LockUnavailableException ex) {
            return unavailable(lock, ex);
        }
    }

    /** Locks are not available, which is no error of the endpoint. */
    private static WebEndpointResponse<Object> unavailable(String lock, LockUnavailableException why) {
        return new WebEndpointResponse<>(new UnavailableDescriptor(lock, reason(lock, why)), SERVICE_UNAVAILABLE);
    }

    /** The message, truncated after the name, since a long name would leave no room for the reason. */
    private static String reason(String lock, LockUnavailableException why) {
        String message = String.valueOf(why.getMessage());
        String shown = LockNames.show(lock);
        int name = message.indexOf(shown);
        return name < 0
                ? LockNames.show(message)
                : message.substring(0, name) + shown + LockNames.show(message.substring(name + shown.length()));
    }

    /**
     * Releases the lock by force, and notifies its holder. The status is 204, 404 if it was free, or 503 if Redis has
     * not confirmed it. A lock that an instance only retains is not free.
     *
     * @param caller the authenticated user of the request, named in the log line and in the audit event
     * @param path the segments of the path, which make the name of the lock; or the name as one text, as JMX has it
     * @return the status
     * @throws InvalidEndpointRequestException if the name is blank or too long, or Spring MVC has removed a part of the
     *     path
     */
    @DeleteOperation
    public WebEndpointResponse<Object> forceRelease(
            SecurityContext caller, @Selector(match = Match.ALL_REMAINING) Object path) {
        return takeAway(caller, nameIn(path));
    }

    /**
     * As {@link #forceRelease}, for names that cannot be part of a path.
     *
     * @param caller the authenticated user of the request
     * @param name the name of the lock
     * @return the status
     * @throws InvalidEndpointRequestException if the name is blank or too long
     */
    @DeleteOperation
    public WebEndpointResponse<Object> forceReleaseNamed(SecurityContext caller, String name) {
        return takeAway(caller, name);
    }

    private WebEndpointResponse<Object> takeAway(SecurityContext caller, String name) {
        String lock = valid(name);
        String user = nameOf(caller.getPrincipal());
        boolean released;
        try {
            released = locks.forceRelease(lock);
        } catch (LockUnavailableException ex) {
            report(user, name, false, UNCONFIRMED);
            return unavailable(lock, ex);
        } catch (DistributedLockException | Error ex) {
            report(user, name, false, UNCONFIRMED);
            throw ex;
        }
        report(user, name, released, released ? "taken away from its holder" : "free, so not taken away");
        return new WebEndpointResponse<>(released ? WebEndpointResponse.STATUS_NO_CONTENT : 404);
    }

    /** A principal may have no name, such as that of a token without a subject. */
    private static @Nullable String nameOf(@Nullable Principal user) {
        return user == null ? null : user.getName();
    }

    private void report(@Nullable String user, String name, boolean released, String outcome) {
        log.warn("Lock '" + LockNames.show(name) + "': " + outcome + " by a request to the locks endpoint"
                + (user == null ? "" : " of user '" + LockNames.show(user) + "'"));
        String by = user == null ? UNKNOWN : user;
        publish(new AuditApplicationEvent(by, FORCE_RELEASED, Map.of("lock", name, "released", released)));
    }

    /** What was done to the lock is done, so a listener that fails does not change the response. */
    private void publish(AuditApplicationEvent event) {
        try {
            events.publishEvent(event);
        } catch (RuntimeException | Error ex) {
            log.warn("A listener of the audit event " + FORCE_RELEASED + " has failed", ex);
        }
    }

    /** An invalid lock name is an error of the request, not of the server. */
    private static String valid(String name) {
        try {
            return LockRequest.of(name).name();
        } catch (IllegalArgumentException ex) {
            throw new InvalidEndpointRequestException(String.valueOf(ex.getMessage()), "No lock name", ex);
        }
    }
}
