/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.interceptor.InvalidLockedMethodException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ClassUtils;

/** What is made of an application with locks ahead of time. */
class AheadOfTimeTests {

    private static RuntimeHints hintsOf(Class<?> bean) {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(AheadOfTimeTests.class)), new InMemoryGeneratedFiles());
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(
                    bean,
                    PropertyPlaceholderAutoConfiguration.class,
                    AopAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            generation.writeGeneratedContent();
        }
        return generation.getRuntimeHints();
    }

    @Test
    void theScriptsAndWhatExpressionsReachAreKept() throws Exception {
        RuntimeHints hints = hintsOf(Work.class);
        Path resources = Path.of("src", "main", "resources");
        try (Stream<Path> scripts =
                Files.find(resources, 9, (file, ignored) -> file.toString().endsWith(".lua"))) {
            assertThat(scripts)
                    .hasSizeGreaterThan(9)
                    .allSatisfy(script -> assertThat(hints)
                            .matches(RuntimeHintsPredicates.resource()
                                    .forResource(resources
                                            .relativize(script)
                                            .toString()
                                            .replace('\\', '/'))));
        }
        assertThat(hints)
                .matches(RuntimeHintsPredicates.reflection()
                        .onType(ClassUtils.forName("io.distributedlock.interceptor.LockExpressionRootObject", null))
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .matches(RuntimeHintsPredicates.reflection()
                        .onFieldAccess(LettuceConnectionFactory.class, "configuration"))
                .matches(RuntimeHintsPredicates.proxies().forInterfaces(DistributedLocked.class))
                .matches(RuntimeHintsPredicates.reflection()
                        .onType(Order.class)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .matches(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Work.class.getDeclaredMethod("later", Order.class)));
    }

    @Test
    void aMethodThatNoProxyReachesFailsTheBuild() {
        assertThatThrownBy(() -> hintsOf(Wrong.class))
                .hasRootCauseInstanceOf(InvalidLockedMethodException.class)
                .rootCause()
                .hasMessageContaining("private");
    }

    @Test
    void theBeansThatAnnotationsNameAreKept() throws Exception {
        RuntimeHints hints = hintsOf(WithBeans.class);
        assertThat(hints)
                .matches(RuntimeHintsPredicates.reflection()
                        .onType(Tenants.class)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .matches(RuntimeHintsPredicates.reflection()
                        .onType(Switch.class)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .matches(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Substitute.class.getDeclaredMethod("later")))
                .matches(
                        RuntimeHintsPredicates.reflection().onMethodInvocation(Later.class.getDeclaredMethod("later")));
    }

    /** As it would fail the start of an application that is not processed. */
    @ParameterizedTest
    @ValueSource(classes = {WithoutExpression.class, WithoutBean.class, WithoutProperty.class})
    void anErrorInAnAnnotationFailsTheBuild(Class<?> type) {
        assertThatThrownBy(() -> hintsOf(type)).hasStackTraceContaining(type.getName() + "#wrong()");
    }

    public record Order(String id) {}

    public static class Tenants {

        public String current() {
            return "a";
        }
    }

    public record Switch(boolean on) {}

    interface Later {

        void later();
    }

    static class Substitute implements Later {

        @Override
        public void later() {}
    }

    @DistributedLocked(key = "'tenant:' + @tenants.current()", condition = "@'the.switch'.on()")
    static class WithBeans {

        public void run() {}

        @DistributedLocked(fallback = "${no.such.property:substitute}::later")
        public void runOrElse() {}

        @Bean
        @DistributedLocked.None
        static Tenants tenants() {
            return new Tenants();
        }

        @Bean("the.switch")
        @DistributedLocked.None
        static Switch theSwitch() {
            return new Switch(true);
        }

        @Bean
        @DistributedLocked.None
        static Substitute substitute() {
            return new Substitute();
        }
    }

    static class WithoutExpression {

        @DistributedLocked(key = "@")
        public void wrong() {}
    }

    static class WithoutBean {

        @DistributedLocked(key = "@nobody.name")
        public void wrong() {}
    }

    static class WithoutProperty {

        @DistributedLocked(lease = "${no.such.property}")
        public void wrong() {}
    }

    static class Work {

        @DistributedLocked(key = "#order.id", fallback = "later")
        public void run(Order order) {}

        public void later(Order order) {}
    }

    static class Wrong {

        @DistributedLocked
        private void hidden() {}
    }
}
