/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The types of the API and their members, so that a review sees each change of them. */
class ApiTests {

    private static final Path LIST = Path.of("src", "test", "resources", "api.txt");

    private static final Path CURRENT = Path.of("target", "api.txt");

    @Test
    void theMembersOfTheApiAreAList() throws Exception {
        List<String> lines = new ArrayList<>();
        for (String name : ArchitectureTests.api()) {
            describe(Class.forName(name, false, getClass().getClassLoader()), lines);
        }
        Files.createDirectories(CURRENT.getParent());
        Files.write(CURRENT, lines);

        assertThat(lines)
                .as(
                        "The API has changed. If that is intended, copy %s to %s, and describe it in CHANGELOG.md.",
                        CURRENT, LIST)
                .containsExactlyElementsOf(Files.readAllLines(LIST));
    }

    @Test
    void eachTypeOfTheApiSaysSinceWhichVersion() throws IOException {
        for (String name : ArchitectureTests.api()) {
            Path source = Path.of("src", "main", "java", name.replace('.', '/') + ".java");
            assertThat(Files.readString(source)).as(name).contains("\n * @since ");
        }
    }

    private static void describe(Class<?> type, List<String> lines) {
        lines.add(header(type));
        Stream.<Member[]>of(type.getDeclaredFields(), type.getDeclaredConstructors(), type.getDeclaredMethods())
                .flatMap(Arrays::stream)
                .filter(member -> isShown(member.getModifiers()) && !member.isSynthetic())
                .map(ApiTests::line)
                .sorted()
                .forEach(lines::add);
        Arrays.stream(type.getDeclaredClasses())
                .filter(nested -> isShown(nested.getModifiers()))
                .sorted(Comparator.comparing(Class::getName))
                .forEach(nested -> describe(nested, lines));
    }

    private static boolean isShown(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static String header(Class<?> type) {
        List<String> above = new ArrayList<>();
        if (type.getGenericSuperclass() != null) {
            above.add(type.getGenericSuperclass().getTypeName());
        }
        Arrays.stream(type.getGenericInterfaces()).map(Type::getTypeName).forEach(above::add);
        int modifiers = type.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.FINAL);
        return Modifier.toString(modifiers) + " " + kind(type) + " " + type.getName() + " : "
                + String.join(", ", above);
    }

    private static String kind(Class<?> type) {
        if (type.isAnnotation()) {
            return "@interface";
        }
        if (type.isInterface()) {
            return "interface";
        }
        if (type.isEnum()) {
            return "enum";
        }
        return (Modifier.isAbstract(type.getModifiers()) ? "abstract " : "") + (type.isRecord() ? "record" : "class");
    }

    private static String line(Member member) {
        if (member instanceof Field field) {
            return "  " + field.toGenericString();
        }
        String text = "  " + ((Executable) member).toGenericString().replace(" synchronized ", " ");
        Object preset = member instanceof Method method ? method.getDefaultValue() : null;
        if (preset == null) {
            return text;
        }
        return text + " default " + (preset instanceof Object[] several ? Arrays.toString(several) : preset);
    }
}
