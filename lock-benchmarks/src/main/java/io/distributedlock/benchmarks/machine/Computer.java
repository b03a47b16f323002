/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.machine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** The computer on which the figures are measured. */
public final class Computer {

    private Computer() {}

    /** Describes the processor, the system, the JDK, and the versions of Redis and of the libraries. */
    public static Map<String, String> describe(String redisVersion) {
        Map<String, String> facts = new TreeMap<>();
        facts.put("CPU", cpu() + ", " + Runtime.getRuntime().availableProcessors() + " cores");
        facts.put("Java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        facts.put("System", System.getProperty("os.name") + " " + numbers(System.getProperty("os.version", "")));
        facts.put("Redis", redisVersion);
        facts.put("Lettuce", version("io.lettuce", "lettuce-core"));
        facts.put("Redisson", version("org.redisson", "redisson"));
        facts.put("Spring Integration", implementation("org.springframework.integration.redis.util.RedisLockRegistry"));
        facts.put("Spring Boot", implementation("org.springframework.boot.SpringApplication"));
        facts.put("lock4j", version("com.baomidou", "lock4j-core"));
        return facts;
    }

    private static String cpu() {
        Path info = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(info)) {
            return System.getProperty("os.arch", "");
        }
        try {
            return Files.readAllLines(info).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse(System.getProperty("os.arch", ""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns only the leading numbers, since the rest may name the builder. */
    private static String numbers(String version) {
        return version.replaceFirst("[^0-9.].*", "");
    }

    private static String version(String group, String artifact) {
        String file = "/META-INF/maven/" + group + "/" + artifact + "/pom.properties";
        try (InputStream in = Computer.class.getResourceAsStream(file)) {
            if (in == null) {
                return "unknown";
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String implementation(String type) {
        try {
            String version = Class.forName(type).getPackage().getImplementationVersion();
            return version == null ? "unknown" : version;
        } catch (ClassNotFoundException e) {
            return "missing";
        }
    }
}
