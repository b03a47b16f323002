/*
 * One lock that readers hold together and writers alone. README.md describes the scope of the model and its limits,
 * ./check contains the runs.
 *
 * Each caller is an acquisition of its own, in an instance of its own. The clock ticks when nothing is due; a tick while
 * something is under way is a fault, like a lost reply or message. Names in brackets are classes.
 */

#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#define K (READERS+WRITERS)
#ifndef CALLS
#define CALLS 2         /* calls of each caller */
#endif
#ifndef FAULTS
#define FAULTS 1
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef LEAVES
#define LEAVES 0        /* waiting callers that leave the line */
#endif
#define L 3             /* lease; that of reader 1 is shorter */
#define LEASE(j) (j == 1 -> 2 : L)
#define P 2             /* longest time between two requests of a waiter */
#define H 2             /* longest section */

#define READS(j) (j < READERS)
#define SHARED 255

/* ---- the entry ---- */

byte owner;             /* caller + 1, or SHARED; 0 = none */
byte holds;             /* bit set of the readers that have the entry */
byte tok;
byte ttl;
byte line[K];           /* caller + 1 */
byte n;

/* ---- callers ---- */

#define IDLE 0
#define REQUESTING 1        /* a request is under way */
#define WAITING 2
#define REPLIED 3      /* a reply that grants the lock is under way */
#define HOLDING 4
#define RELEASING 5     /* a release is under way; the caller may be holding no longer */
#define DEAD 6

typedef Caller {
  unsigned phase : 3;
  unsigned calls : 2;
  unsigned sent : 3;    /* ticks since the request, or since the last one that had the reply "wait" */
  unsigned next : 2;    /* ticks until the next request of a waiter */
  unsigned dl : 3;
  unsigned age : 2;     /* of the hold */
  unsigned msg : 1;     /* a grant is under way */
  unsigned fresh : 1;   /* the lease was renewed in this tick */
  byte known;           /* token of the latest "wait" reply */
  byte got;             /* token of the grant under way */
};
Caller c[K];

byte faults = FAULTS;
byte crashes = CRASHES;
byte leaves = LEAVES;
byte last;              /* highest token so far */
hidden byte M1, M2, M17;
hidden byte pos, at, entered, cut;
byte who, die;          /* the choices of the next step; 0 between steps */

/* A token of its own for caller j. The clock is ahead of all tokens while the entry does not exist. NO_TOKENS: in runs
 * without end. */
inline mint(j) {
#ifndef NO_TOKENS
#ifdef READERS_SHARE_TOKEN
  tok = (holds && owner == SHARED -> tok : (tok > last -> tok : last) + 1);
#else
  tok = (owner == 0 && last > tok -> last : tok) + 1;
#endif
  assert(tok > last || M2);
  last = tok;
#endif
  c[j].got = tok
}

inline place(x) {
  pos = 0;
  do
  :: pos < n && line[pos] != x -> pos++
  :: else -> break
  od
}

inline removeAt() {
  for (at : 0 .. K-2) { line[at] = (at >= pos -> line[at+1] : line[at]) }
  line[K-1] = 0; n--
}

inline drop() {
  owner = 0; holds = 0; ttl = 0; tok = 0; n = 0;
  for (at : 0 .. K-1) { line[at] = 0 }
}

/* Looked up before the write: a dead caller may still be counted. */
#define LISTENS(j) (c[j].phase != DEAD || die)

inline message(j) {
  c[j].msg = (c[j].phase == DEAD -> 0 : 1)
}

/* All readers in line enter, those behind writers too; each gets a token and a message. */
inline letIn(j) {
  pos = 0;
  do
  :: pos == n -> break
  :: pos < n && READS(line[pos]-1) ->
     cut = line[pos]-1;
     removeAt();
     if
     :: cut == j || LISTENS(cut) ->
        owner = SHARED; holds = holds | (1 << cut); ttl = (LEASE(cut) > ttl -> LEASE(cut) : ttl); entered = 1;
        mint(cut);
        if :: cut != j -> message(cut) :: else fi
     :: else
     fi
  :: else -> pos++
  od
}

#define NOBODY K

