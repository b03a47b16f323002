/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.annotation.DistributedLocked;
import org.junit.jupiter.api.Test;

/** An interface and its class give the parameters of a method the same names in another order. */
class ParameterNameTests {

    private final RecordingLocks locks = new RecordingLocks();

    private final LockedProxies proxies = LockedProxies.by(locks);

    @Test
    void anAnnotationOnTheClassMeansTheParametersOfTheClass() {
        proxies.byClass(new Annotated()).transfer("to", "from");
        assertThat(locks.name()).isEqualTo("from");
    }

    @Test
    void anAnnotationOnASuperclassDoesSoToo() {
        proxies.byInterfaces(new Inheriting(), Bank.class).transfer("to", "from");
        assertThat(locks.name()).isEqualTo("from");
    }

    @Test
    void anAnnotationOnTheInterfaceMeansItsOwn() {
        proxies.byClass(new OfInterface()).transfer("from", "to");
        assertThat(locks.name()).isEqualTo("from");
    }

    interface Bank {

        void transfer(String from, String to);
    }

    @DistributedLocked("#from")
    interface AnnotatedBank {

        void transfer(String from, String to);
    }

    @DistributedLocked("#from")
    static class Annotated implements Bank {

        @Override
        public void transfer(String to, String from) {}
    }

    static class Inheriting extends Annotated {

        @Override
        public void transfer(String to, String from) {}
    }

    static class OfInterface implements AnnotatedBank {

        @Override
        public void transfer(String to, String from) {}
    }
}
