package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A store in trouble, and callers who wait for many locks. */
class RetriesTests {

    private static final int NAMES = 200;

    @RegisterExtension
    final EngineWorld world = new EngineWorld();

    private final Instance one = world.instance("one");

    private List<Attempt> waiters() {
        return IntStream.range(0, NAMES)
                .mapToObj(i -> one.acquire(LockRequest.of("name-" + i).waitForever()))
                .toList();
    }

    private int sentWithin(Duration time) {
        int before = one.network.sent().size();
        for (long i = 0; i < time.toMillis(); i++) {
            world.advanceMillis(1);
        }
        return one.network.sent().size() - before;
    }

    private void assertGrantedWithin(Duration time, List<Attempt> waiters) {
        sentWithin(time);
        assertThat(waiters).allMatch(Attempt::isGranted);
        waiters.forEach(Attempt::close);
    }

    @Test
    void aStoreThatRefusesIsNotAskedMoreThanTwentyTimesASecondHoweverManyLocksAreWanted() {
        one.network.failNext(Integer.MAX_VALUE, Effect.NOT_EXECUTED);
        List<Attempt> waiters = waiters();

        assertThat(sentWithin(Duration.ofSeconds(30))).isBetween(30 * 19, 30 * 20 + 1);

        one.network.failNext(0, Effect.NOT_EXECUTED);
        assertGrantedWithin(Duration.ofMillis(100), waiters);
    }

    @Test
    void norIsOneThatDoesNotAnswer() {
        one.network.failNext(Integer.MAX_VALUE, Effect.UNKNOWN);
        List<Attempt> waiters = waiters();

        assertThat(sentWithin(Duration.ofSeconds(30))).isBetween(30 * 19, 30 * 20 + 1);

        one.network.failNext(0, Effect.UNKNOWN);
        assertGrantedWithin(Duration.ofMillis(100), waiters);
        world.advanceSeconds(61);
    }

    /** Each answer in the middle of trouble is a reason to ask for all locks again, but not more than once a second. */
    @Test
    void aStoreThatAnswersNowAndThenIsAskedForAllOncePerSecondAtMost() {
        one.network.failNext(Integer.MAX_VALUE, Effect.NOT_EXECUTED);
        List<Attempt> waiters = waiters();
        int sent = 0;
        for (int second = 0; second < 10; second++) {
            for (int i = 0; i < 5; i++) {
                sent += sentWithin(Duration.ofMillis(199));
                one.network.failNext(0, Effect.NOT_EXECUTED);
                one.tryOnce("other-" + second + "-" + i).close();
                one.network.failNext(Integer.MAX_VALUE, Effect.NOT_EXECUTED);
            }
        }

        assertThat(sent).isLessThan(10 * (NAMES + 20 + 5));

        one.network.failNext(0, Effect.NOT_EXECUTED);
        assertGrantedWithin(Duration.ofSeconds(2), waiters);
    }

    @Test
    void aSingleLockIsTriedAgainAsSoonAsItsOwnPauseIsOver() {
        one.network.failNext(1, Effect.NOT_EXECUTED);
        Attempt attempt = one.acquire("a");

        sentWithin(Duration.ofMillis(100));

        assertThat(attempt.isHeld()).isTrue();
        attempt.close();
    }
}