#ifdef READERS_OVERTAKE
#define JOINS 1
#else
#define JOINS (n == 0)
#endif

/* acquire.lua */
inline acquire(j) {
  if
  :: owner == 0 ->
     mint(j);
     owner = (READS(j) -> SHARED : j+1); holds = (READS(j) -> 1 << j : 0); ttl = LEASE(j);
     c[j].phase = REPLIED
  :: owner == j+1 || owner == SHARED && (holds & (1 << j)) ->                   /* again; a reader gets the next token */
     if :: owner == SHARED -> mint(j) :: else -> c[j].got = tok fi;
     ttl = (ttl < LEASE(j) -> LEASE(j) : ttl);
     c[j].phase = REPLIED
  :: owner == SHARED && READS(j) && !(holds & (1 << j)) ->
#ifndef DEAD_WRITER_BLOCKS
     do                                         /* those at the head that do not listen are passed over */
     :: n > 0 && !LISTENS(line[0]-1) -> pos = 0; removeAt()
     :: else -> break
     od;
#endif
     if
     :: n > 0 && READS(line[0]-1) -> letIn(j)
     :: else
     fi;
     place(j+1);
     if
     :: !(holds & (1 << j)) && JOINS ->
        if :: pos < n -> removeAt() :: else fi;
        holds = holds | (1 << j); ttl = (ttl < LEASE(j) -> LEASE(j) : ttl);
        mint(j)
     :: else
     fi;
     if
     :: holds & (1 << j) -> c[j].phase = REPLIED
     :: else -> wait(j)
     fi
  :: else -> wait(j)
  fi
}

inline wait(j) {
  place(j+1);
  if :: pos == n -> line[n] = j+1; n++ :: else fi;
  c[j].phase = WAITING; c[j].known = tok; c[j].next = (ttl < P -> ttl : P)
}

/* The lock is passed on: to the first in line that listens; if that is a reader, to all readers in line. */
inline handOver() {
  owner = 0; holds = 0; ttl = 0; entered = 0;
  do
  :: entered || n == 0 -> break
  :: else ->
     cut = line[0]-1;
     if
     :: LISTENS(cut) && READS(cut) ->
        owner = SHARED;
        letIn(NOBODY)
     :: LISTENS(cut) && !READS(cut) ->
        pos = 0; removeAt();
        mintKept(cut);
        owner = cut+1; ttl = LEASE(cut); entered = 1;
        message(cut)
     :: else -> pos = 0; removeAt()
     fi
  od;
  if :: !entered -> drop() :: else fi
}

/* The entry and its token exist: the owner is only empty within the script. */
inline mintKept(j) {
#ifndef NO_TOKENS
  tok++;
  assert(tok > last || M2);
  last = tok;
#endif
  c[j].got = tok
}

/* release.lua */
inline release(j) {
  if
  :: owner == SHARED && (holds & (1 << j)) ->
#ifdef RELEASES_ALL
     holds = 0;
#else
     holds = holds & ~(1 << j);
#endif
     if :: holds == 0 -> handOver() :: else fi
  :: owner == j+1 -> handOver()
  :: else ->
     place(j+1);
     if
     :: pos < n ->
        removeAt();
#ifndef LEAVER_LETS_NOBODY_IN
        if :: owner == SHARED && n > 0 && READS(line[0]-1) -> letIn(NOBODY) :: else fi
#endif
     :: else
     fi
  fi
}

inline done(j) {
  c[j].phase = IDLE; c[j].sent = 0; c[j].next = 0; c[j].dl = 0; c[j].age = 0; c[j].msg = 0; c[j].known = 0; c[j].got = 0; c[j].fresh = 0
}

/* A hold begins, if there is enough left of its lease; otherwise the lease is released. */
inline start(j) {
  if
  :: c[j].sent < LEASE(j) ->
     c[j].phase = HOLDING; c[j].dl = LEASE(j) - c[j].sent; c[j].age = 0; c[j].fresh = 1
  :: else -> c[j].phase = RELEASING
  fi;
  c[j].sent = 0; c[j].next = 0; c[j].known = 0; c[j].got = 0; c[j].msg = 0
}

