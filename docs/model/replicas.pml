/*
 * Grants, hand-overs and renewals of one lock that count only when replicas have acknowledged them, and a failover.
 * README.md describes the scope of the model and its limits, ./check contains the runs.
 *
 * All counters are elapsed or remaining ticks. The clock may tick at any time: a delay of any length is possible at each
 * step. Names in brackets are classes.
 */

#ifndef R
#define R 1             /* replicas */
#endif
#ifndef WANTED
#define WANTED R        /* distributed-lock.replicas.acknowledge */
#endif
#ifndef CALLS
#define CALLS 2         /* acquisitions of each instance */
#endif
#ifndef FAILOVERS
#define FAILOVERS 1
#endif
#define S (R+1)         /* servers */
#define N 2             /* instances */
#define L 3             /* lease */
#define W 1             /* time-out of a confirmation */
#define MOST 4          /* counters stop there */

#define INST(x) (((x)-1)/CALLS)
#define ID(j) (j*CALLS + in[j].call)            /* each acquisition has an id of its own */

typedef Server {        /* an entry */
  byte owner;           /* 0 = none */
  byte ttl;
  byte line;            /* the id that waits */
};
Server srv[S];
byte master;            /* by the Sentinels or the cluster */
bit stale;              /* the former master has not noticed, and serves whoever is still connected */
byte former;

#define IDLE 0
#define REQUESTING 1        /* the request is under way */
#define WAITING 2
#define GRANTED 3       /* the reply or message has arrived; nothing is confirmed */
#define CONFIRMING 4    /* renewed on the connection for confirmations; WAIT is under way */
#define HOLDING 5

typedef Inst {
  byte phase;
  byte call;
  byte sent;            /* ticks since the request whose lease this is */
  byte dl;              /* ticks until the local deadline */
  bit renewing;         /* a renewal of the hold is under way */
  bit written;          /* it has been executed; WAIT is under way */
  byte age;             /* ticks since the renewal was sent */
  byte by;              /* the server that has executed the latest write */
  byte have;            /* bit set of replicas that have it */
#ifdef SHORTFALL_RELEASES
  bit earlier;          /* an earlier request of this id still waits for its confirmation */
#endif
};
Inst in[N];

byte failovers = FAILOVERS;
hidden byte M1;
hidden byte who, at, rr, count;

/* A server that an instance may be connected to: the master, or the former one for a while. */
#define SERVES(x) (x == master || stale && x == former)

#define BITS(b) ((b & 1) + (b >> 1 & 1) + (b >> 2 & 1))
#ifdef WAIT_ELSEWHERE   /* WAIT on a connection that has written nothing: the number of connected replicas at once */
#define CONFIRMED(j) (R >= WANTED)
#else
#define CONFIRMED(j) (BITS(in[j].have) >= WANTED)
#endif

inline clear(x) { srv[x].owner = 0; srv[x].ttl = 0; srv[x].line = 0 }

#ifdef SHORTFALL_RELEASES
#define EARLIER(j, value) in[j].earlier = value
#else
#define EARLIER(j, value) skip
#endif

inline idle(j) {
  EARLIER(j, 0);
  in[j].phase = IDLE; in[j].sent = 0; in[j].dl = 0; in[j].renewing = 0; in[j].written = 0; in[j].age = 0; in[j].by = 0; in[j].have = 0
}

/* acquire.lua at server "at" */
inline acquire(j) {
  if
  :: srv[at].owner == 0 ->
     srv[at].owner = ID(j); srv[at].ttl = L; in[j].phase = GRANTED
  :: srv[at].owner == ID(j) -> srv[at].ttl = L; in[j].phase = GRANTED
  :: else ->
     if
     :: srv[at].line == 0 -> srv[at].line = ID(j)
     :: else
     fi;
     in[j].phase = WAITING
  fi;
#ifdef UNCONFIRMED
  if :: in[j].phase == GRANTED -> start(j) :: else fi
#endif
}

