package io.distributedlock.sample;

import io.distributedlock.DistributedLockException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnectionCommands;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Says when Redis went away and when it is back. The locks need no help: they work again by themselves. */
@Component
class RedisWatch {

    private static final Log logger = LogFactory.getLog(RedisWatch.class);

    private final StringRedisTemplate redis;

    private final Instances instances;

    private final String place;

    private volatile boolean up;

    private boolean gone;

    RedisWatch(StringRedisTemplate redis, Instances instances, ObjectProvider<SharedRedis> shared) {
        this.redis = redis;
        this.instances = instances;
        this.place = shared.stream().map(SharedRedis::toString).findAny().orElse("the one named by spring.data.redis");
    }

    boolean up() {
        return up;
    }

    String place() {
        return place;
    }

    @Scheduled(fixedDelay = 1000)
    void look() {
        try {
            redis.execute(RedisConnectionCommands::ping);
            if (!up) {
                cameUp();
            }
        } catch (DataAccessException | DistributedLockException ex) {
            if (up) {
                wentAway();
            }
        }
    }

    private void cameUp() {
        instances.register();
        up = true;
        if (gone) {
            logger.info("Redis is back: " + place);
        }
    }

    private void wentAway() {
        up = false;
        gone = true;
        logger.warn("Redis is gone: " + place + ". No sales until it is back; the locks then work again.");
    }
}
