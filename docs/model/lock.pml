/*
 * The protocol between the instances of an application and Redis, for one lock name. README.md describes the scope of
 * the model and its limits, ./check contains the runs.
 *
 * A single process executes all steps: each round of its loop is one atomic step of an instance, of Redis, of the
 * network or of the clock (a transition of a NamedLock, a script, the arrival of a reply or message, a fault, or a
 * tick). Names in brackets are classes of the engine.
 *
 * Time is discrete. The clock ticks only when nothing is left to do in this tick: no timer of a running instance is
 * due, and everything under way has arrived, except for what a fault delays. This ensures fairness: every step that is
 * neither faulty nor paused happens in finite time. All times are stored as elapsed or remaining ticks, so that runs of
 * any length have finitely many states.
 */

/* ---- size of the model ---- */

#ifndef N
#define N 2             /* instances */
#endif
#ifndef CALLS0
#define CALLS0 2        /* callers that come to instance 0, 1, 2 */
#endif
#ifndef CALLS1
#define CALLS1 1
#endif
#ifndef CALLS2
#define CALLS2 1
#endif
#ifndef L
#define L 3             /* lease, in ticks */
#endif
#ifndef LS
#define LS L            /* a shorter lease that some callers request */
#endif
#ifndef H
#define H 2             /* longest critical section */
#endif
#ifndef FAULTS
#define FAULTS 2        /* commands, replies, messages that are lost, delayed, or given up by their sender */
#endif
#ifndef DUPS
#define DUPS 0          /* messages that arrive twice */
#endif
#ifndef MAX_PASSES
#define MAX_PASSES 1    /* local hand-overs while another instance waits (ENDLESS only) */
#endif
#ifndef LEAVES
#define LEAVES 0        /* callers that stop waiting */
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef PAUSES
#define PAUSES 0        /* pauses of instances (garbage collection, SIGSTOP) */
#endif
#ifndef CLOSES
#define CLOSES 0        /* instances that are shut down regularly */
#endif
#ifndef FORCES
#define FORCES 0        /* forced releases */
#endif
#ifndef FLUSHES
#define FLUSHES 0       /* Redis loses all data */
#endif
#ifndef SLOT_MOVES
#define SLOT_MOVES 0    /* moves of the lock's slot to another server of a cluster */
#endif
#ifndef PMAX
#define PMAX (L+1)      /* longest pause */
#endif
#ifndef NID
#define NID 4           /* acquisition ids of an instance that can be in use at the same time */
#endif
#ifndef NS
#define NS 5            /* commands of an instance that can be under way at the same time */
#endif
#ifndef NM
#define NM 2            /* messages to an instance that can be under way at the same time */
#endif
#ifndef NG
#define NG 4            /* pending releases of an instance at the same time */
#endif
#ifndef P
#define P (L+1)         /* longest time between two requests of a waiting instance; the lease may be shorter or longer */
#endif
#ifndef TOMB
#define TOMB (2*L)      /* life of a tombstone */
#endif
#ifndef MAXAGE
#define MAXAGE (L+1)    /* longest delay of a command, reply or message; at most TOMB, or tombstones end too early */
#endif

#ifdef RETAIN           /* an instance keeps the lease for a while without a caller */
#ifndef RT
#define RT 2            /* for this many ticks */
#endif
#define RETAINED(j) in[j].ret
#else
#define RETAINED(j) 0
#endif
#if defined(ENDLESS) || defined(RETAIN)
#define RECALLS         /* the time of a recall matters; without it, an instance may learn of waiters at any time */
#endif

#ifdef RATES            /* tokens are compared with the clock, which makes so many in a tick */
#ifndef R
#define R 2
#endif
#endif
#if defined(CLOCK_STOPS) || defined(RATES)
#define FLOORS          /* it matters which tokens an instance has seen */
#endif

#ifdef PLACES           /* an id that was passed over and sends a request again has the first place */
#define SILENT (L-1)    /* and then the lock is reserved for it for so long, without a message */
#endif

#define T 1             /* command time-out: a third of the lease */

#define QL 4            /* longest queue */

#define IDS (N*NID)
#define INST(x) (((x)-1)/NID)

/* ---- Redis: the entry of the lock, and the cancelled ids ---- */

byte owner;             /* acquisition id, 0 = no entry */
byte stok;              /* token in the entry */
byte ttl;               /* remaining lease; 0 with an owner would be an entry without TTL */
byte q[QL];             /* waiting acquisition ids, in order */
byte qlen[QL];          /* and the lease that each requested */
byte qn;
#ifdef TOKEN_COUNTER
byte counter;           /* a counter that survives the entry, but no loss of data */
#endif
int tombs;              /* bit set of cancelled ids */
byte tombTtl;
#ifdef PLACES
int passed;             /* bit sets of ids that a release passed over, */
int asked;              /* and of those that have sent a request since */
#endif
#if SLOT_MOVES
byte moving;            /* the slot is moving: ticks since then, + 1; 0 = it is not */
int stale;              /* bit set of ids whose channel is at the former server */
#endif

/* ---- the network ---- */

#define NONE 0
#define ACQ 1
#define REL 2
#define REN 3

#define BUSY 0          /* replies to ACQ */
#define GRANTED 1
#define CANCELLED 2

typedef Cmd {           /* a command, then its reply */
  unsigned kind : 2;
  unsigned done : 1;    /* executed; now the reply is under way */
  unsigned open : 1;    /* the instance waits for the reply */
  unsigned slow : 1;    /* delayed: arrives at any time, or never */
  unsigned age : 4;
  unsigned id : 4;
  unsigned again : 4;   /* REL: id that queues in the same step */
  unsigned by : 2;      /* REL: which pending release of the instance */
  unsigned tomb : 1;    /* REL: cancel the id for good */
  unsigned lease : 3;     /* lease */
  unsigned rno : 3;     /* REN: which renewal of the lease */
  unsigned res : 2;     /* reply */
  unsigned rttl : 3;
  unsigned rq : 2;      /* REL: result for the id that queues: 0 none, 1 granted, 2 queued */
  byte tok;             /* of the command, then of the reply */
  byte rqtok
#ifdef FLOORS
  ; byte flr            /* highest token that the instance had seen */
#endif
}
Cmd c[N*NS];

typedef Msg {           /* a grant, or a recall; id 0 = free slot */
  unsigned id : 4;
#ifdef RECALLS
  unsigned recall : 1;
  unsigned more : 1;    /* other instances still wait */
#endif
  unsigned slow : 1;
  unsigned age : 4;
  unsigned lease : 3;
  byte tok
}
Msg m[N*NM];

/* ---- the instances ---- */

#define REQUESTING 0
#define WAITING 1
#define BACKOFF 2

/* the request without a reply is ... */
#define QNONE 0
#define QACQ 1          /* a separate acquire command */
#define QREQ 2          /* part of the release of the previous lease */

typedef Inst {
  unsigned crashed : 1;
  unsigned closing : 1;
  unsigned paused : 3;  /* remaining ticks of the pause */
  unsigned calls : 3;   /* callers that will arrive */
  unsigned w : 3;       /* waiting callers */
  /* [StoreAcquisition] + [Acquisition]; exists while aId is not 0 */
  unsigned aId : 4;
  unsigned phase : 2;
  unsigned aOpen : 2;   /* kind of the request under way */
  unsigned aQueued : 1;
  unsigned aUnc : 1;    /* a request was given up without a reply */
  unsigned aConf : 1;
#ifdef RECALLS
  unsigned aRec : 1;    /* recalled before the grant arrived */
#endif
  unsigned aLen : 3;
  unsigned aSent : 3;   /* time since the latest request was sent */
  unsigned aSince : 3;  /* greatest possible age of a grant */
  unsigned aNext : 3;   /* time until the next request */
  byte aTok;            /* highest token of a "wait" reply */
  /* [Ownership] + [Lease] + [Hold] + [RenewedLease]; exists while tId is not 0 */
  unsigned tId : 4;
  unsigned tDl : 3;     /* time until the local deadline */
  unsigned tUnc : 1;
  unsigned tOpen : 2;   /* kind of the request that was open when the grant arrived as a message */
  unsigned hAge : 3;
  unsigned rWay : 1;    /* a renewal is under way */
  unsigned rNo : 3;
  unsigned rAge : 3;
  unsigned rNext : 3;
  unsigned rLen : 3;
  byte tTok
#ifdef FLOORS
  ; byte flr
#endif
#ifdef RATES
  ; unsigned given : 3  /* tokens given here since the grant was heard of, */
  ; unsigned grown : 2  /* and ticks since then, up to three */
#endif
#ifdef STORE
  ; byte lateTok        /* of a lost hold whose holder may still write */
#endif
#ifdef RECALLS
  ; bit cont            /* this instance knows that another instance waits */
  ; bit rOld            /* the reply to the renewal under way may be older than that */
#endif
#ifdef ENDLESS
  ; byte passes
#endif
#ifdef RETAIN
  ; unsigned ret : 3    /* no caller here has the lock, and the lease stays for this many ticks, + 1; 0 = a caller has it */
  ; bit toldOf          /* for the observer: a recall has arrived, and an instance is in line */
#endif
}
Inst in[N];

