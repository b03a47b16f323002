/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLocked;
import org.junit.jupiter.api.Test;

/** A parameter is one for the handle by its type in the class of the bean, which may come from a type variable. */
class HandleParameterTests {

    private final LockedProxies proxies = LockedProxies.by(new RecordingLocks());

    @Test
    void aMethodOfAGenericSuperclassGetsTheHandle() {
        assertThat(proxies.byClass(new OfHandle()).run("a", null)).isEqualTo("a");
        Job<?> ofInterface = proxies.byInterfaces(new OfHandle(), Job.class);
        assertThat(ofInterface.run("b", null)).isEqualTo("b");
    }

    @Test
    void aDefaultMethodOfAGenericInterfaceGetsTheHandle() {
        assertThat(proxies.byClass(new ByDefault()).run("a", null)).isEqualTo("a");
    }

    @Test
    void aMethodForAnotherTypeGetsNone() {
        assertThat(proxies.byClass(new OfText()).run("a", null)).isEqualTo("none");
        assertThat(proxies.byClass(new OfAny<LockHandle>()).run("a", null)).isEqualTo("none");
        assertThat(proxies.byClass(new OfAny<LockHandle>()).own("a", null)).isEqualTo("none");
    }

    interface Job<C> {

        String run(String id, C context);
    }

    abstract static class Template<C> implements Job<C> {

        @Override
        @DistributedLocked("#id")
        public String run(String id, C context) {
            return nameOf(context);
        }
    }

    private static String nameOf(Object context) {
        return context instanceof LockHandle handle ? handle.name() : "none";
    }

    static class OfHandle extends Template<LockHandle> {}

    static class OfText extends Template<String> {}

    static class OfAny<T> extends Template<T> {

        @DistributedLocked("#id")
        <O> String own(String id, O context) {
            return nameOf(context);
        }
    }

    interface Default<C extends AutoCloseable> {

        @DistributedLocked("#id")
        default String run(String id, C context) {
            return nameOf(context);
        }
    }

    static class ByDefault implements Default<LockHandle> {}
}
