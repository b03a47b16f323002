package io.distributedlock.sample;

import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/** Translates the public id under which an instance holds its locks into the name it has on the page. */
@Component
class Instances {

    private static final String KEY = "shop:instances";

    private final LockOperations locks;

    private final HashOperations<String, String, String> names;

    private final String own;

    Instances(LockOperations locks, StringRedisTemplate redis, ShopProperties properties) {
        this.locks = locks;
        this.names = redis.opsForHash();
        this.own = properties.instance();
    }

    /** Learns this instance's id by holding a lock and looking who holds it. */
    void register() {
        String id = locks.execute(
                LockRequest.of("instance:" + own),
                hold -> locks.inspect(hold.name()).map(LockState::owner).orElseThrow());
        names.put(KEY, id, own);
    }

    String nameOf(String owner) {
        String name = names.get(KEY, owner);
        return name == null ? owner : name;
    }
}
