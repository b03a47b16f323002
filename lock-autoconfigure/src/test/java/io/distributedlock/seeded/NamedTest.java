/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.seeded;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;

/** A test method by the full name of its class, which may be a part of the contract of all topologies. */
record NamedTest(String type, String method) {

    private static final Path SOURCES = Path.of("src", "test", "java");

    private static final String CONTRACT = "io.distributedlock.redis.StandaloneLockContractTests";

    static NamedTest find(String simpleName, String method) throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            Path file = files.filter(each -> each.endsWith(simpleName + ".java"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("There is no " + simpleName));
            String path = SOURCES.relativize(file).toString();
            return new NamedTest(path.substring(0, path.length() - 5).replace('/', '.'), method);
        }
    }

    static NamedTest parse(String text) {
        String[] parts = text.split("#", 2);
        return new NamedTest(parts[0], parts[1]);
    }

    DiscoverySelector selector() throws ClassNotFoundException {
        // Not initialized before its own turn: it may start an application, whose threads other tests would find.
        Class<?> declaring = Class.forName(type, false, getClass().getClassLoader());
        Method found = Arrays.stream(declaring.getDeclaredMethods())
                .filter(each -> each.getName().equals(method))
                .findFirst()
                .orElseThrow(() -> new AssertionError("There is no " + this));
        if (!Modifier.isAbstract(declaring.getModifiers())) {
            return selectMethod(declaring, found);
        }
        Class<?> contract = Class.forName(CONTRACT);
        Class<?> topic = Arrays.stream(contract.getSuperclass().getDeclaredClasses())
                .filter(declaring::isAssignableFrom)
                .findFirst()
                .orElseThrow(() -> new AssertionError(type + " is no part of the contract"));
        return selectNestedMethod(List.of(contract), topic, found);
    }

    @Override
    public String toString() {
        return type + "#" + method;
    }
}
