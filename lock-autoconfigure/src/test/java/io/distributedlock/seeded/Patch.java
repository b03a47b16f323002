/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.seeded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A change to one file, as {@code git diff} writes it. Each of its places is found by its text, which has to be there
 * exactly once; line numbers are not looked at.
 */
record Patch(Path file, List<Place> places) {

    private static final Path ROOT = Path.of("..");

    /** Some whole lines, and what comes instead of them. */
    record Place(String before, String after) {}

    static Patch read(Path diff) throws IOException {
        Path file = null;
        List<Place> places = new ArrayList<>();
        StringBuilder before = new StringBuilder();
        StringBuilder after = new StringBuilder();
        for (String line : Files.readAllLines(diff)) {
            if (line.startsWith("+++ b/")) {
                file = ROOT.resolve(line.substring(6));
            } else if (line.startsWith("@@")) {
                add(before, after, places);
            } else if (file != null) {
                String text = line.substring(Math.min(1, line.length())) + "\n";
                before.append(line.startsWith("+") ? "" : text);
                after.append(line.startsWith("-") ? "" : text);
            }
        }
        add(before, after, places);
        if (file == null || places.isEmpty()) {
            throw new AssertionError(diff + " changes nothing");
        }
        return new Patch(file, List.copyOf(places));
    }

    private static void add(StringBuilder before, StringBuilder after, List<Place> places) {
        if (!before.isEmpty()) {
            places.add(new Place(before.toString(), after.toString()));
        }
        before.setLength(0);
        after.setLength(0);
    }

    String original() throws IOException {
        return Files.readString(file);
    }

    /** The file with the change. */
    String changed() throws IOException {
        String text = original();
        for (Place place : places) {
            int at = text.indexOf(place.before());
            if (at < 0 || text.indexOf(place.before(), at + 1) >= 0) {
                String found = at < 0 ? "is not in " : "is more than once in ";
                throw new AssertionError("This " + found + file + ":\n" + place.before());
            }
            text = text.substring(0, at)
                    + place.after()
                    + text.substring(at + place.before().length());
        }
        return text;
    }
}
