package io.distributedlock.autoconfigure;

/** There is no Redis that the locks could use. */
final class RedisForLocksException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String OR_OWN = ", or define a LockOperations bean of your own. To run without locks, set"
            + " distributed-lock.enabled=false.";

    private final String problem;

    private final String fix;

    private RedisForLocksException(String problem, String fix) {
        super("Distributed locks have no Redis: " + problem + ". " + fix + OR_OWN);
        this.problem = problem;
        this.fix = fix;
    }

    static RedisForLocksException noLettuce() {
        return new RedisForLocksException(
                "Lettuce, the Redis client they use, is not on the class path",
                "Add the dependency org.springframework.boot:spring-boot-starter-data-redis and do not exclude"
                        + " io.lettuce:lettuce-core from it");
    }

    static RedisForLocksException noConnectionFactory() {
        return new RedisForLocksException(
                "there is no RedisConnectionFactory bean",
                "Let Spring Boot configure one (DataRedisAutoConfiguration is excluded or has backed off), define a"
                        + " LettuceConnectionFactory bean");
    }

    static RedisForLocksException notLettuce(Class<?> type) {
        return new RedisForLocksException(
                "the RedisConnectionFactory bean is a " + type.getName() + ", and they need a LettuceConnectionFactory",
                "Set spring.data.redis.client-type=lettuce, define a primary LettuceConnectionFactory bean");
    }

    static RedisForLocksException ambiguous(String found) {
        return new RedisForLocksException(
                "there are several RedisConnectionFactory beans, and none is primary (" + found + ")",
                "Mark the one that the locks are to use as @Primary");
    }

    String description() {
        return "Distributed locks have no Redis: " + problem + ".";
    }

    String action() {
        return fix + OR_OWN;
    }
}
