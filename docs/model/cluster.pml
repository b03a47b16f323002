/*
 * The fencing tokens of one lock in a Redis Cluster whose masters have different clocks, while the slot of the lock
 * moves. README.md describes the scope of the model and its limits, ./check contains the runs.
 *
 * Time is absolute and ends with the run, since a token is a reading of a clock. Master 0 has the most advanced clock.
 * Names in brackets are classes.
 */

#ifndef M
#define M 2             /* masters */
#endif
#ifndef MOVES
#define MOVES 1         /* moves of the slot */
#endif
#ifndef HOLDS
#define HOLDS 3         /* acquisitions in all */
#endif
#ifndef RETIRES
#define RETIRES 0       /* masters that lose their role after their slots */
#endif
#ifndef NEWCOMERS
#define NEWCOMERS 0     /* instances that start again */
#endif
#define N 2             /* instances */
#define AHEAD 7         /* clock of master 0, minus those of the others */
#define AFTER 3         /* the time at the begin */
#ifndef END
#define END 13          /* no waiting after that: a run ends */
#endif
#ifndef CRASHES
#define CRASHES 0       /* holders that crash */
#endif
#ifndef START
#define START 0         /* the master that has the slot at first */
#endif
#ifndef MOVE
#define MOVE 3          /* shortest time between the begin and the end of a move */
#endif
#ifndef FLIGHT
#define FLIGHT 3        /* longest time from the writing of a command to its execution, which may include one move */
#endif
#define LEASE 6

#define NONE 255

/* The transit time of a reply to instance j: instance 0 is near the servers. */
#define TRANSIT(j) (j == 0 -> 0 : 2)

byte now = AFTER;
#define CLOCK(k) (now + (k == 0 -> AHEAD : 0))

/* ---- the servers ---- */

byte at = START;        /* the master that has the slot */
byte target = NONE;     /* the master that it moves to */
byte since;             /* when the move began */
bit retired;            /* master 0 is no longer a master */

bit key;                /* the entry exists, at this master: */
byte where;
byte owner;             /* instance + 1; 0 = a token that is kept without an owner */
byte tok;
byte until;             /* end of its TTL */
bit waits;              /* the other instance is in line */

/* ---- the instances ---- */

#define IDLE 0
#define WRITTEN 1       /* a request is on its way to a master */
#define SENTBACK 2      /* a redirection is on its way back */
#define WAITING 3
#define HOLDING 4
#define RELEASING 5     /* a release is on its way */

typedef Inst {
  byte phase;
  byte view = START;    /* the master that has the slot, as far as it knows: by a redirection, or by a topology as old */
  byte to;              /* the master that the command is sent to */
  bit asking;
  byte when;            /* when it was written, or when the redirection arrives */
  byte floor;           /* operand of the command */
  byte seen;            /* highest token of a reply */
  byte departed;        /* the clock of a master that is no longer one, when it was last known */
  bit forgot;           /* does not count the clock of master 0 */
};
Inst in[N];

byte holds = HOLDS;
byte crashes = CRASHES;
byte moves = MOVES;
byte retires = RETIRES;
byte newcomers = NEWCOMERS;
byte last;              /* highest token so far, for the observer */
hidden byte M1, M2;
hidden byte who, tk, clk, flr;

/* [ClusterConnections].floor: the most advanced clock, known by its replies, or the highest token */
inline floorOf(j) {
  flr = in[j].seen;
#ifndef NO_CLOCKS
  clk = now - TRANSIT(j);                                         /* a lower bound: counted from the arrival of the reply */
#ifdef CLOCK_FROM_REQUEST
  clk = now + TRANSIT(j);
#endif
  if
  :: !in[j].forgot -> clk = clk + AHEAD
  :: else
  fi;
  flr = (clk > flr -> clk : flr);
  flr = (in[j].departed > flr -> in[j].departed : flr)
#endif
}

inline write(j, master) {
  in[j].phase = WRITTEN; in[j].to = master; in[j].when = now; in[j].asking = 0
}

inline grant(j, known) {
  tk = CLOCK(in[j].to);
  tk = (known + 1 > tk -> known + 1 : tk);
  assert(tk > last || M2);
  last = tk;
  owner = j + 1; tok = tk; until = now + LEASE; key = 1
}

/* The reply arrives with the lock: a hold begins. */
inline hold(j) {
  in[j].phase = HOLDING; in[j].seen = tok; in[j].to = 0; in[j].asking = 0; in[j].when = 0; in[j].floor = 0
}

#define OTHER(j) (1 - j)

/* The master of command j executes it: it has the slot and the key, or the slot is moving to it */
#define MIGRATED(k) (at == k && target != NONE && !(key && where == k))
#define SERVES(j) (at == in[j].to && !MIGRATED(in[j].to) || in[j].asking && target == in[j].to)

/* acquire.lua */
inline acquire(j) {
  if
  :: key && owner == 0 -> flr = (in[j].floor > tok -> in[j].floor : tok); where = in[j].to; grant(j, flr); hold(j)
  :: !key -> where = in[j].to; grant(j, in[j].floor); hold(j)
  :: key && owner != 0 ->
     waits = 1; in[j].phase = WAITING; in[j].to = 0; in[j].asking = 0; in[j].when = 0; in[j].floor = 0
  fi
}

inline drop() { key = 0; owner = 0; tok = 0; until = 0; where = 0 }

