/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What an operator sees of a line. */
class LineScriptTests extends AbstractScriptTests {

    private static String id(int number) {
        return "i" + number + ".1.secret";
    }

    private static List<String> line(int most) {
        List<String> found = new ArrayList<>();
        ((List<?>) run("line.lua", 1, ENTRY, String.valueOf(most))).forEach(each -> found.add(String.valueOf(each)));
        return found;
    }

    private static List<String> instances(IntStream numbers) {
        return numbers.mapToObj(number -> "i" + number).toList();
    }

    @Test
    void aFreeLockAndALockWithoutWaitersHaveNoLine() {
        assertThat(line(10)).isEmpty();
        acquire(id(0), "60000");
        assertThat(line(10)).isEmpty();
    }

    @Test
    void theLineHasTheInstancesInOrderAndNothingSecret() {
        acquire(id(0), "60000");
        acquireFor("owner", id(7), "60000");
        IntStream.range(1, 5).forEach(number -> acquire(id(number), "60000"));

        assertThat(line(10)).containsExactly("i7", "i1", "i2", "i3", "i4");
        assertThat(line(2)).containsExactly("i7", "i1");
    }

    /** Places of those who have left are skipped a row at a time. */
    @Test
    void instancesThatLeftAreNotInTheLine() {
        Random random = new Random(Seeds.of("line.seed"));
        acquire(id(0), "60000");
        IntStream.rangeClosed(1, 60).forEach(number -> acquire(id(number), "60000"));
        List<Integer> left = new ArrayList<>();
        for (int number = 1; number <= 60; number++) {
            if (random.nextInt(3) > 0) {
                release(id(number), "0", "");
                left.add(number);
            }
        }
        assertThat(line(100)).isEqualTo(instances(IntStream.rangeClosed(1, 60).filter(each -> !left.contains(each))));
    }

    @Test
    void aRowOfEmptyPlacesCostsOneStep() {
        acquire(id(0), "60000");
        IntStream.rangeClosed(1, 500).forEach(number -> acquire(id(number), "60000"));
        IntStream.rangeClosed(2, 499).forEach(number -> release(id(number), "0", ""));
        Map<String, Long> cost = cost(() -> assertThat(line(100)).containsExactly("i1", "i500"));

        assertThat(cost.values().stream().mapToLong(Long::longValue).sum()).isLessThan(10);
    }
}