typedef Pending {          /* [PendingRelease]; gId 0 = free slot */
  unsigned gId : 4;
  unsigned again : 4;
  unsigned unc : 1;
  unsigned openQ : 2;   /* waits for this request to end first */
  unsigned open : 1;    /* an attempt is under way */
  unsigned tried : 1;
  unsigned go : 1;      /* an attempt follows at the end of this step */
  unsigned age : 2;     /* of the attempt or the wait */
  unsigned end : 3;     /* time until it gives up; times of 2*L are cut to 7 */
  byte tok
}
Pending g[N*NG];

/* ---- remaining faults ---- */

byte faults = FAULTS;
byte dups = DUPS;
byte leaves = LEAVES;
byte crashes = CRASHES;
byte pauses = PAUSES;
byte closes = CLOSES;
byte forces = FORCES;
byte flushes = FLUSHES;
byte slotMoves = SLOT_MOVES;

/* ---- state of the observer ---- */

byte maxTok;            /* highest token ever granted */
#ifdef RATES
#define EVEN 4          /* the clock shows just the highest token */
#define FAR 15          /* more than a run gets to */
byte ahead;             /* by how much the highest token is ahead of the clock, + EVEN; 0 = it is behind, by EVEN or more */
#endif
#ifdef STORE
byte stored;            /* highest token that the fenced store has accepted */
#endif
int gone;               /* bit set of ids that were finally cancelled or released */
#ifdef REVOKES
int revoked;            /* bit set of ids whose instance has received a revocation */
#endif

/* Always 0: part of the assertions, so that Spin names the violated property. */
hidden byte M1, M2, M3, M4, M5, M6, M7, M8, M9, M13, M15, M16;

/* ---- scratch variables, without meaning between steps ---- */

hidden byte x, y, z, k, tk, n, o, v, len1;
hidden byte ag, rr, rt, rl;
hidden byte preOwner, preTok, preTtl;
hidden int used;
hidden byte heard, b, shown;

/* The kinds of steps. */
mtype = {
  CALL, LEAVE, LEAVEHOLD, LOSE,                 /* a caller arrives, stops waiting, is done, has lost the lock */
  ASKT, RENEWT, PENDINGT, RETAINT,                 /* timers of [StoreAcquisition], [Ownership], [PendingRelease], of a retained lease */
  EXEC, REPLY, MESSAGE,                        /* a command, its reply, a message arrives */
  HOLD, DROP, DROPMSG, BREAK, DUP,              /* delayed; lost; the reply is no longer awaited; duplicated */
  CRASH, PAUSE, RESUME, SHUT,                   /* of an instance */
  FORCE, FLUSH,                                 /* forced release; Redis loses all data */
  MOVE, MOVED,                                  /* the slot begins to move to another server; it has moved */
  WRITE,                                        /* to the fenced store */
  TICK
};

/* The next step and all its choices, made in advance so that the step is deterministic; 0 between steps */
mtype ev;
byte i, s;
byte die1, die2, anyLease;

/* Actions at the end of a step, for instance i; so that each of them is in the code once [DeferredActions] */
hidden byte doForget;                           /* command s is removed */
hidden byte doTell, tellAgain, tellWhat, tellTok, tellTtl, tellMore;      /* the request of this id has a reply */
hidden byte doEnd, endWhat, endUnknown;         /* an abandoned request of this id has ended */
hidden byte doAbandon, abandonId, abandonBy;    /* replies of this kind to this id are no longer awaited */
hidden byte doRetire;                           /* replies to earlier renewals are no longer awaited */
hidden byte doFresh, doAsk, doRenew;            /* begin a [StoreAcquisition]; send its request; send a renewal */
hidden byte doRelease, releaseTok, releaseUnc, releaseOpen, releaseEnd, releaseAgain;        /* start a [PendingRelease] */

#define NO_REPLY 0     /* tellWhat */
#define YOURS 1
#define WAIT 2
#define NOT_QUEUED 3

/* =================================================================================================================== */
/* Tokens and ids */

/* A token of Redis: higher than the tokens that the script knows and, without an entry, than the clock in microseconds.
 * The clock is ahead of all tokens that were ever granted, since each of them took more than a microsecond; but with
 * CLOCK_STOPS it stands still while the lock is held, as if it had been set back. With RATES the clock has a position: a
 * tick is worth R tokens and a script one, and if the clock is ahead, the token is the clock, which is called the next
 * number. */
inline mint(known, clock) {
#ifdef NO_TOKENS
  tk = 1;
#else
#ifdef TOKEN_COUNTER
  tk = counter + 1;
#else
#ifdef RATES
  ahead = (ahead > 0 -> ahead - 1 : 0);
  tk = (known > c[s].flr -> known : c[s].flr) + 1;
  shown = maxTok + EVEN - ahead;                                /* by the clock, if it is not ahead */
  if
  :: ahead < EVEN -> tk = maxTok + 1; ahead = EVEN
  :: ahead >= EVEN && tk <= shown -> tk = shown; ahead = EVEN
  :: ahead >= EVEN && tk > shown -> ahead = EVEN + tk - shown
  fi
#else
#ifdef CLOCK_STOPS
#ifdef CLOCK_BACK
  tk = (known > c[s].flr -> known : c[s].flr) + 1;
#else
  tk = (known > c[s].flr -> known : c[s].flr);
  tk = (clock && maxTok > tk -> maxTok : tk) + 1;
#endif
#else
  tk = (known > maxTok -> known : maxTok) + 1;
#endif
#endif
#endif
#endif
}

/* The highest token that an instance has seen. */
inline saw(token) {
#ifdef FLOORS
  in[i].flr = (token > in[i].flr -> token : in[i].flr)
#else
  skip
#endif
}

/* The lowest id of instance i without any reference: ids are only ever compared, so an id without a reference is as good
 * as a new one. */
inline newId(out) {
  used = tombs | (1 << owner);
  for (k : 0 .. QL-1) { used = used | (1 << q[k]) }
  for (k : 0 .. N*NS-1) { used = used | (c[k].kind -> (1 << c[k].id) | (1 << c[k].again) : 0) }
  for (k : 0 .. N*NM-1) { used = used | (1 << m[k].id) }
  for (k : 0 .. N*NG-1) { used = used | (1 << g[k].gId) | (1 << g[k].again) }
  used = used | (1 << in[i].aId) | (1 << in[i].tId) | (1 << doRelease);
  x = i*NID + 1;
  do
  :: x <= i*NID + NID && (used & (1 << x)) -> x++
  :: else -> break
  od;
  assert(x <= i*NID + NID);                                                     /* else NID is too small */
  gone = gone & ~(1 << x);
#ifdef PLACES
  passed = passed & ~(1 << x); asked = asked & ~(1 << x);
#endif
#if SLOT_MOVES
  stale = stale & ~(1 << x);
#endif
#ifdef REVOKES
  revoked = revoked & ~(1 << x);
#endif
  out = x
}

/* =================================================================================================================== */
/* The network */

inline forget(e) {
  c[e].kind = 0; c[e].done = 0; c[e].open = 0; c[e].slow = 0; c[e].age = 0; c[e].id = 0; c[e].again = 0; c[e].by = 0; c[e].tomb = 0;
  c[e].lease = 0; c[e].rno = 0; c[e].res = 0; c[e].rttl = 0; c[e].rq = 0; c[e].tok = 0; c[e].rqtok = 0;
#ifdef FLOORS
  c[e].flr = 0
#endif
}

inline forgetMsg(e) {
#ifdef RECALLS
  m[e].recall = 0; m[e].more = 0;
#endif
  m[e].id = 0; m[e].slow = 0; m[e].age = 0; m[e].lease = 0; m[e].tok = 0
}

/* z := a free slot for a command of instance i */
inline slot() {
  z = i*NS;
  do
  :: z < i*NS + NS && c[z].kind -> z++
  :: else -> break
  od;
  assert(z < i*NS + NS);                                                        /* else NS is too small */
  c[z].open = 1;
#ifdef FLOORS
  c[z].flr = in[i].flr
#endif
}

/* =================================================================================================================== */
/* Redis */

#if SLOT_MOVES
#define OUT_OF_REACH(x) (stale & (1 << x))
#define BETWEEN moving  /* the server that the slot moves to has no subscribers yet */
#ifdef MOVING_ONE_KEY
#define MAY_COME_BACK 0
#else
#define MAY_COME_BACK moving
#endif
#else
#define OUT_OF_REACH(x) 0
#define BETWEEN 0
#define MAY_COME_BACK 0
#endif
#ifdef DEAF             /* instance 1 has no channel */
#define NO_CHANNEL(j) (j == 1)
#else
#define NO_CHANNEL(j) 0
#endif

