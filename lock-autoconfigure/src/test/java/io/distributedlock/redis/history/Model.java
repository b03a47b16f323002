package io.distributedlock.redis.history;

/** What the faults of a run do to Redis, which decides what may be expected of the locks. */
public enum Model {

    /** Redis keeps what it has confirmed, so no two holds may overlap. */
    NO_LOSS,

    /** Redis forgets, so holds may overlap, which is counted. Tokens have to grow all the same. */
    DATA_LOSS
}
