package io.distributedlock.benchmarks.worker;

import io.distributedlock.benchmarks.contenders.ContenderKind;

/** Many names that begin with the prefix, to be shared among threads. */
public record NamesOrder(ContenderKind kind, int port, String prefix, int count, int threads) {}