inline take(whose, length) {
  assert(!(gone & (1 << whose)) || MAY_COME_BACK || M6);
#ifndef NO_TOKENS
  assert(tk > maxTok || M2);
  maxTok = tk;
#endif
#ifdef TOKEN_COUNTER
  counter = tk;
#endif
  owner = whose;
  stok = tk;
  ttl = length
}

inline dropEntry() {
  owner = 0; stok = 0; ttl = 0; qn = 0;
#ifdef PLACES
  passed = 0; asked = 0;
#endif
  for (k : 0 .. QL-1) { q[k] = 0; qlen[k] = 0 }
}

/* y := place of an id in the queue, QL if absent */
inline place(whose) {
  y = 0;
  do
  :: y < qn && q[y] != whose -> y++
  :: else -> break
  od;
  if :: y == qn -> y = QL :: else fi
}

#ifdef PLACES
/* A new place, the first one if the id was passed over. */
inline queue(whose, length) {
  assert(qn < QL);
  if
  :: passed & (1 << whose) ->
     k = QL - 1;
     do
     :: k == 0 -> break
     :: else -> q[k] = q[k-1]; qlen[k] = qlen[k-1]; k--
     od;
     q[0] = whose; qlen[0] = length; qn++;
     asked = asked | (1 << whose)
  :: else -> q[qn] = whose; qlen[qn] = length; qn++
  fi
}
#else
#define queue append
#endif

inline append(whose, length) {
  assert(qn < QL);
  q[qn] = whose; qlen[qn] = length; qn++
}

inline removeAt(at) {
  for (k : 0 .. QL-2) {
    if :: k >= (at) -> q[k] = q[k+1]; qlen[k] = qlen[k+1] :: else fi
  }
  q[QL-1] = 0; qlen[QL-1] = 0; qn--
}

#ifdef RECALLS
#define OTHERS_WAIT (qn > 0)

/* To the instance that has the lock: another instance waits. */
inline publishRecall() {
#if !defined(DROP_ALL) && !defined(DROP_RECALLS)
  v = INST(owner);
  z = v*NM;
  do :: z < v*NM + NM && m[z].id -> z++ :: else -> break od;
  if
  :: z < v*NM + NM && !in[v].crashed && !OUT_OF_REACH(owner) && !NO_CHANNEL(v) -> m[z].id = owner; m[z].recall = 1
  :: else                                       /* no room: it is lost */
  fi
#else
  skip
#endif
}
#else
#define OTHERS_WAIT 0
#endif

/* A grant message to an instance, if it is subscribed. Redis counts a dead connection until it is closed. */
inline publishGrant(whose, token, length) {
  v = INST(whose);
  heard = 1;
  if
  :: in[v].crashed -> heard = die1
  :: !in[v].crashed && (OUT_OF_REACH(whose) || NO_CHANNEL(v) || BETWEEN && die2) -> heard = 0
  :: !in[v].crashed && !(OUT_OF_REACH(whose) || NO_CHANNEL(v) || BETWEEN && die2) ->
#ifdef DROP_ALL
    skip
#else
    if
    :: die2 && faults > 0 -> faults--; heard = 0;       /* the subscription is broken, or at another server */
#ifdef COUNT_DECIDES                                    /* the script sends first, and the count decides */
       z = v*NM;
       do :: z < v*NM + NM && m[z].id -> z++ :: else -> break od;
       if
       :: z < v*NM + NM -> m[z].id = whose; m[z].tok = token; m[z].lease = length
       :: else
       fi
#endif
    :: else ->
       z = v*NM;
       do :: z < v*NM + NM && m[z].id -> z++ :: else -> break od;
       if
       :: z < v*NM + NM -> m[z].id = whose; m[z].tok = token; m[z].lease = length;
#ifdef RECALLS
          m[z].more = OTHERS_WAIT
#endif
       :: else                                  /* no room: it is lost */
       fi
    fi
#endif
  fi
}

/* acquire.lua */
inline acquire(e) {
  x = e.id;
#if SLOT_MOVES
  used = (moving -> 0 : tombs);                 /* a request with two keys is refused then; with one, no id is cancelled */
#else
  used = tombs;
#endif
  if
  :: used & (1 << x) -> e.res = CANCELLED
  :: !(used & (1 << x)) && owner == 0 ->
     mint(0, 1);
     take(x, e.lease);
     e.res = GRANTED; e.tok = tk;
     e.rq = OTHERS_WAIT
  :: !(used & (1 << x)) && owner == x ->
#ifdef NEW_TOKEN_ON_REPEAT
     mint(stok, 1); stok = tk;
#endif
#ifdef LEASE_MAY_SHRINK
     ttl = e.lease;
#else
     ttl = (ttl < e.lease -> e.lease : ttl);
#endif
     e.res = GRANTED; e.tok = stok;
     e.rq = OTHERS_WAIT
  :: !(used & (1 << x)) && owner != 0 && owner != x ->
     place(x);
     if :: y == QL -> queue(x, e.lease) :: else fi;
     e.res = BUSY; e.tok = stok; e.rttl = ttl;
#if defined(PLACES) && defined(DEAF) && !defined(HEAD_NOT_MARKED)
     if                                         /* the first in line says that its instance is not subscribed */
     :: q[0] == x && INST(x) == 1 -> asked = asked | (1 << x)
     :: else
     fi;
#endif
#ifdef RECALLS
     if                                         /* the first in line sends a recall with each request */
     :: q[0] == x && INST(owner) != INST(x) -> publishRecall()
     :: else
     fi
#endif
  fi;
  assert((preOwner != x || (owner == preOwner && stok == preTok)) || M5)
}

/* the loop in include/hand-over.lua: the lock goes to the first subscribed instance. Sets rr, rt, rl for the id "ag"
 * that queued in the same step: none, granted, or queued; the token; the lease of the new owner */
inline handOver(known) {
  rr = 0; rt = 0; rl = 0;
  owner = 0;
  do
  :: qn == 0 -> dropEntry(); break
  :: qn > 0 ->
     x = q[0]; len1 = qlen[0];
     removeAt(0);
     mint(known, 0);
     if
     :: x == ag -> heard = 1
     :: else ->
        publishGrant(x, tk, len1);
#ifdef PLACES
        if
        :: !heard && (asked & (1 << x)) ->      /* it is alive, and the lock is reserved until its next request */
           heard = 1;
           passed = passed & ~(1 << x); asked = asked & ~(1 << x);
           len1 = (len1 < SILENT -> len1 : SILENT)
        :: !heard && !(asked & (1 << x)) -> passed = passed | (1 << x)
        :: else
        fi
#endif
     fi;
     if
     :: heard ->
        take(x, len1);
#ifdef NO_TTL_ON_TRANSFER
        ttl = 0;
#endif
        if
        :: ag == 0 -> skip
        :: ag != 0 -> rr = (x == ag -> 1 : 2); rt = tk; rl = len1
        fi;
        break
     :: else
     fi
  od
}

/* release.lua */
inline release(e) {
  x = e.id;
  n = (e.tok > stok -> e.tok : stok);
#ifdef NO_OWNER_CHECK
  if
  :: owner != 0 ->
#else
  if
  :: owner == x ->
#endif
     y = QL;
     if
#ifndef REQUEUE_UNCHECKED
     :: e.again && (tombs & (1 << e.again)) && !BETWEEN -> e.again = 0
#endif
     :: else -> place(e.again)
     fi;
     if
#ifdef REQUEUE_UNCHECKED
     :: e.again -> append(e.again, e.lease)
#else
     :: e.again && y == QL -> append(e.again, e.lease)
#endif
     :: else
     fi;
     ag = e.again;
     handOver(n);
     e.rq = rr; e.rqtok = rt; e.rttl = rl; e.res = OTHERS_WAIT
  :: else ->
     place(x);
     if :: owner != 0 && y < QL -> removeAt(y) :: else fi
  fi;
  x = e.id;
  e.tok = stok;
#ifndef NO_TOMBSTONE
  if
  :: e.tomb && !BETWEEN -> tombs = tombs | (1 << x); tombTtl = TOMB
  :: else
  fi;
#endif
  /* M6: from here on this id must never be granted, unless it is not cancelled and another release of it follows. */
  b = e.tomb;
  if
  :: !b ->
     b = 1;
     n = (s/NS)*NG + e.by;
     for (k : 0 .. N*NG-1) { b = (g[k].gId == x && k != n -> 0 : b) }
  :: else
  fi;
#ifndef ASYNC_SAME_ID
  gone = (b && !(e.tomb && MAY_COME_BACK) -> gone | (1 << x) : gone);      /* with one key, nothing is cancelled */
#endif
  assert((preOwner == 0 || preOwner == x || (owner == preOwner && stok == preTok && ttl == preTtl)) || M4)
}