/* renew.lua: all readers share the TTL, so it never gets shorter */
inline renew(j) {
  if
  :: owner == j+1 || owner == SHARED && (holds & (1 << j)) ->
#ifdef READER_SHORTENS
     ttl = LEASE(j);
#else
     ttl = (ttl < LEASE(j) -> LEASE(j) : ttl);
#endif
     c[j].dl = LEASE(j); c[j].fresh = 1
  :: else -> done(j)                            /* lost */
  fi
}

#define HELD(j) (c[j].phase == HOLDING && c[j].dl > 0)
#define IN_ENTRY(j) (owner == j+1 || owner == SHARED && (holds & (1 << j)))
#define AGREED(j) (!HELD(j) || IN_ENTRY(j) && ttl >= c[j].dl)

inline tick() {
  for (at : 0 .. K-1) {
    c[at].fresh = 0;
    if
    :: c[at].phase == REQUESTING || c[at].phase == WAITING || c[at].phase == REPLIED ->
       c[at].sent = (c[at].sent < L -> c[at].sent + 1 : L);
       c[at].next = (c[at].next > 0 -> c[at].next - 1 : 0)
    :: c[at].phase == HOLDING -> c[at].dl = (c[at].dl > 0 -> c[at].dl - 1 : 0); c[at].age = (c[at].age < H -> c[at].age + 1 : H)
    :: else
    fi
  }
  if
  :: ttl == 1 -> drop()
  :: ttl > 1 -> ttl--
  :: else
  fi
}

#ifdef HANGS            /* reader 0 holds for ever, but not without a renewal */
#define LEAVES_AT(j) (j == 0 -> 9 : H)
#else
#define LEAVES_AT(j) H
#endif
#ifdef ENDLESS
#define COMES(j) (READS(j) || c[j].calls > 0)
#define MAY_GO(j) (c[j].age > 0)
#else
#define COMES(j) (c[j].calls > 0)
#define MAY_GO(j) 1
#endif

#define UNDER_WAY(j) (c[j].phase == REQUESTING || c[j].phase == REPLIED || c[j].phase == RELEASING || c[j].msg)
#define OVERDUE(j) (c[j].phase == WAITING && c[j].next == 0 || c[j].phase == HOLDING && (c[j].dl == 0 || c[j].age >= LEAVES_AT(j) || !c[j].fresh))

mtype = { CALL, EXEC, LOST_REPLY, ASK, REPLY, GRANT, DROP, LEAVE, RENEW, NO_RENEWAL, END, RELEASE, CRASH, TICK };
mtype ev;

#define STEPS(j) \
  :: c[j].phase == IDLE && COMES(j) && !IN_ENTRY(j) -> who = j; ev = CALL \
  :: c[j].phase == REQUESTING -> who = j; ev = EXEC \
  :: c[j].phase == REQUESTING && faults > 0 && c[j].sent > 0 -> who = j; ev = LOST_REPLY \
  :: c[j].phase == WAITING && c[j].next == 0 -> who = j; ev = ASK \
  :: c[j].phase == REPLIED -> who = j; ev = REPLY \
  :: c[j].msg -> who = j; ev = GRANT \
  :: c[j].msg && faults > 0 -> who = j; ev = DROP \
  :: c[j].phase == WAITING && leaves > 0 -> who = j; ev = LEAVE \
  :: HELD(j) && c[j].age < LEAVES_AT(j) && !c[j].fresh -> who = j; ev = RENEW \
  :: HELD(j) && !c[j].fresh && faults > 0 -> who = j; ev = NO_RENEWAL \
  :: c[j].phase == HOLDING && (MAY_GO(j) && LEAVES_AT(j) == H || c[j].dl == 0) -> who = j; ev = END \
  :: c[j].phase == RELEASING -> who = j; ev = RELEASE \
  :: crashes > 0 && c[j].phase != IDLE && c[j].phase != DEAD && c[j].phase != RELEASING -> who = j; ev = CRASH

#define ALIVE(j) (c[j].phase != IDLE && c[j].phase != DEAD || c[j].phase == IDLE && c[j].calls > 0)
#if K > 3
#define ANY(f) (f(0) || f(1) || f(2) || f(3))
#else
#define ANY(f) (f(0) || f(1) || f(2))
#endif

