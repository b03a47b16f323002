/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import java.util.List;

/** Thrown if a requirement for creating the locks is missing. */
final class LockOperationsUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String OR_OWN = ", or define a LockOperations bean of your own. To run without locks, set"
            + " distributed-lock.enabled=false.";

    private final String problem;

    private final String fix;

    private LockOperationsUnavailableException(String problem, String fix) {
        super("Distributed locks cannot work: " + problem + ". " + fix);
        this.problem = problem;
        this.fix = fix;
    }

    static LockOperationsUnavailableException noLettuce() {
        return new LockOperationsUnavailableException(
                "Lettuce, the Redis client they use, is not on the class path",
                "Add the dependency org.springframework.boot:spring-boot-starter-data-redis and do not exclude"
                        + " io.lettuce:lettuce-core from it" + OR_OWN);
    }

    static LockOperationsUnavailableException noConnectionFactory() {
        return new LockOperationsUnavailableException(
                "there is no RedisConnectionFactory bean",
                "Let Spring Boot configure one (DataRedisAutoConfiguration is excluded or has backed off), define a"
                        + " LettuceConnectionFactory bean" + OR_OWN);
    }

    static LockOperationsUnavailableException notLettuce(Class<?> type) {
        return new LockOperationsUnavailableException(
                "the RedisConnectionFactory bean is a " + type.getName() + ", and they need a LettuceConnectionFactory",
                (type.getName().contains("Jedis") ? "Set spring.data.redis.client-type=lettuce, define" : "Define")
                        + " a LettuceConnectionFactory bean and name it by distributed-lock.connection-factory"
                        + OR_OWN);
    }

    static LockOperationsUnavailableException ambiguous(String found) {
        return new LockOperationsUnavailableException(
                "there are several RedisConnectionFactory beans, and none is primary: " + found,
                "Mark the one that the locks are to use as @Primary, or name it by distributed-lock.connection-factory"
                        + OR_OWN);
    }

    static LockOperationsUnavailableException unknownConnectionFactory(String name, List<String> known) {
        return new LockOperationsUnavailableException(
                "distributed-lock.connection-factory names the bean '" + name
                        + "', and there is no RedisConnectionFactory bean of that name. Known are: "
                        + (known.isEmpty() ? "none" : String.join(", ", known)),
                "Correct the name, or remove the property" + OR_OWN);
    }

    static LockOperationsUnavailableException severalLocks(String found) {
        return new LockOperationsUnavailableException(
                "there are several LockOperations beans, and none is primary: " + found,
                "Mark the one for annotated methods as @Primary, or leave only one.");
    }

    String description() {
        return "Distributed locks cannot work: " + problem + ".";
    }

    String action() {
        return fix;
    }
}