/* renew.lua */
inline renew(e) {
  if
  :: owner == e.id ->
#ifdef LEASE_MAY_SHRINK
     ttl = e.lease;
#else
     ttl = (ttl < e.lease -> e.lease : ttl);
#endif
     stok = (e.tok > stok -> e.tok : stok);
     e.res = 1; e.tok = stok; e.rttl = (qn > 0)
  :: else ->
#ifdef RENEW_CREATES
     if :: owner == 0 -> owner = e.id; stok = e.tok; ttl = e.lease :: else fi;
#endif
     e.res = 0; e.tok = stok
  fi;
  assert((preOwner != 0 || owner == 0) || M7);
  assert((preOwner == 0 || preOwner == e.id || (owner == preOwner && stok == preTok && ttl == preTtl)) || M4)
}

/* A command reaches Redis. Its reply is sent if it is awaited. */
inline execute() {
  preOwner = owner; preTok = stok; preTtl = ttl;
  if
  :: c[s].kind == ACQ -> acquire(c[s])
  :: c[s].kind == REL -> release(c[s])
  :: c[s].kind == REN -> renew(c[s])
  fi;
  if
  :: c[s].open && !in[s/NS].crashed ->
     c[s].done = 1; c[s].tomb = 0; c[s].lease = 0; c[s].again = 0; c[s].age = 0; c[s].slow = 0
  :: else -> doForget = 1
  fi
}

/* =================================================================================================================== */
/* [PendingRelease] */

inline forgetPending(e) {
  g[e].gId = 0; g[e].again = 0; g[e].unc = 0; g[e].openQ = 0; g[e].open = 0; g[e].tried = 0; g[e].age = 0; g[e].end = 0;
  g[e].tok = 0; g[e].go = 0
}

inline releaseLater(which, token, unsure, openRequest, until) {
  doRelease = which; releaseTok = token; releaseUnc = unsure; releaseOpen = openRequest; releaseEnd = until
}

/* Pending release e has, or has not (unknown), a result for the id that queued in it. */
inline tellRequeued(e, what, token, left) {
  if
  :: g[e].again && in[i].aId == g[e].again && in[i].aOpen == QREQ ->
     doTell = g[e].again; tellWhat = what; tellTok = token; tellTtl = left
  :: g[e].again && !(in[i].aId == g[e].again && in[i].aOpen == QREQ) ->
     doEnd = g[e].again; endWhat = QREQ; endUnknown = (what == NO_REPLY)
  :: else
  fi;
  g[e].again = 0
}

/* =================================================================================================================== */
/* [StoreAcquisition] */


inline noAcquisition() {
#ifdef RECALLS
  in[i].aRec = 0;
#endif
  in[i].aId = 0; in[i].aOpen = 0; in[i].aQueued = 0; in[i].aUnc = 0; in[i].aConf = 0; in[i].aSent = 0; in[i].aSince = 0;
  in[i].aNext = 0; in[i].aTok = 0; in[i].phase = 0; in[i].aLen = 0
}

/* A hold begins before its deadline, and the fenced store never refuses its token. (After a loss of data there may be two
 * holders, and the reply to the earlier one may arrive later; then the store must refuse its token.) */
inline newHold(token) {
  assert(in[i].tDl > 0 || M8);
#if defined(STORE) && FLUSHES + FORCES == 0
  assert(token > stored || M3)
#else
  skip
#endif
}

inline beginOwnership(token, left, unsure, openRequest) {
#ifdef REVOKES
  assert(!(revoked & (1 << in[i].aId)) || M16);
#endif
  in[i].tId = in[i].aId; in[i].tTok = token; in[i].tDl = left; in[i].tUnc = unsure; in[i].tOpen = openRequest;
  in[i].hAge = 0; in[i].rWay = 0; in[i].rAge = 0; in[i].rNext = 1;
#ifdef RATES
  in[i].given = 0;
#ifdef RATE_FROM_REQUEST
  in[i].grown = (in[i].aSent < 3 -> in[i].aSent : 3);
#else
  in[i].grown = 0;
#endif
#endif
#ifdef RENEWALS_COUNTED_PER_OWNERSHIP
  in[i].rNo = 0;
#endif
  in[i].w--;
  saw(token);
  newHold(token);
#ifdef RECALLS
  in[i].cont = tellMore | in[i].aRec; in[i].rOld = 0;
#endif
#ifdef ENDLESS
  in[i].passes = 0;
#endif
  noAcquisition()
}

/* The latest request has this reply. */
inline told() {
  in[i].aOpen = QNONE;
  if
  :: tellWhat == NO_REPLY ->
     in[i].phase = BACKOFF; in[i].aUnc = 1; in[i].aNext = 0
#ifdef DEADLINE_FROM_REPLY
  :: tellWhat == YOURS ->
     beginOwnership(tellTok, in[i].aLen, in[i].aUnc, QNONE)
#else
  :: tellWhat == YOURS && in[i].aLen > in[i].aSent ->
     beginOwnership(tellTok, in[i].aLen - in[i].aSent, in[i].aUnc, QNONE)
  :: tellWhat == YOURS && in[i].aLen <= in[i].aSent ->          /* the lease has ended in the meantime */
     releaseLater(in[i].aId, tellTok, in[i].aUnc, QNONE, 0);
     doFresh = 1
#endif
  :: tellWhat == WAIT || tellWhat == NOT_QUEUED ->
     in[i].aQueued = (tellWhat == WAIT);
     in[i].aSince = in[i].aSent;
     in[i].aTok = (tellTok > in[i].aTok -> tellTok : in[i].aTok);
     in[i].phase = WAITING;
     in[i].aNext = (tellTtl + die1 > P -> P : tellTtl + die1);  /* the jitter may or may not reach into the next tick */
     if
#if SLOT_MOVES && !defined(STALE_STAYS)
     :: in[i].aQueued && OUT_OF_REACH(in[i].aId) && in[i].w > 0 ->
        /* the server that has the lock now cannot notify this id: another one queues */
        releaseLater(in[i].aId, 0, in[i].aUnc, QNONE, (2*L - in[i].aSent > 7 -> 7 : 2*L - in[i].aSent));
        doFresh = 1; doAsk = 1
#endif
     :: !in[i].aQueued || in[i].aConf -> in[i].aConf = 0; doAsk = 1
     :: else
     fi
  fi
}

/* =================================================================================================================== */
/* [Ownership], [NamedLock] */

inline noOwnership() {
#ifdef RATES
  in[i].given = 0; in[i].grown = 0;
#endif
#ifdef RECALLS
  in[i].cont = 0; in[i].rOld = 0;
#endif
#ifdef ENDLESS
  in[i].passes = 0;
#endif
#ifdef RETAIN
  in[i].ret = 0;
#endif
  in[i].tId = 0; in[i].tTok = 0; in[i].tDl = 0; in[i].tUnc = 0; in[i].tOpen = 0; in[i].hAge = 0; in[i].rWay = 0;
  in[i].rAge = 0; in[i].rNext = 0; in[i].rLen = 0;
#ifndef RENEWALS_COUNTED_PER_OWNERSHIP
  doRetire = 1
#endif
}

/* The ownership ends; its entry in Redis is released. */
inline endOwnership() {
  releaseLater(in[i].tId, in[i].tTok, in[i].tUnc, in[i].tOpen, in[i].tDl);
  noOwnership()
}

/* The holder leaves. The lease is passed on to the next caller here, or released. Whether it is another instance's turn
 * depends on recalls, which may be lost: both may happen here at any time. */
#ifdef ENDLESS
#ifdef NO_PASS_LIMIT
#define MY_TURN 1
#else
#define MY_TURN (!in[i].cont || in[i].passes < MAX_PASSES)
#endif
#else
#define MY_TURN die1
#endif

#if defined(RATES) && !defined(RATE_UNLIMITED)  /* [LocalTokenLimit]: the next token is below the clock, by what has passed here */
#define BELOW_CLOCK(j) (in[j].given + 1 < R*in[j].grown)
#else
#define BELOW_CLOCK(j) 1
#endif
#define WORTH_PASSING(j) (3*in[j].tDl >= L && BELOW_CLOCK(j))

/* The lease stays, and a caller here gets the next hold and the next token. */
inline passOn() {
#ifndef NO_TOKENS
#ifdef RETAKE_OLD_TOKEN
  in[i].tTok = in[i].tTok + !RETAINED(i);
#else
  in[i].tTok++;
#endif
#if !defined(RETAKE_OLD_TOKEN) || !defined(STORE)
  assert((in[i].tTok > maxTok || FLUSHES + FORCES > 0) || M2);
#endif
#ifdef RATES
  in[i].given++;
  ahead = (in[i].tTok > maxTok && ahead < FAR -> ahead + 1 : ahead);
#endif
  maxTok = (in[i].tTok > maxTok -> in[i].tTok : maxTok);
  saw(in[i].tTok);
#endif
  newHold(in[i].tTok);
#ifdef ENDLESS
  in[i].passes = in[i].passes + in[i].cont;
#endif
#ifdef RETAIN
  in[i].ret = 0;
#endif
  in[i].w--;
  in[i].hAge = 0
}

/* The lease is released. If a caller waits here, a new id queues in the same step. */
inline giveUpLease() {
  doFresh = (in[i].w > 0); releaseAgain = (in[i].w > 0);
  endOwnership()
}

