/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.DistributedLockException;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Reports when Redis is gone and when it is back. The locks need no help: they work again by themselves. */
@Component
class RedisWatch {

    private final Instances instances;

    private final DeathWatch deaths;

    private final News news;

    private final Optional<SharedRedis> shared;

    private volatile boolean up;

    private boolean gone;

    RedisWatch(Instances instances, DeathWatch deaths, News news, ObjectProvider<SharedRedis> shared) {
        this.instances = instances;
        this.deaths = deaths;
        this.news = news;
        this.shared = shared.stream().findAny();
    }

    boolean up() {
        return up;
    }

    String place() {
        return shared.map(SharedRedis::toString).orElse("the one named by spring.data.redis");
    }

    @Scheduled(fixedDelay = 500)
    void look() {
        try {
            instances.renew();
            if (!up) {
                cameUp();
            }
            deaths.look();
        } catch (DataAccessException | DistributedLockException ex) {
            if (up) {
                wentAway();
            }
            shared.flatMap(SharedRedis::revive).ifPresent(news::good);
        }
    }

    private void cameUp() {
        up = true;
        deaths.redisCameUp();
        if (gone) {
            news.good("Redis is back: " + place() + ". Selling goes on.");
        }
    }

    private void wentAway() {
        up = false;
        gone = true;
        news.bad(shared.map(SharedRedis::whenGone)
                .orElse("Redis is gone: " + place() + ". Without it no lock is granted, so no instance sells. "
                        + "Start it again; the shop then goes on by itself."));
    }
}