/* A hold begins; its lease counts from the request. */
inline start(j) {
  if
  :: in[j].sent < L ->
     in[j].phase = HOLDING; in[j].dl = L - in[j].sent; in[j].sent = 0; in[j].by = 0; in[j].have = 0
  :: else -> releaseLater(j); idle(j)
  fi
}

/* release.lua at server "at", which is not confirmed; or it is lost, with the former master for example */
inline release(x) {
  if
  :: srv[at].owner == x && srv[at].line ->
     srv[at].owner = srv[at].line; srv[at].ttl = L; srv[at].line = 0;
     rr = INST(srv[at].owner);
     if                                         /* the message arrives, or is lost */
     :: in[rr].phase == WAITING && srv[at].owner == ID(rr) ->
#ifdef HAND_OVER_UNCONFIRMED
        in[rr].phase = (in[rr].sent < L -> HOLDING : GRANTED);
        in[rr].dl = (in[rr].sent < L -> L - in[rr].sent : 0); in[rr].sent = (in[rr].sent < L -> 0 : in[rr].sent)
#else
        in[rr].phase = GRANTED
#endif
     :: true
     fi
  :: srv[at].owner == x && !srv[at].line -> clear(at)
  :: srv[at].line == x -> srv[at].line = 0
  :: else
  fi
}

/* The release reaches a server, or none; the entry ends with its lease then. */
inline releaseLater(j) {
  if
  :: at = master; release(ID(j))
  :: stale -> at = former; release(ID(j))
  :: true
  fi
}

/* renew.lua at server "at" */
inline renew(j, mine) {
  if
  :: srv[at].owner == ID(j) ->
     srv[at].ttl = L; in[j].by = at; in[j].have = 0; mine = 1
  :: else -> mine = 0
  fi
}

/* Replica x catches up with the master. */
inline replicate(x) {
  srv[x].owner = srv[master].owner; srv[x].ttl = srv[master].ttl; srv[x].line = srv[master].line;
  for (rr : 0 .. N-1) {
    if
    :: (in[rr].phase == CONFIRMING || in[rr].written) && in[rr].by == master -> in[rr].have = in[rr].have | (1 << x)
    :: else
    fi
  }
}

#define OLDER(v) (v < MOST -> v + 1 : v)
#define NEARER(v) (v > 0 -> v - 1 : 0)

inline tick() {
  for (rr : 0 .. S-1) {
    if
    :: srv[rr].ttl == 1 -> clear(rr)
    :: srv[rr].ttl > 1 -> srv[rr].ttl--
    :: else
    fi
  }
  for (rr : 0 .. N-1) {
    if
    :: in[rr].phase != IDLE && in[rr].phase != HOLDING -> in[rr].sent = OLDER(in[rr].sent)
    :: in[rr].phase == HOLDING -> in[rr].dl = NEARER(in[rr].dl); in[rr].age = (in[rr].renewing -> OLDER(in[rr].age) : 0)
    :: else
    fi
  }
}

#define HELD(j) (in[j].phase == HOLDING && in[j].dl > 0)
#define AGREED(j) (!HELD(j) || srv[master].owner == ID(j) && srv[master].ttl >= in[j].dl)

inline check() {
  assert(HELD(0) + HELD(1) <= 1 || M1);
  assert(AGREED(0) && AGREED(1) || M1)
}


#ifdef SHORTFALL_RELEASES                       /* although the request was repeated since */
#define LATE_SHORTFALL(j) :: in[j].earlier -> who = j; releaseLater(who); EARLIER(who, 0)
#else
#define LATE_SHORTFALL(j)
#endif

