package io.distributedlock.benchmarks.contenders;

/** Lets everybody in. */
final class NoLockContender implements Contender {

    @Override
    public Held acquire(String name) {
        return () -> {};
    }

    @Override
    public void close() {}
}