#ifdef RETAIN
#ifdef KEEPS_WHEN_RECALLED
#define MAY_RETAIN(j) (!in[j].closing)
#else
#define MAY_RETAIN(j) (!in[j].cont && !in[j].closing)
#endif
#else
#define MAY_RETAIN(j) 0
#endif
#ifdef RETAKE_LATE
#define MAY_RETAKE(j) 1
#else
#define MAY_RETAKE(j) WORTH_PASSING(j)
#endif

inline leaveHold() {
  if
  :: in[i].w > 0 && WORTH_PASSING(i) && MY_TURN -> passOn()
#ifdef RETAIN
  :: in[i].w == 0 && MAY_RETAIN(i) -> in[i].ret = RT + 1; in[i].hAge = 0
#endif
#ifdef ASYNC_RELEASE    /* the caller may continue at once, and request the lock again */
  :: in[i].w == 0 && !MAY_RETAIN(i) && in[i].calls > 0 && !in[i].closing && die1 ->
     in[i].calls--; in[i].w++;
     endOwnership()
#endif
  :: else -> giveUpLease()
  fi
}

/* A caller arrives. */
inline come() {
#ifdef ENDLESS
  in[i].calls = in[i].calls - (i > 0);
#else
  in[i].calls--;
#endif
  in[i].w++;
#ifdef RETAIN
  if
  :: in[i].ret ->
     if
     :: MAY_RETAKE(i) -> passOn()
     :: else -> giveUpLease()
     fi
  :: else
  fi
#endif
}

#ifdef RECALLS
/* Another instance waits. */
inline recalled(id) {
  if
  :: in[i].tId == id ->
     in[i].cont = 1; in[i].rOld = in[i].rWay;
#ifdef RETAIN
     in[i].toldOf = 1;
#ifndef KEEPS_WHEN_RECALLED
     if :: in[i].ret -> endOwnership() :: else fi
#endif
#endif
  :: in[i].aId == id ->                         /* it overtook the reply that grants the lock */
#ifndef EARLY_RECALL_FORGOTTEN
     in[i].aRec = 1;
#endif
#ifdef RETAIN
     in[i].toldOf = 1
#endif
  :: else
  fi
}
#endif

/* Only the reply to the latest renewal of the present lease counts. */
#ifdef RENEWALS_COUNTED_PER_OWNERSHIP
#define LISTENS(j, e) (in[j].tId && in[j].rWay && in[j].rNo == c[e].rno)
#else
#define LISTENS(j, e) (in[j].tId && in[j].rWay)
#endif

inline renewed() {
  if
  :: LISTENS(i, s) && c[s].res == 1 ->
     in[i].rWay = 0;
     in[i].tTok = (c[s].tok > in[i].tTok -> c[s].tok : in[i].tTok);
#ifdef RECALLS
#ifdef OLD_REPLY_CLEARS
     in[i].cont = (c[s].rttl > 0);
#else
     in[i].cont = (c[s].rttl > 0) | in[i].rOld;
#endif
     in[i].rOld = 0;
#endif
     in[i].tDl = (in[i].rLen > in[i].rAge -> in[i].rLen - in[i].rAge : 0);
     in[i].rNext = (in[i].rAge -> 0 : 1);
#if defined(RETAIN) && !defined(KEEPS_WHEN_RECALLED)
     if :: in[i].ret && in[i].cont -> endOwnership() :: else fi
#endif
  :: LISTENS(i, s) && c[s].res == 0 -> noOwnership()               /* lost: Redis has no entry of it */
  :: else
  fi
}

/* Reply s arrives. */
inline receiveReply() {
  i = s/NS;
  doForget = 1;
  if
  :: c[s].kind == ACQ && in[i].aId == c[s].id && in[i].aOpen == QACQ ->
     if
     :: c[s].res == GRANTED -> doTell = 1; tellWhat = YOURS; tellTok = c[s].tok; tellMore = c[s].rq
     :: c[s].res == BUSY -> doTell = 1; tellWhat = WAIT; tellTok = c[s].tok; tellTtl = c[s].rttl
     :: c[s].res == CANCELLED -> doFresh = 1; doAsk = 1
     fi
  :: c[s].kind == ACQ && !(in[i].aId == c[s].id && in[i].aOpen == QACQ) ->
     doEnd = c[s].id; endWhat = QACQ; endUnknown = 0
  :: c[s].kind == REL ->
     x = i*NG + c[s].by;
     tellMore = c[s].res;
     tellRequeued(x, (c[s].rq == 0 -> NOT_QUEUED : c[s].rq), c[s].rqtok, c[s].rttl);
     forgetPending(x)
  :: c[s].kind == REN -> renewed()
  fi
}

/* Message s arrives. */
inline message() {
  i = s/NM;
  o = m[s].id; tk = m[s].tok; len1 = m[s].lease;
#ifdef RECALLS
  tellMore = m[s].more; b = m[s].recall;
  forgetMsg(s);
  if
  :: b -> recalled(o)
  :: !b -> grant()
  fi
#else
  forgetMsg(s);
  grant()
#endif
}

/* It grants the lock to id "o", with token "tk" and lease "len1". */
inline grant() {
  if
  :: in[i].aId == o ->
     v = (len1 > in[i].aSince -> len1 - in[i].aSince : 0);      /* least remaining lease */
#ifdef TRUST_LATE_GRANT
     v = len1;
#endif
     if
#if !defined(GRANT_JUDGED_BY_AGE_ONLY) && !defined(NO_TOKENS)
     :: tk <= in[i].aTok -> skip                /* of an earlier transfer: another instance has had the lock since */
     :: tk > in[i].aTok && 2*v >= len1 -> beginOwnership(tk, v, in[i].aUnc, in[i].aOpen)
#else
     :: 2*v >= len1 -> beginOwnership(tk, v, in[i].aUnc, in[i].aOpen)
#endif
     :: else ->
        if
        :: in[i].phase == REQUESTING -> in[i].aConf = 1
        :: else -> doAsk = 1
        fi
     fi
  :: in[i].aId != o && in[i].tId == o -> skip
#ifdef STRAY_WITHOUT_TOMBSTONE
  :: in[i].aId != o && in[i].tId != o -> releaseLater(o, tk, 0, QNONE, len1)
#else
  :: in[i].aId != o && in[i].tId != o -> releaseLater(o, tk, 1, QNONE, len1)        /* no caller waits for it */
#endif
  fi
}

/* ---- timers ---- */

#define UP(j) (!in[j].crashed && in[j].paused == 0)
#ifdef NO_LOCAL_DEADLINE
#define LATE(j) 0
#else
#ifdef RETAKE_LATE
#define LATE(j) (in[j].tId && in[j].tDl == 0 && !RETAINED(j))
#else
#define LATE(j) (in[j].tId && in[j].tDl == 0)
#endif
#endif
#ifdef NO_FALLBACK
#define QUIET_PHASE(j) (in[j].phase == BACKOFF)
#else
#define QUIET_PHASE(j) (in[j].phase != REQUESTING)
#endif
#define MUST_REQUEST(j) (in[j].aId && (in[j].phase == REQUESTING && in[j].aSent >= T || QUIET_PHASE(j) && in[j].aNext == 0))
#ifdef RENEW_RETAINED
#define RENEWS(j) in[j].tId
#else
#define RENEWS(j) (in[j].tId && !RETAINED(j))
#endif
#define MUST_RENEW(j) (RENEWS(j) && (in[j].rWay && in[j].rAge >= T || !in[j].rWay && in[j].rNext == 0))
#ifdef HANGS            /* a section may last for ever; in an instance that closes, for the grace of H ticks */
#ifdef GRACE_ENDLESS
#define MUST_LEAVE(j) 0
#else
#define MUST_LEAVE(j) (in[j].tId && in[j].closing && in[j].hAge >= H)
#endif
#else
#define MUST_LEAVE(j) (in[j].tId && in[j].hAge >= H)
#endif
#ifdef STEADY
#define MUST_COME (in[0].w == 0)
#else
#define MUST_COME 0
#endif
/* A retained lease is released while a third of it is left: when the lease ends, Redis loses the line. */
#ifdef RETAIN_TO_THE_END
#define MUST_FREE(j) (RETAINED(j) == 1)
#else
#define MUST_FREE(j) (RETAINED(j) == 1 || RETAINED(j) && 3*in[j].tDl <= L)
#endif
#define DUE(j) (UP(j) && (LATE(j) || MUST_REQUEST(j) || MUST_RENEW(j) || MUST_LEAVE(j) || MUST_FREE(j)))
#define GDUE(e) (g[e].gId && g[e].age >= T && UP((e)/NG))

inline askTimer() {
  if
  :: in[i].phase == REQUESTING ->
     if :: in[i].aOpen == QACQ -> doAbandon = ACQ; abandonId = in[i].aId :: else fi;
     in[i].aUnc = 1
  :: else
  fi;
  doAsk = 1
}