#define STEPS(j) \
  :: in[j].phase == IDLE && in[j].call < CALLS -> who = j; in[who].call++; in[who].phase = REQUESTING \
  :: in[j].phase == REQUESTING -> who = j; at = master; acquire(who) \
  :: in[j].phase == REQUESTING && stale -> who = j; at = former; acquire(who) \
  :: in[j].phase == REQUESTING && in[j].sent > 0 -> who = j; releaseLater(who); idle(who)       /* no reply */ \
  :: in[j].phase == WAITING -> who = j; in[who].phase = REQUESTING; in[who].sent = 0        /* asks again under the same id */ \
  :: in[j].phase == GRANTED ->                                                          /* [AcknowledgedLeaseStore].confirm */ \
     who = j; \
     if :: at = master :: stale -> at = former fi; \
     renew(who, count); \
     if \
     :: count -> in[who].phase = CONFIRMING \
     :: else -> in[who].phase = REQUESTING                                                  /* gone: the outcome is unknown */ \
     fi \
  :: in[j].phase == CONFIRMING && CONFIRMED(j) -> who = j; start(who) \
  :: in[j].phase == CONFIRMING && in[j].sent >= W -> who = j; releaseLater(who); idle(who)  /* too few replicas in time */ \
  :: in[j].phase == CONFIRMING ->                                                       /* no reply in time, or it is lost */ \
     who = j; in[who].phase = REQUESTING; in[who].have = 0; EARLIER(who, 1) \
  LATE_SHORTFALL(j) \
  :: HELD(j) && !in[j].renewing -> who = j; in[who].renewing = 1; in[who].written = 0; in[who].age = 0 \
  :: HELD(j) && in[j].renewing && !in[j].written -> \
     who = j; \
     if :: at = master :: stale -> at = former fi; \
     renew(who, count); \
     if \
     :: count -> in[who].written = 1; UNCONFIRMED_RENEWAL(who) \
     :: else -> idle(who)                                                               /* lost */ \
     fi \
  :: HELD(j) && in[j].written && CONFIRMED(j) -> who = j; renewed(who) \
  :: HELD(j) && in[j].renewing -> who = j; in[who].renewing = 0; in[who].written = 0; in[who].age = 0; in[who].have = 0     /* no confirmation */ \
  :: HELD(j) -> who = j; releaseLater(who); idle(who) \
  :: in[j].phase == HOLDING && in[j].dl == 0 -> who = j; releaseLater(who); idle(who)

inline renewed(j) {
  in[j].dl = (in[j].age < L -> (L - in[j].age > in[j].dl -> L - in[j].age : in[j].dl) : in[j].dl);
  in[j].renewing = 0; in[j].written = 0; in[j].age = 0; in[j].have = 0
}

#ifdef RENEWAL_UNCONFIRMED
#define UNCONFIRMED_RENEWAL(j) renewed(j)
#else
#define UNCONFIRMED_RENEWAL(j) skip
#endif

#define REPLICATE(x) :: x < S && x != master && !(stale && x == former) -> replicate(x)
#define PROMOTE(x) \
  :: x < S && x != master && failovers > 0 -> failovers--; former = master; master = x; stale = 1

active proctype world() {
  do
  :: atomic {
    if
    STEPS(0)
    STEPS(1)
    REPLICATE(0)
    REPLICATE(1)
#if R > 1
    REPLICATE(2)
#endif
    PROMOTE(1)
#if R > 1
    PROMOTE(2)
#endif
    :: stale -> stale = 0; former = 0                                           /* it is dead, or becomes a replica of the new master */
    :: tick()
    fi;
    check();
#ifdef VERBOSE
    printf("step  instance %d | master %d stale %d former %d\n", who, master, stale, former);
    for (rr : 0 .. S-1) { printf("inst server %d: owner %d ttl %d line %d\n", rr, srv[rr].owner, srv[rr].ttl, srv[rr].line) }
    for (rr : 0 .. N-1) {
      printf("inst %d: phase %d call %d sent %d dl %d renewing %d written %d age %d by %d have %d\n", rr, in[rr].phase, in[rr].call, in[rr].sent, in[rr].dl, in[rr].renewing, in[rr].written, in[rr].age, in[rr].by, in[rr].have)
    }
#endif
    who = 0; at = 0; rr = 0; count = 0
    }
  od
}
