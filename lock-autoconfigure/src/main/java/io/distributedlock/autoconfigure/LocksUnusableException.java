package io.distributedlock.autoconfigure;

import java.util.List;

/** There is nothing that the locks could be made with. */
final class LocksUnusableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String OR_OWN = ", or define a LockOperations bean of your own. To run without locks, set"
            + " distributed-lock.enabled=false.";

    private final String problem;

    private final String fix;

    private LocksUnusableException(String problem, String fix) {
        super("Distributed locks cannot work: " + problem + ". " + fix);
        this.problem = problem;
        this.fix = fix;
    }

    static LocksUnusableException noLettuce() {
        return new LocksUnusableException(
                "Lettuce, the Redis client they use, is not on the class path",
                "Add the dependency org.springframework.boot:spring-boot-starter-data-redis and do not exclude"
                        + " io.lettuce:lettuce-core from it" + OR_OWN);
    }

    static LocksUnusableException noConnectionFactory() {
        return new LocksUnusableException(
                "there is no RedisConnectionFactory bean",
                "Let Spring Boot configure one (DataRedisAutoConfiguration is excluded or has backed off), define a"
                        + " LettuceConnectionFactory bean" + OR_OWN);
    }

    static LocksUnusableException notLettuce(Class<?> type) {
        return new LocksUnusableException(
                "the RedisConnectionFactory bean is a " + type.getName() + ", and they need a LettuceConnectionFactory",
                "Set spring.data.redis.client-type=lettuce, define a primary LettuceConnectionFactory bean" + OR_OWN);
    }

    static LocksUnusableException ambiguous(String found) {
        return new LocksUnusableException(
                "there are several RedisConnectionFactory beans, and none is primary: " + found,
                "Mark the one that the locks are to use as @Primary, or name it by distributed-lock.connection-factory"
                        + OR_OWN);
    }

    static LocksUnusableException unknownConnectionFactory(String name, List<String> known) {
        return new LocksUnusableException(
                "distributed-lock.connection-factory names the bean '" + name
                        + "', and there is no RedisConnectionFactory bean of that name. Known are: "
                        + (known.isEmpty() ? "none" : String.join(", ", known)),
                "Correct the name, or remove the property" + OR_OWN);
    }

    static LocksUnusableException severalLocks(String found) {
        return new LocksUnusableException(
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
