/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** Targets without a class of their own, such as repositories, have the names of their interfaces. */
class GeneratedTargetTests {

    private final RecordingLocks locks = new RecordingLocks();

    private final LockedProxies proxies = LockedProxies.by(locks);

    @Test
    void methodsThatTwoInterfacesInheritHaveLocksOfTheirOwn() {
        generated(Accounts.class).save("account");
        generated(Orders.class).save("order");
        assertThat(locks.requests())
                .extracting(request -> request.name())
                .containsExactly(
                        Accounts.class.getName() + ".save(java.lang.Object)",
                        Orders.class.getName() + ".save(java.lang.Object)");
        assertThat(locks.requests().get(0).origin().label()).isEqualTo("Accounts.save");
    }

    @Test
    void aLambdaIsNamedByItsInterfaceToo() {
        Orders orders = text -> "lambda";
        proxies.byInterfaces(orders, Orders.class).save("order");
        assertThat(locks.name()).isEqualTo(Orders.class.getName() + ".save(java.lang.Object)");
    }

    @Test
    void theFallbackMayBeAMethodOfAnyInterfaceThatInheritsTheLockedOne() {
        locks.busy();
        assertThat(generated(WithFallback.class).run("text")).isEqualTo("later text");
    }

    private <T> T generated(Class<T> type) {
        Object target = Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Serializable.class, type},
                (proxy, method, arguments) ->
                        method.isDefault() ? InvocationHandler.invokeDefault(proxy, method, arguments) : "done");
        return proxies.byInterfaces(target, type);
    }

    interface Repository<T> {

        Object save(T entity);
    }

    @DistributedLocked
    interface Accounts extends Repository<String> {}

    @DistributedLocked
    interface Orders extends Repository<String> {}

    interface Running {

        @DistributedLocked(fallback = "later")
        String run(String text);
    }

    interface WithFallback extends Running {

        default String later(String text) {
            return "later " + text;
        }
    }
}