inline pendingTimer() {
  i = s/NG;
  if
  :: g[s].openQ -> g[s].unc = 1
  :: g[s].open -> doAbandon = REL; abandonId = g[s].gId; abandonBy = s%NG; g[s].open = 0
  :: else
  fi;
  if
  :: g[s].tried -> tellRequeued(s, NO_REPLY, 0, 0)
  :: else
  fi;
  if
  :: g[s].end == 0 && g[s].tried -> forgetPending(s)
  :: else -> g[s].go = 1
  fi;
  s = 0
}

/* ---- faults ---- */

/* The connection breaks: the sender of command s knows at once that no reply will arrive; the command may still be under
 * way. */
inline breakOff() {
  i = s/NS;
  if
  :: c[s].kind == ACQ && in[i].aId == c[s].id && in[i].aOpen == QACQ -> doTell = 1; tellWhat = NO_REPLY
  :: c[s].kind == ACQ && !(in[i].aId == c[s].id && in[i].aOpen == QACQ) ->
     doEnd = c[s].id; endWhat = QACQ; endUnknown = 1
  :: c[s].kind == REL ->
     x = i*NG + c[s].by;
     g[x].open = 0; g[x].age = 0;
     tellRequeued(x, NO_REPLY, 0, 0)
  :: c[s].kind == REN ->
     if :: LISTENS(i, s) -> in[i].rWay = 0; in[i].rNext = 0 :: else fi
  fi;
  c[s].open = 0; c[s].slow = 1;
  doForget = c[s].done
}

inline crash() {
  for (k : i*NS .. i*NS + NS - 1) {
    if
    :: c[k].kind && c[k].done -> forget(k)
    :: c[k].kind && !c[k].done -> c[k].open = 0; c[k].slow = 1
    :: else
    fi
  }
  for (k : i*NM .. i*NM + NM - 1) { forgetMsg(k) }
  for (k : i*NG .. i*NG + NG - 1) { forgetPending(k) }
  noAcquisition(); noOwnership();
  in[i].w = 0; in[i].calls = 0; in[i].closing = 0; in[i].paused = 0; in[i].rNo = 0;
  in[i].crashed = 1
}

/* A message arrives twice. */
inline double() {
  z = s/NM*NM;
  do :: z < s/NM*NM + NM && m[z].id -> z++ :: else -> break od;
  if
  :: z < s/NM*NM + NM -> m[z].id = m[s].id; m[z].tok = m[s].tok; m[z].lease = m[s].lease; m[z].slow = 1;
#ifdef RECALLS
     m[z].recall = m[s].recall; m[z].more = m[s].more
#endif
  :: else
  fi
}

/* ---- the end of every step ---- */

/* x := a free pending release of instance i */
inline freePending() {
  x = i*NG;
  do
  :: x < i*NG + NG && g[x].gId -> x++
  :: else -> break
  od;
  assert(x < i*NG + NG)                                                         /* else NG is too small */
}

inline finish() {
  if :: doForget -> forget(s) :: else fi;
  if :: doTell -> told() :: else fi;
  if
  :: doEnd ->                                   /* a release that waits for the end of that request continues */
     for (y : i*NG .. i*NG + NG - 1) {
       if
       :: g[y].gId == doEnd && g[y].openQ == endWhat -> g[y].unc = g[y].unc | endUnknown; g[y].go = 1
       :: else
       fi
     }
     if
     :: in[i].tId == doEnd && in[i].tOpen == endWhat ->
        in[i].tOpen = QNONE;
#ifndef FAILED_REQUEST_FORGOTTEN
        in[i].tUnc = in[i].tUnc | endUnknown
#endif
     :: else
     fi
  :: else
  fi;

  /* the end of every transition of a [NamedLock] */
  if
  :: in[i].tId == 0 && in[i].w == 0 ->
     if
     :: in[i].aQueued || in[i].aUnc || in[i].aOpen ->
        releaseLater(in[i].aId, 0, in[i].aUnc, in[i].aOpen, (2*L - in[i].aSent > 7 -> 7 : 2*L - in[i].aSent))
     :: else
     fi;
     noAcquisition();
     in[i].rNo = 0;
     doRetire = 1                               /* replies to its renewals are ignored */
  :: in[i].tId == 0 && in[i].w > 0 && in[i].aId == 0 && !doFresh -> doFresh = 1; doAsk = 1
  :: else
  fi;

  if
  :: doAbandon || doRetire ->
     for (y : i*NS .. i*NS + NS - 1) {
       if
       :: c[y].open && (c[y].kind == doAbandon && c[y].id == abandonId && c[y].by == abandonBy || doRetire && c[y].kind == REN) ->
          if
          :: c[y].done -> forget(y)
          :: else -> c[y].open = 0
          fi
       :: else
       fi
     }
  :: else
  fi;

  if
  :: doFresh ->
#ifdef ASYNC_SAME_ID
     if :: doRelease && !releaseAgain -> in[i].aId = doRelease :: else -> newId(in[i].aId) fi;
#else
     newId(in[i].aId);
#endif
     in[i].aOpen = 0; in[i].aQueued = 0; in[i].aUnc = 0; in[i].aConf = 0; in[i].aSent = 0; in[i].aSince = 0;
     in[i].aNext = !doAsk; in[i].aTok = 0; in[i].phase = BACKOFF;
#ifdef RECALLS
     in[i].aRec = 0;
#endif
     if
     :: releaseAgain -> in[i].phase = REQUESTING; in[i].aOpen = QREQ; in[i].aLen = L; in[i].aNext = 0; releaseAgain = in[i].aId
     :: else
     fi
  :: else
  fi;

  if
  :: doRelease ->
     freePending();
     g[x].gId = doRelease; g[x].tok = releaseTok; g[x].unc = releaseUnc; g[x].openQ = releaseOpen; g[x].end = releaseEnd;
     g[x].again = releaseAgain; g[x].go = (releaseOpen == QNONE)
  :: else
  fi;

  y = i*NG;
  do
  :: y == i*NG + NG -> break
  :: else ->
    if
    :: g[y].go ->                               /* an attempt */
       slot();
       c[z].kind = REL; c[z].id = g[y].gId; c[z].by = y%NG; c[z].tok = g[y].tok; c[z].again = g[y].again; c[z].tomb = g[y].unc;
       c[z].lease = (g[y].again -> L : 0);
       g[y].openQ = 0; g[y].open = 1; g[y].tried = 1; g[y].age = 0; g[y].go = 0
    :: else
    fi;
    y++
  od;

  if
  :: doRenew ->
     slot();
     in[i].rLen = anyLease; in[i].rWay = 1; in[i].rAge = 0;
#ifdef RECALLS
     in[i].rOld = 0;
#endif
     c[z].kind = REN; c[z].id = in[i].tId; c[z].tok = in[i].tTok; c[z].lease = in[i].rLen;
#ifdef RENEWALS_COUNTED_PER_OWNERSHIP
     in[i].rNo++;
     c[z].rno = in[i].rNo
#endif
  :: else
  fi;

  if
  :: doAsk ->
     slot();
     in[i].aLen = anyLease;
     c[z].kind = ACQ; c[z].id = in[i].aId; c[z].lease = in[i].aLen;
     in[i].aOpen = QACQ; in[i].phase = REQUESTING; in[i].aSent = 0; in[i].aNext = 0
  :: else
  fi;

  doForget = 0; doTell = 0; doEnd = 0; doAbandon = 0; abandonBy = 0; doRetire = 0; doFresh = 0; doAsk = 0; doRenew = 0; doRelease = 0; releaseAgain = 0; tellMore = 0
}

/* =================================================================================================================== */
/* ---- the clock ---- */

#define FRESH (faults == FAULTS && slotMoves == SLOT_MOVES && crashes == CRASHES && pauses == PAUSES && forces == FORCES && flushes == FLUSHES)

inline older(f) { f = (f < 7 -> f + 1 : 7) }
inline nearer(f) { f = (f > 0 -> f - 1 : 0) }

inline tick() {
#if SLOT_MOVES
  moving = (moving -> moving + 1 : 0);
#endif
#if defined(RETAIN) && !defined(DROP_ALL) && !defined(DROP_RECALLS) && !defined(ENDLESS)
  assert((!FRESH || qn == 0 || !in[INST(owner)].ret) || M15);                   /* without faults, at once */
#endif
#ifndef NO_EXPIRY
  if :: ttl > 0 -> ttl--; if :: ttl == 0 -> dropEntry() :: else fi :: else fi;
#endif
  if :: tombTtl > 0 -> tombTtl--; if :: tombTtl == 0 -> tombs = 0 :: else fi :: else fi;
  for (k : 0 .. N*NS - 1) {
    if
    :: c[k].slow -> c[k].age++; if :: c[k].age >= MAXAGE -> forget(k) :: else fi
    :: else
    fi
  }
  for (k : 0 .. N*NM - 1) {
    if
    :: m[k].slow -> m[k].age++; if :: m[k].age >= MAXAGE -> forgetMsg(k) :: else fi
    :: else
    fi
  }
  for (k : 0 .. N*NG - 1) {
    if
    :: g[k].gId -> if :: g[k].age < 3 -> g[k].age++ :: else fi; nearer(g[k].end)
    :: else
    fi
  }
#ifdef RATES
  ahead = (ahead > R -> ahead - R : 0);
  for (k : 0 .. N - 1) {
    in[k].grown = (in[k].tId && in[k].grown < 3 -> in[k].grown + 1 : in[k].grown)
  }
#endif
  for (k : 0 .. N - 1) {
    if
    :: in[k].aId ->
       older(in[k].aSent); older(in[k].aSince);
       if :: in[k].phase != REQUESTING -> nearer(in[k].aNext) :: else fi
    :: else
    fi;
    if
    :: in[k].tId ->
       nearer(in[k].tDl);
       if :: !RETAINED(k) -> older(in[k].hAge) :: else fi;
#if defined(RETAIN) && !defined(RETENTION_ENDLESS)
       if :: in[k].ret > 1 -> in[k].ret-- :: else fi;
#endif
       if :: in[k].rWay -> older(in[k].rAge) :: else -> nearer(in[k].rNext) fi
    :: else
    fi;
    nearer(in[k].paused)
  }
}

