package io.distributedlock.redis.history;

/** Something that is broken on purpose, from when that begins until it is whole again or gone for good. */
public final class Fault {

    /** The kind of a fault that ends a JVM: of its calls no answer is expected any more. */
    public static final String KILL = "SIGKILL";

    private final History history;

    private final Event begun;

    Fault(History history, Event begun) {
        this.history = history;
        this.begun = begun;
        history.write(begun);
    }

    /** It is over, and it hit what it was meant to hit. */
    public void hit() {
        end(true);
    }

    /** It is over, and there was nothing to hit. */
    public void missed() {
        end(false);
    }

    void end(boolean hit) {
        Event.Phase how = hit ? Event.Phase.OK : Event.Phase.FAIL;
        history.write(begun.then(Event.Operation.FAULT, how, System.nanoTime(), Event.NONE));
    }
}