inline ask() { c[who].phase = REQUESTING; c[who].sent = 0 }

inline step() {
  if
  :: ev == CALL -> c[who].calls = (c[who].calls > 0 -> c[who].calls - 1 : 0); ask()
  :: ev == EXEC || ev == LOST_REPLY ->
     acquire(who);
     if
     :: ev == LOST_REPLY -> faults--; c[who].phase = REQUESTING; c[who].got = 0
     :: else
     fi
  :: ev == ASK -> ask()
  :: ev == REPLY -> start(who)
  :: ev == GRANT ->                             /* its age is bounded by the last "wait"; its token shows that it is not older */
     c[who].msg = 0;
     if
     :: c[who].phase != WAITING -> skip
     :: c[who].phase == WAITING && 2*(LEASE(who) - c[who].sent) >= LEASE(who) && c[who].got > c[who].known -> start(who)
     :: else -> ask()
     fi
  :: ev == DROP -> faults--; c[who].msg = 0
  :: ev == LEAVE -> leaves--; c[who].phase = RELEASING; c[who].msg = 0
  :: ev == RENEW -> renew(who)
  :: ev == NO_RENEWAL -> faults--; c[who].fresh = 1
  :: ev == END -> c[who].phase = RELEASING; c[who].dl = 0; c[who].age = 0; c[who].fresh = 0
  :: ev == RELEASE -> release(who); done(who)
  :: ev == CRASH -> crashes--; done(who); c[who].calls = 0; c[who].phase = DEAD
  :: ev == TICK ->
     if :: ANY(UNDER_WAY) && ANY(ALIVE) -> faults-- :: else fi;
     tick()
  fi
}

/* Readers that could enter have entered, once every request has been executed. */
#define FRESH (faults == FAULTS && crashes == CRASHES)
#define READER_STUCK (owner == SHARED && n > 0 && READS(line[0]-1))

inline check() {
  for (at : 0 .. K-1) {
    assert(AGREED(at) || M1);
    assert(!(HELD(at) && !READS(at) && (holds || owner != at+1)) || M1)
  }
  assert(owner == 0 || owner == SHARED && holds || owner != SHARED && !holds || M1);
  assert(!(FRESH && READER_STUCK) || M17)
}

#ifdef HANGS            /* then reader 1 only gets in if the writer before it is dead */
#define DUE_TO_ENTER(j) (c[j].phase == WAITING && c[READERS].phase == DEAD)
#else
#define DUE_TO_ENTER(j) (c[j].phase == WAITING)
#endif
#ifdef WATCHED
ltl m10 { [] (DUE_TO_ENTER(WATCHED) -> <> (c[WATCHED].phase != WAITING && c[WATCHED].phase != REQUESTING)) }
#endif

active proctype world() {
  for (at : 0 .. K-1) { c[at].calls = CALLS }
  at = 0;
  do
  :: atomic {
    ANY(ALIVE) || owner;
#ifdef HANGS
    die = 0;                                    /* Redis has closed the connections of the dead */
#else
    if :: die = 0 :: crashes < CRASHES -> die = 1 fi;
#endif
    if
    STEPS(0)
    STEPS(1)
    STEPS(2)
#if K > 3
    STEPS(3)
#endif
    :: !ANY(OVERDUE) && (!ANY(UNDER_WAY) || faults > 0) && ANY(ALIVE) -> ev = TICK
    :: !ANY(ALIVE) && owner -> ev = TICK
    fi;
    d_step {
    step();
    check();
#ifdef VERBOSE
    printf("step %e  caller %d | owner %d holds %d tok %d ttl %d line %d %d %d\n", ev, who, owner, holds, tok, ttl, line[0], line[1], line[2]);
    for (at : 0 .. K-1) {
      printf("inst %d: phase %d calls %d sent %d next %d dl %d age %d msg %d known %d got %d\n", at, c[at].phase, c[at].calls, c[at].sent, c[at].next, c[at].dl, c[at].age, c[at].msg, c[at].known, c[at].got)
    }
#endif
    who = 0; pos = 0; at = 0; entered = 0; cut = 0; die = 0; ev = 0
    }
    }
  :: !ANY(ALIVE) && owner == 0 -> break
  od
}