/* ---- properties after every step ---- */

#ifdef NO_LOCAL_DEADLINE
#define HELD(j) (in[j].tId && !in[j].crashed)
#else
#define HELD(j) (in[j].tId && in[j].tDl > 0 && !in[j].crashed)
#endif

#define IDLE(j) (in[j].crashed || in[j].w == 0 && in[j].aId == 0 && in[j].tId == 0)

#define CMDS(j) (c[j*NS].kind || c[j*NS+1].kind || c[j*NS+2].kind || c[j*NS+3].kind || c[j*NS+4].kind)
#define MSGS(j) (m[j*NM].id || m[j*NM+1].id)
#define GIVES(j) (g[j*NG].gId || g[j*NG+1].gId || g[j*NG+2].gId || g[j*NG+3].gId)
#define BUSY_AT(j) (!IDLE(j) || CMDS(j) || MSGS(j) || GIVES(j))
#define AGREED(j) (!HELD(j) || owner == in[j].tId && ttl >= in[j].tDl)

#if N > 2
#define HOLDERS (HELD(0) + HELD(1) + HELD(2))
#define ALL_AGREED (AGREED(0) && AGREED(1) && AGREED(2))
#define UNDER_WAY (BUSY_AT(0) || BUSY_AT(1) || BUSY_AT(2))
#else
#define HOLDERS (HELD(0) + HELD(1))
#define ALL_AGREED (AGREED(0) && AGREED(1))
#define UNDER_WAY (BUSY_AT(0) || BUSY_AT(1))
#endif

inline check() {
#if FORCES + FLUSHES == 0
  assert(HOLDERS <= 1 || M1);
  assert(ALL_AGREED || M1);                                                                     /* and the entry in Redis lasts at least as long */
#endif
  assert((owner == 0 || ttl > 0) || M9);
#ifdef RETAIN
  for (k : 0 .. N-1) {
    in[k].toldOf = (in[k].toldOf && owner && INST(owner) == k && qn > 0);
#ifndef ENDLESS
    assert(!(in[k].toldOf && in[k].ret) || M15)
#endif
  }
#endif
  b = UNDER_WAY;
  assert((b || !FRESH || owner == 0 && tombs == 0) || M13);                                     /* without faults, at once */
#ifdef HANGS
  rests = !BUSY_AT(0);
#endif
  quiet = !b && owner == 0 && tombs == 0
}

/* =================================================================================================================== */


#ifdef VERBOSE
inline picture() {
  printf("step %e  i %d  s %d | owner %d tok %d ttl %d q %d %d %d tombs %d(%d)\n", ev, i, s, owner, stok, ttl, q[0], q[1], q[2], tombs, tombTtl);
  for (k : 0 .. N-1) {
    printf("   inst %d: calls %d w %d%c", k, in[k].calls, in[k].w, (in[k].crashed -> 'X' : (in[k].paused -> 'P' : ' ')));
    if :: in[k].aId -> printf(" ASK id %d phase %d open %d unc %d sent %d since %d next %d tok %d", in[k].aId, in[k].phase, in[k].aOpen, in[k].aUnc, in[k].aSent, in[k].aSince, in[k].aNext, in[k].aTok) :: else fi;
    if :: in[k].tId -> printf(" HAS id %d tok %d dl %d unc %d open %d age %d ren %d/%d retained %d", in[k].tId, in[k].tTok, in[k].tDl, in[k].tUnc, in[k].tOpen, in[k].hAge, in[k].rWay, in[k].rNo, RETAINED(k)) :: else fi;
    printf("\n")
  }
  for (k : 0 .. N*NG-1) { if :: g[k].gId -> printf("   pending %d: id %d again %d unc %d openQ %d open %d age %d end %d\n", k, g[k].gId, g[k].again, g[k].unc, g[k].openQ, g[k].open, g[k].age, g[k].end) :: else fi }
  for (k : 0 .. N*NS-1) { if :: c[k].kind -> printf("   cmd %d: kind %d done %d open %d slow %d id %d again %d tomb %d lease %d res %d rq %d tok %d\n", k, c[k].kind, c[k].done, c[k].open, c[k].slow, c[k].id, c[k].again, c[k].tomb, c[k].lease, c[k].res, c[k].rq, c[k].tok) :: else fi }
#ifdef RECALLS
#define RECALL(e) m[e].recall
#else
#define RECALL(e) 0
#endif
  for (k : 0 .. N*NM-1) { if :: m[k].id -> printf("   msg %d: id %d tok %d slow %d recall %d\n", k, m[k].id, m[k].tok, m[k].slow, RECALL(k)) :: else fi }
}
#endif

#ifdef RENEWALS_COUNTED_PER_OWNERSHIP
#define RETIRE_OLD skip
#else
#define RETIRE_OLD doRetire = 1
#endif

#ifdef ENDLESS
#ifdef STEADY           /* a caller of instance 0 always waits */
#define MAY_LEAVE(j) (in[j].hAge > 0 && (j > 0 || in[j].w > 0))
#else
#define MAY_LEAVE(j) (in[j].hAge > 0)
#endif
#else
#define MAY_LEAVE(j) 1
#endif

#ifdef STORE            /* a holder writes to the fenced store, or a former holder that does not know of its loss */
#define WRITES(j) \
  :: !prompt && UP(j) && in[j].tId && !RETAINED(j) && in[j].tTok > stored -> i = j; ev = WRITE; die1 = in[j].tTok \
  :: !prompt && UP(j) && in[j].lateTok > stored -> i = j; ev = WRITE; die1 = in[j].lateTok
#else
#define WRITES(j)
#endif

#define INST_STEPS(j) \
  :: !prompt && UP(j) && LATE(j) -> i = j; ev = LOSE \
  :: !prompt && UP(j) && !LATE(j) && in[j].calls > 0 && in[j].w < 2 && !in[j].closing -> i = j; ev = CALL \
  :: !prompt && UP(j) && !LATE(j) && in[j].w > 0 && leaves > 0 -> i = j; ev = LEAVE \
  :: !prompt && UP(j) && !LATE(j) && in[j].tId && !RETAINED(j) && MAY_LEAVE(j) -> i = j; ev = LEAVEHOLD \
  :: !prompt && UP(j) && !LATE(j) && MUST_FREE(j) -> i = j; ev = RETAINT \
  WRITES(j) \
  :: !prompt && UP(j) && !LATE(j) && MUST_REQUEST(j) -> i = j; ev = ASKT \
  :: !prompt && UP(j) && !LATE(j) && MUST_RENEW(j) -> i = j; ev = RENEWT \
  :: !prompt && !in[j].crashed && crashes > 0 && !IDLE(j) -> i = j; ev = CRASH \
  :: !prompt && UP(j) && pauses > 0 && !IDLE(j) -> i = j; ev = PAUSE \
  :: !prompt && in[j].paused -> i = j; ev = RESUME \
  :: !prompt && UP(j) && !LATE(j) && closes > 0 && !IDLE(j) -> i = j; ev = SHUT

#define CMD_STEPS(e) \
  :: !prompt && c[e].kind && !c[e].done -> s = e; ev = EXEC \
  :: !prompt && c[e].kind && c[e].done && UP((e)/NS) && !LATE((e)/NS) -> s = e; ev = REPLY \
  :: !prompt && c[e].kind -> s = e; ev = DROP \
  :: !prompt && c[e].open && UP((e)/NS) && !LATE((e)/NS) -> s = e; ev = BREAK

#define MSG_STEPS(e) \
  :: !prompt && m[e].id && UP((e)/NM) && !LATE((e)/NM) -> s = e; ev = MESSAGE \
  :: !prompt && m[e].id -> s = e; ev = DROPMSG \
  :: !prompt && m[e].id && dups > 0 -> s = e; ev = DUP

#define GIVE_STEPS(e) \
  :: !prompt && GDUE(e) && !LATE((e)/NG) -> s = e; ev = PENDINGT

