package io.distributedlock.redis.history;

/** What the faults of a run do to Redis, which decides what may be expected of the locks. */
public enum Model {

    /** Redis keeps what it has confirmed, so no two holds may overlap. */
    NO_LOSS,

    /** Redis forgets, so holds may overlap, which is counted. Tokens have to grow all the same. */
    DATA_LOSS,

    /**
     * Redis forgets while faults that are said to lose data are under way. Holds may overlap from then until a lease after
     * them, which is counted, and at no other time.
     */
    SOME_LOSS
}
