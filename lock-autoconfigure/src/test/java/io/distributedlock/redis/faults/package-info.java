/**
 * Everything that can be broken on one machine, broken while several JVMs use locks, and judged by the history of what
 * they did. {@code FaultMatrixTests} plays one {@code FaultScenario} after the other, {@code ChaosSoak} all of them in
 * one run for as long as one likes.
 */
@NullMarked
package io.distributedlock.redis.faults;

import org.jspecify.annotations.NullMarked;