/* release.lua */
inline release(j) {
  assert(key && owner == j + 1 || M1);
  tok = (in[j].seen > tok -> in[j].seen : tok);
  if
  :: waits ->
     waits = 0;
     flr = in[j].to;
     tk = CLOCK(flr);
     tk = (tok + 1 > tk -> tok + 1 : tk);
     assert(tk > last || M2);
     last = tk;
     owner = OTHER(j) + 1; tok = tk; until = now + LEASE;
     hold(OTHER(j))
  :: !waits && tok >= CLOCK(in[j].to) && !(at == in[j].to && target != NONE) ->
     /* the token stays until this clock has passed it; in a slot that moves away, nothing can be written */
#ifdef NOT_KEPT
     drop()
#else
     owner = 0; until = now + tok - CLOCK(in[j].to) + 2
#endif
  :: else -> drop()
  fi;
  in[j].phase = IDLE; in[j].to = 0; in[j].asking = 0; in[j].when = 0; in[j].floor = 0
}

#define ON_WAY(j) (in[j].phase == WRITTEN || in[j].phase == RELEASING)
#define DUE(j) (ON_WAY(j) && now >= in[j].when + FLIGHT || in[j].phase == SENTBACK && now >= in[j].when)
/* A holder renews its lease, so its entry ends only after a crash; commands need less than that. */
#define LIVES (key && owner && (in[owner-1].phase == HOLDING || in[owner-1].phase == RELEASING || in[owner-1].phase == SENTBACK))

inline redirect(j, master, ask) {
  in[j].to = master; in[j].asking = ask; in[j].view = (ask -> in[j].view : master);
#ifdef FLOOR_OF_FIRST_WRITING
  in[j].when = now                                              /* the same bytes, on the connection to the other master */
#else
  if
  :: in[j].phase == WRITTEN -> in[j].phase = SENTBACK; in[j].when = now + TRANSIT(j)
  :: else -> in[j].when = now
  fi
#endif
}

#define STEPS(j) \
  :: in[j].phase == IDLE && holds > 0 ->                                        /* sends a request */ \
     who = j; holds--; floorOf(who); in[who].floor = flr; write(who, in[who].view) \
  :: in[j].phase == SENTBACK && now >= in[j].when ->                            /* is written again [ScriptCommand] */ \
     who = j; floorOf(who); in[who].floor = flr; in[who].phase = WRITTEN; in[who].when = now \
  :: ON_WAY(j) && SERVES(j) && (!DUE(OTHER(j)) || DUE(j)) ->                    /* takes time */ \
     who = j; now++; \
     if \
     :: in[who].phase == WRITTEN -> acquire(who) \
     :: else -> release(who) \
     fi \
  :: ON_WAY(j) && !SERVES(j) ->                                                 /* ASK, MOVED */ \
     who = j; \
     if \
     :: MIGRATED(in[who].to) -> redirect(who, target, 1) \
     :: else -> redirect(who, at, 0) \
     fi \
  :: in[j].phase == HOLDING -> who = j; in[who].phase = RELEASING; in[who].to = in[who].view; in[who].when = now \
  :: in[j].phase == HOLDING && crashes > 0 ->                             /* crashes, and starts again with all that it knew */ \
     who = j; crashes--; in[who].phase = IDLE; until = now + LEASE \
  :: retired && !in[j].forgot && newcomers > 0 && in[j].phase == IDLE ->        /* starts without that knowledge */ \
     who = j; newcomers--; in[who].forgot = 1; in[who].seen = 0 \
  :: retired && !in[j].forgot ->                                                /* [ClusterClocks].retain */ \
     who = j; in[who].forgot = 1; REMEMBER(who)

#ifdef DEPARTED_FORGOTTEN
#define REMEMBER(j) skip
#else
#define REMEMBER(j) in[j].departed = now - TRANSIT(j) + AHEAD
#endif

active proctype world() {
  do
  :: atomic {
    if
    STEPS(0)
    STEPS(1)
    :: target == NONE && moves > 0 && at != 0 && !retired -> moves--; target = 0; since = now
    :: target == NONE && moves > 0 && at != 1 -> moves--; target = 1; since = now
#if M > 2
    :: target == NONE && moves > 0 && at != 2 -> moves--; target = 2; since = now
#endif
    :: target != NONE && key && where == at -> where = target                   /* MIGRATE */
    :: target != NONE && now >= since + MOVE && (!key || where == target) -> at = target; target = NONE; since = 0
    :: at != 0 && target == NONE && retires > 0 && !retired -> retires--; retired = 1
    :: now < END && !DUE(0) && !DUE(1) && (holds > 0 || ON_WAY(0) || ON_WAY(1) || waits) -> now++;
       if
       :: key && now >= until && !LIVES ->
          if
          :: waits && in[0].phase == WAITING -> in[0].phase = IDLE
          :: waits && in[0].phase != WAITING -> in[1].phase = IDLE
          :: else
          fi;
          waits = 0;
          drop()
       :: else
       fi
    :: else -> break
    fi;
#ifdef VERBOSE
    printf("step  time %d  slot %d->%d since %d | key %d at %d owner %d tok %d until %d waits %d | last %d\n", now, at, target, since, key, where, owner, tok, until, waits, last);
    for (who : 0 .. N-1) {
      printf("inst %d: view %d phase %d to %d asking %d when %d floor %d seen %d departed %d forgot %d\n", who, in[who].view, in[who].phase, in[who].to, in[who].asking, in[who].when, in[who].floor, in[who].seen, in[who].departed, in[who].forgot)
    }
#endif
    who = 0; tk = 0; clk = 0; flr = 0
    }
  od
}
