/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each message that operators may see in the log or in an exception has a row on the page of troubleshooting. */
class TroubleshootingDocsTests {

    private static final Path SOURCES = Path.of("src", "main", "java", "io", "distributedlock");

    private static final Path PAGE = Path.of("..", "docs", "troubleshooting.md");

    private static final Pattern CALL = Pattern.compile("\\b\\w*[lL]og\\.(?:info|warn|error)\\(");

    private static final Pattern STRING = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /**
     * Classes with a message that is not written in the call: it comes from a variable or a method. The texts are in
     * the class and on the page.
     */
    private static final Map<String, List<String>> ELSEWHERE = Map.of(
            "BlockingCalls", List.of("was held until its release, but the release is not confirmed"),
            "LockLog", List.of("A line about a lock could not be logged", "A listener of ", " (token ", ", held by "),
            "LockReleaseSynchronization", List.of("After the end of the enclosing transaction"),
            "LocksEndpoint", List.of("taken away from its holder", "free, so not taken away"),
            "SafeLog", List.of("A line could not be logged"),
            "SingleServerConnections", List.of("is a replica, which accepts no writes"));

    /** Why a lock is unavailable, in the words of the class; a word of Redis has no class. */
    private static final Map<String, List<String>> CAUSES = Map.of(
            "AcquireResult",
            List.of(
                    "a step of the lock engine has failed",
                    "the lock template is shutting down",
                    " callers of this instance wait for it already",
                    "was granted, but its lease had ended or it was revoked before the caller got it"),
            "StoreFailures",
            List.of(
                    "no reply within ",
                    "the reply took longer than the lease of ",
                    "the lease was shortened before the reply arrived",
                    "the command was cancelled"),
            "LockClientFactory",
            List.of("the connection is not open yet"),
            "LettuceFailures",
            List.of("LOADING", "CLUSTERDOWN", "MISCONF", "READONLY", "NOPERM", "NOAUTH", "OOM"));

    private static String page(String section) throws IOException {
        String text = Files.readString(PAGE);
        int begin = text.indexOf("\n## " + section);
        int end = text.indexOf("\n## ", begin + 1);
        return text.substring(begin, end < 0 ? text.length() : end);
    }

    private static List<String> firstColumn(String section) throws IOException {
        return page(section)
                .lines()
                .filter(line -> line.startsWith("| "))
                .map(line -> line.substring(2, line.indexOf(" |")))
                .toList();
    }

    private static Map<String, String> sources() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .collect(Collectors.toMap(
                            file -> file.getFileName().toString().replace(".java", ""),
                            TroubleshootingDocsTests::read,
                            (one, other) -> one + other,
                            TreeMap::new));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** The texts of each call that logs, with "…" for everything else in its arguments. */
    private static List<String> messages(String source) {
        List<String> messages = new ArrayList<>();
        Matcher call = CALL.matcher(source);
        while (call.find()) {
            String arguments = source.substring(call.end(), endOf(source, call.end()));
            messages.add(STRING.matcher(arguments.replaceAll("\"\\s*\\+\\s*\"", ""))
                    .results()
                    .map(text -> text.group(1))
                    .collect(Collectors.joining("…")));
        }
        return messages;
    }

    /** Where the parenthesis is closed that is open at the begin. */
    private static int endOf(String source, int begin) {
        int open = 1;
        boolean inText = false;
        for (int i = begin; i < source.length(); i++) {
            char at = source.charAt(i);
            if (inText && at == '\\') {
                i++;
            } else if (at == '"') {
                inText = !inText;
            } else if (!inText && at == '(') {
                open++;
            } else if (!inText && at == ')' && --open == 0) {
                return i;
            }
        }
        return source.length();
    }

    /** A text of the page as a pattern: "…" stands for any text. */
    private static Pattern pattern(String text) {
        return Pattern.compile(Arrays.stream(text.split("…"))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .map(Pattern::quote)
                .collect(Collectors.joining(".*")));
    }

    @Test
    void eachMessageOfTheLogIsOnThePage() throws IOException {
        List<Pattern> documented = firstColumn("Log messages").stream()
                .flatMap(cell -> CODE.matcher(cell).results())
                .map(code -> pattern(code.group(1)))
                .toList();
        List<String> missing = new ArrayList<>();
        int found = 0;
        for (Map.Entry<String, String> source : sources().entrySet()) {
            for (String message : messages(source.getValue())) {
                found++;
                if (!ELSEWHERE.containsKey(source.getKey())
                        && documented.stream()
                                .noneMatch(text -> text.matcher(message).find())) {
                    missing.add(source.getKey() + ": " + message);
                }
            }
        }

        assertThat(found).isGreaterThan(40);
        assertThat(missing).isEmpty();
    }

    @Test
    void soIsEachMessageThatIsMadeElsewhere() throws IOException {
        String page = page("Log messages");
        Map<String, String> sources = sources();

        ELSEWHERE.forEach((type, texts) -> assertThat(texts).as(type).allSatisfy(text -> {
            assertThat(sources.get(type)).contains(text);
            assertThat(page).contains(text.strip());
        }));
    }

    @Test
    void soIsEachExceptionOfTheApi() throws IOException {
        List<String> documented = firstColumn("Exceptions");
        try (Stream<Path> files = Files.list(SOURCES)) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith("Exception.java"))
                            .map(name -> name.replace(".java", ""))
                            // The common superclass has no instances.
                            .filter(name -> !name.equals("DistributedLockException")))
                    .hasSizeGreaterThan(5)
                    .allSatisfy(name -> assertThat(documented).anyMatch(cell -> cell.startsWith("`" + name + "`")));
        }
    }

    @Test
    void soIsEachCauseOfAnUnavailableLock() throws IOException {
        String documented = String.join("\n", firstColumn("Exceptions"));
        Map<String, String> sources = sources();

        CAUSES.forEach((type, texts) -> assertThat(texts).as(type).allSatisfy(text -> {
            assertThat(sources.get(type).replaceAll("\"\\s*\\+\\s*\"", "")).contains(text);
            assertThat(documented).contains(text.strip());
        }));
    }
}
