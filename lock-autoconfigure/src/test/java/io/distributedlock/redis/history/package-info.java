/**
 * What several JVMs did with their locks, written down as it happened, and judged afterwards. Nothing here knows how
 * the locks work: the recorder wraps {@code LockOperations}, the checker reads files.
 *
 * <p>Each JVM opens a {@code History} in a directory that all share and uses {@code RecordedLocks} in place of its
 * locks. The test compares the clock of each JVM with its own, and brackets what it breaks by {@code breaking(…)} and
 * {@code hit()} or {@code missed()}. At the end:
 *
 * <pre>{@code
 * HistoryReport verdict = new HistoryChecker("SIGKILL of a holder", seed, Model.NO_LOSS, bounds)
 *         .counter(name, value).store(name, acceptedTokens).leftovers(keys)
 *         .judge(History.read(directory));
 * System.out.println(verdict);
 * verdict.assertGreen();
 * }</pre>
 */
@NullMarked
package io.distributedlock.redis.history;

import org.jspecify.annotations.NullMarked;