#define ALL_GDUE(j) (GDUE(j*NG) || GDUE(j*NG+1) || GDUE(j*NG+2) || GDUE(j*NG+3))

#if N > 2
#define ANY_DUE (MUST_COME || DUE(0) || DUE(1) || DUE(2) || ALL_GDUE(0) || ALL_GDUE(1) || ALL_GDUE(2))
#define NO_CALLS (in[0].calls + in[1].calls + in[2].calls == 0)
#else
#define ANY_DUE (MUST_COME || DUE(0) || DUE(1) || ALL_GDUE(0) || ALL_GDUE(1))
#define NO_CALLS (in[0].calls + in[1].calls == 0)
#endif

#ifdef ENDLESS
ltl m10 { [] (in[1].w > 0 -> <> (in[1].w == 0)) }
#endif
#ifdef HANGS
ltl m14 { [] (in[0].closing -> <> (rests == 1)) }
#endif

bit quiet = 1;          /* nothing is left or under way anywhere */
#ifdef HANGS
bit rests = 1;          /* nothing is left in instance 0 */
#endif
byte prompt;            /* the first command or message under way without a delay, + 1; commands first; 0 = none */

/* Commands and messages without a delay arrive before any other step. Those for a paused instance are delayed. */
inline findPrompt() {
  prompt = 0;
  k = 0;
  do
  :: k == N*NS || prompt -> break
  :: else ->
     if
     :: c[k].kind && !c[k].slow ->
        if
        :: c[k].done && in[k/NS].paused -> c[k].slow = 1
        :: else -> prompt = k + 1
        fi
     :: else
     fi;
     k++
  od;
  k = 0;
  do
  :: k == N*NM || prompt -> break
  :: else ->
     if
     :: m[k].id && !m[k].slow ->
        if
        :: in[k/NM].paused -> m[k].slow = 1
        :: else -> prompt = N*NS + k + 1
        fi
     :: else
     fi;
     k++
  od
}


active proctype world() {
  in[0].calls = CALLS0;
  in[1].calls = CALLS1;
#if N > 2
  in[2].calls = CALLS2;
#endif

#if !defined(ENDLESS) && !defined(HANGS)
accept_loop:
#endif
  do
  :: atomic {
    if
    :: prompt && prompt <= N*NS ->
       s = prompt - 1;
       if
       :: c[s].done && !LATE(s/NS) -> ev = REPLY
       :: c[s].done && LATE(s/NS) -> i = s/NS; ev = LOSE
       :: !c[s].done -> ev = EXEC
       :: faults > 0 -> ev = HOLD
       fi
    :: prompt > N*NS ->
       s = prompt - 1 - N*NS;
       if
       :: !LATE(s/NM) -> ev = MESSAGE
       :: LATE(s/NM) -> i = s/NM; ev = LOSE
       :: faults > 0 -> ev = HOLD
       fi
    INST_STEPS(0)
    INST_STEPS(1)
    CMD_STEPS(0) CMD_STEPS(1) CMD_STEPS(2) CMD_STEPS(3) CMD_STEPS(4)
    CMD_STEPS(5) CMD_STEPS(6) CMD_STEPS(7) CMD_STEPS(8) CMD_STEPS(9)
    MSG_STEPS(0) MSG_STEPS(1) MSG_STEPS(2) MSG_STEPS(3)
    GIVE_STEPS(0) GIVE_STEPS(1) GIVE_STEPS(2) GIVE_STEPS(3)
    GIVE_STEPS(4) GIVE_STEPS(5) GIVE_STEPS(6) GIVE_STEPS(7)
#if N > 2
    INST_STEPS(2)
    CMD_STEPS(10) CMD_STEPS(11) CMD_STEPS(12) CMD_STEPS(13) CMD_STEPS(14)
    MSG_STEPS(4) MSG_STEPS(5)
    GIVE_STEPS(8) GIVE_STEPS(9) GIVE_STEPS(10) GIVE_STEPS(11)
#endif
    :: !prompt && forces > 0 && owner -> ev = FORCE
    :: !prompt && flushes > 0 && owner -> ev = FLUSH
#if SLOT_MOVES
    :: !prompt && slotMoves > 0 && !moving && owner -> ev = MOVE
    :: !prompt && moving -> ev = MOVED
    :: !prompt && !quiet && !ANY_DUE && moving < 3 -> ev = TICK
#else
    :: !prompt && !quiet && !ANY_DUE -> ev = TICK
#endif
    fi;
    anyLease = L;
    if
    :: ev == LEAVEHOLD || ev == SHUT || ev == REPLY || ev == BREAK || ev == PENDINGT -> if :: die1 = 0 :: die1 = 1 fi
    :: ev == EXEC && c[s].kind == REL || ev == FORCE -> if :: die1 = 0 :: die1 = 1 fi; if :: die2 = 0 :: die2 = 1 fi
    :: else
    fi;
#if LS != L
    if :: anyLease = L :: anyLease = LS fi;
#endif
    d_step {
    if
    :: ev == CALL -> come()
    :: ev == LEAVE -> leaves--; in[i].w--
    :: ev == LEAVEHOLD -> leaveHold()
    :: ev == LOSE ->
#ifdef STORE
       in[i].lateTok = (RETAINED(i) -> 0 : in[i].tTok);
#endif
       endOwnership()
    :: ev == ASKT -> askTimer()
    :: ev == RENEWT -> doRenew = 1; RETIRE_OLD
    :: ev == PENDINGT -> pendingTimer()
    :: ev == RETAINT -> endOwnership()
    :: ev == EXEC -> execute()
    :: ev == REPLY -> receiveReply()
    :: ev == MESSAGE -> message()
    :: ev == DROP ->                            /* lost, or Redis refuses the write: then the script has sent no message either */
#ifdef TELLS_BEFORE_WRITE
       if
       :: c[s].kind == REL && !c[s].done && owner == c[s].id && qn > 0 ->
          mint(stok, 0);
          publishGrant(q[0], tk, qlen[0])
       :: else
       fi;
#endif
       doForget = 1
    :: ev == DROPMSG -> forgetMsg(s)
    :: ev == BREAK -> breakOff()
    :: ev == DUP -> dups--; double()
    :: ev == CRASH -> crashes--; crash()
    :: ev == PAUSE -> pauses--; in[i].paused = PMAX
    :: ev == RESUME -> in[i].paused = 0
    :: ev == SHUT ->
       closes--; in[i].closing = 1; in[i].calls = 0;
#ifndef CLOSING_KEEPS_WAITERS
       in[i].w = 0;
#endif
       if                                       /* a holder finishes within the grace, or not */
#ifdef GRACE_ENDLESS
       :: RETAINED(i) -> endOwnership()
#else
       :: in[i].tId && (die1 || RETAINED(i)) -> endOwnership()
#endif
#ifdef HANGS
       :: else -> in[i].hAge = 0
#else
       :: else
#endif
       fi
    :: ev == WRITE ->
#ifdef STORE
       stored = die1
#else
       skip
#endif
    :: ev == FORCE ->
       forces--; i = INST(owner); ag = 0; n = stok;
       if                                       /* the message "revoke" arrives at once, or is lost */
       :: UP(i) && die1 && in[i].tId == owner -> noOwnership()
       :: UP(i) && die1 && in[i].aId == owner ->        /* the reply that grants the lock has not arrived */
#ifdef REVOKES
#ifndef EARLY_REVOKE_FORGOTTEN
          releaseLater(in[i].aId, stok, in[i].aUnc, in[i].aOpen, (2*L - in[i].aSent > 7 -> 7 : 2*L - in[i].aSent));
          noAcquisition();
#endif
          revoked = revoked | (1 << owner)
#else
          skip
#endif
       :: else
       fi;
       handOver(n)
    :: ev == FLUSH -> flushes--; dropEntry(); tombs = 0; tombTtl = 0; gone = 0;
#ifdef TOKEN_COUNTER
       counter = 0
#endif
#if SLOT_MOVES
    :: ev == MOVE -> slotMoves--; moving = 1
    :: ev == MOVED ->
       moving = 0;
       for (k : 0 .. QL-1) { stale = stale | (q[k] -> 1 << q[k] : 0) }
       for (k : 0 .. N-1) {                     /* a holder renews its lease at once, and learns whether others wait */
         stale = stale | (in[k].aId -> 1 << in[k].aId : 0) | (in[k].tId -> 1 << in[k].tId : 0);
         in[k].rNext = (in[k].rWay -> in[k].rNext : 0)
       }
#endif
    :: ev == TICK -> tick()
    :: ev == HOLD ->
       faults--;
       if
       :: prompt <= N*NS -> c[s].slow = 1
       :: else -> m[s].slow = 1
       fi;
       s = 0
    fi;
    finish();
    findPrompt();
    check();
#ifdef VERBOSE
    picture();
#endif
    ev = 0; i = 0; s = 0; die1 = 0; die2 = 0; anyLease = 0
    }
    }
  :: quiet && NO_CALLS -> break
  od
}
