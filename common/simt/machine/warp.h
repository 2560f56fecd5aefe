/* warp.h - the running state of a warp and of its block.
 *
 * A warp's lanes that are at the same instruction form a split. A divergent branch turns one
 * split into a tree: for each of its reconvergence points (ptxas/reconverge.c) a parent waits
 * there, the nearest lowest; below it the lanes run towards it one split after the other. A split
 * that comes to a point where one of its parents waits joins it, and has then left the parents
 * between them; a parent goes on when no split is left below it. A call is a parent too, which
 * waits behind the call. Splits that spin take turns (and a parent that waits for a spinning child
 * is let go in the end), so a lock taken by one lane does not hang the others, as on Volta and
 * later GPUs.
 *
 * One thread runs a block at a time, so nothing here is locked. */
#ifndef SIMT_WARP_H
#define SIMT_WARP_H

#include "decode/kernel.h"
#include "machine/gaps.h"
#include "machine/memory.h"
#include "base/launch.h"

#include <stdalign.h>
#include <stdatomic.h>

/* Counters of one instruction or basic block, per worker thread; see enum site_kind. */
struct site {
    uint64_t a, b, c;
};

enum { PATTERN_SLOTS = 8 }; /* patterns that an instruction keeps */

/* What is known of a memory instruction's last address pattern: most repeat it, moved by some
 * distance, and then nothing has to be analysed again. */
struct pattern {
    alignas(64) uint64_t relative[WARP_LANES]; /* address - address of the first active lane */

    /* A cache line with all that most accesses look at. */
    lane_mask mask;                /* 0: nothing known yet */
    uint8_t half_shape[2];         /* enum half_shape of lanes 0..15 and 16..31 */
    bool contiguous;               /* all 32 lanes active, one access after the other */
    uint8_t wavefronts, conflicts; /* shared memory; any shift by whole words keeps them */
    uint8_t low_address;           /* modulo 4, when they were counted */
    uint8_t slot;                  /* where it is kept: kept_patterns.h */
    uint32_t version;        /* another one with each pattern of the instruction that is learned */
    uint32_t leader_version; /* while the leader's (struct insn) is this one, so is the pattern */
    uint32_t repeat;         /* number of the struct repeat that counts such requests */
    uint64_t low_bits;       /* OR of relative[]: tells misalignment */
    uint64_t first_start, starts; /* a first lane at one of so many addresses: all are inside */
    int64_t delta;                /* host address minus device address of the last allocation */
    int64_t lowest;               /* of relative[], active lanes, signed */

    int64_t highest;     /* the same */
    uint64_t begin, end; /* the allocation of the last access */
    uint8_t sectors[32]; /* by first address modulo 32; 0: not counted yet */

    /* Of the shared side of a copy: what it costs together with that version of the global side. */
    uint32_t copy_of;
    uint8_t copy_low[2]; /* where both lie in a line of 128 bytes */
    uint8_t copy_sectors, copy_load_sectors;
};

static inline void pattern_forget_allocation(struct pattern *p)
{
    p->begin = p->end = 0;
    p->starts = 0;
}

enum split_state { SPLIT_FREE, SPLIT_READY, SPLIT_PARENT, SPLIT_BLOCKED };

struct split {
    uint8_t state;
    bool is_call;        /* a parent that waits for `ret`, not for a code index */
    bool yielded;        /* it has let the others take their turn, at pc */
    lane_mask mask;      /* lanes that are here; of a parent: lanes that have arrived */
    uint32_t pc;         /* where it goes on */
    uint32_t reconverge; /* code index at which it joins its parent; NO_PC: at ret or exit */
    int32_t parent;      /* -1: none */
    uint32_t children;   /* of a parent: splits that have not arrived yet */
    uint32_t turns;      /* of a parent: how long lanes have been waiting here */
    uint32_t frame;      /* byte offset of the function's registers in the register stack */
    uint32_t local;      /* byte offset of the function's local variables, per lane */
    uint32_t func;       /* index into kernel->funcs */
    uint32_t call;       /* of a call parent: index into kernel->calls */
    lane_mask members;   /* of a blocked split: lanes that must come to the same warp barrier */
};

/* Warp instructions of a turn of a warp whose lanes spin: others are to do what it waits for. */
enum { SPIN_SLICE = 500 };

enum warp_state { WARP_READY, WARP_AT_BARRIER, WARP_AT_CLUSTER, WARP_DONE };

/* What a warp has done since its slice began. */
enum warp_deeds {
    DID_ASK = 1 << 0,  /* asked global memory by a strong access, where it had asked before */
    DID_WAIT = 1 << 1, /* the same of shared memory */
    DID_NEWS = 1 << 2, /* others may see it: stored, asked elsewhere, ended lanes */
    DID_KEEP = 1 << 3  /* stored in local memory: it may count how often it has asked */
};

/* Whom a warp has asked last: what a message says when nothing ever changes there. */
struct question {
    const struct insn *in;
    uint64_t address; /* of the first lane; in shared memory its offset */
    const uint8_t *host;
    lane_mask lanes;
    bool is_phase; /* of the mbarrier there: has it ended? */
};

enum { QUESTIONS = 4 }; /* places between which a loop may go to and fro and still be waiting */

/* What every instruction, and then what every turn of a warp looks at, is in a cache line of its
 * own: with 8 warps that meet at barriers a block's turns are short. */
struct warp {
    uint8_t *base[REF_BASES];
    lane_mask active;    /* lanes that execute the current instruction */
    lane_mask live;      /* lanes that have not exited */
    lane_mask launched;  /* lanes that exist: fewer than 32 in a block's last warp */
    uint32_t reconverge; /* of the running split, kept here for speed */
    struct site *sites;
    struct pattern *patterns;

    alignas(64) struct block *block;
    int64_t fuel;              /* instructions left of this time slice */
    int64_t slice;             /* its length when it began */
    const struct insn *resume; /* where the running split goes on when the warp is scheduled */
    enum warp_state state;
    unsigned barrier;      /* the barrier it waits at */
    int32_t current;       /* running split, -1: none */
    unsigned number;       /* in its block */
    uint32_t local_offset; /* of the running split: where its function's variables start */
    bool released;         /* the barrier it waited at has opened: finish the instruction */
    bool polled;   /* an atomic, or a load that others' stores are expected for, was executed */
    bool asked;    /* polled was true in this turn of its splits */
    bool spins;    /* lanes have had to be let go past a spinning split */
    bool rested;   /* nanosleep: the turn is over */
    bool gave_way; /* to other blocks, before the instruction that it resumes at */
    bool waited;   /* this turn of the warp ended because an mbarrier's phase had not */
    uint8_t did;   /* enum warp_deeds, in this slice */

    alignas(64) uint8_t *stack; /* register frames */
    uint8_t *local;             /* of all lanes: see warp_local() */
    int64_t turn;               /* instructions since its splits last took turns */
    uint64_t slices;            /* turns that the running split has used up in a row */
    struct kept_patterns *kept; /* by site */
    struct split *splits;
    uint16_t *ready;      /* stack of splits that could run */
    unsigned split_count; /* allocated */
    unsigned ready_count;
    lane_mask cluster_arrived; /* lanes that have come to barrier.cluster, whose phase goes on */
    lane_mask cluster_passed;  /* the same of a phase that has ended; they have not waited yet */
    uint64_t awaits; /* 1 + the offset of the mbarrier whose phase it waits for; 0: none */
    const struct insn *awaiting; /* the instruction that asks it */
    unsigned next_place;
    uint32_t untold;            /* requests of global memory in this block: repeats.h */
    uint64_t places[QUESTIONS]; /* asked last */
    struct question question;
    uint32_t stack_end[WARP_LANES]; /* alloca: the offset in local memory of what it gave last */
    alignas(64) uint32_t special[SPECIAL_COUNT][WARP_LANES];
};

enum { BARRIERS = 16, RESERVED_SHARED_BYTES = 1024, SHARED_UNIT_BYTES = 128 };

/* A named barrier (bar.sync 0..15). Hardware counts warps, not threads. */
struct barrier {
    unsigned expected; /* warps; 0: not in use */
    unsigned arrived;
    bool whole_block;                     /* no thread count was given: every thread must come */
    uint32_t popc;                        /* of bar.red: threads whose predicate is true, so far */
    uint32_t threads;                     /* threads that have arrived */
    uint32_t result_popc, result_threads; /* of the round that ended last */
};

struct observers;
struct repeats;
struct turn;
struct cluster;

/* Where a kernel's printf goes, from several threads. */
struct output {
    void (*write)(void *state, const char *text, size_t length);
    void *state;
};

/* What the printf of a launch takes of the buffer that a GPU keeps for it. */
struct printed {
    uint64_t most; /* bytes that it holds; 0: nobody counts */
    _Atomic uint64_t bytes;
    char line[200]; /* " at x.cu:7": where it was full; "": nowhere */
};

struct block {
    struct output output;
    struct printed *printed;
    struct memory *memory;
    const struct kernel *kernel;
    const struct simt_launch *launch;
    struct simt_dim index;
    unsigned warp_count, thread_count;
    struct warp *warps;
    uint8_t *shared;
    uint32_t shared_bytes;    /* static, dynamic, and reserved where a kernel looks at that */
    uint32_t reserved_offset; /* the system's own part, zero at first; none: shared_bytes */
    const uint8_t *params;
    uint32_t local_stride; /* bytes of local memory per lane */
    uint32_t stack_bytes;  /* of them alloca's, the first: it gives the last of these first */
    uint32_t stack_limit;  /* bytes of register frames per warp */
    struct barrier barriers[BARRIERS];
    uint32_t barriers_used; /* a bit for each that somebody has come to in this block */
    unsigned warps_done;
    unsigned threads_exited;
    int64_t max_instructions; /* of one block */
    int64_t fuel;             /* what is left of them */
    int64_t slice;            /* fuel of a warp until another one goes on */
    int64_t turn;             /* of a warp, until another of its splits, or another block, does */
    uint64_t schedule;      /* 0: warps in order; else the state of a generator of random numbers */
    struct err *fault;      /* shared by the launch: the first fault wins */
    atomic_bool *stop;      /* some block has failed: stop soon */
    uint64_t turns_offered; /* by warp_end_turn() */
    uint64_t looks_offered; /* by warp_may_end_turn() */
    bool yielded;           /* a warp used up its slice: the block may have to wait for another */
    bool waits;             /* in this turn it did nothing but ask global memory */
    bool asks;              /* in this turn it published nothing, and polled, */
    bool asks_others;       /* by global memory */
    bool keeps;             /* in this turn it stored in local memory */
    unsigned asking_rounds; /* of all its warps, in a row, in which it did nothing but ask */
    unsigned asking_turns;  /* of the block, in a row, in which it published nothing, and polled */
    uint32_t sm, sm_count;  /* %smid, %nsmid: blocks are dealt out in turn */
    uint32_t grid_id;
    uint64_t workspace;                /* device memory of the grid's barrier, zero at first */
    bool allow_exited;                 /* barriers do not wait for exited threads */
    bool poison_shuffles;              /* one that reads a lane that takes no part goes on */
    const struct observers *observers; /* they hear what happens; NULL: none (observer.h) */
    struct repeats *repeats; /* of its worker; NULL: every request is reported (repeats.h) */
    unsigned worker;         /* which of the launch's workers runs it */
    const uint64_t *frees;   /* memory_frees() */
    uint64_t *frees_seen;    /* of them, when the worker's patterns were last void */
    uint64_t number;         /* of the block in the grid: x first */
    uint64_t sequence;       /* 0, 1, ... in the order in which the launch's blocks were started */
    struct cluster *cluster; /* cluster.h; never NULL while the block runs */
    unsigned rank;           /* in its cluster */
    bool ended;              /* its shared memory is nobody's any more */
    unsigned idle_rounds;    /* in a row in which its warps did nothing but wait for mbarriers */
    struct turn *in_turn;    /* turn.h; NULL: blocks run one after the other, or in any order */
};

static inline void *warp_ref(const struct warp *w, uint32_t ref)
{
    return w->base[ref & 3u] + (ref & ~3u);
}

/* Of cp.async: where a lane's bytes come from in global memory, and how many are read there; the
 * rest of in->bytes becomes zeros. b is the address, e a constant with its offset, c the number. */
static inline uint64_t warp_copy_source(const struct warp *w, const struct insn *in, unsigned lane)
{
    const uint64_t *b = (const uint64_t *)warp_ref(w, in->b);
    const uint64_t *offset = (const uint64_t *)warp_ref(w, in->e);
    return b[lane] + offset[lane];
}

static inline unsigned warp_copy_bytes(const struct warp *w, const struct insn *in, unsigned lane)
{
    const uint32_t *size = in->c != NO_REF ? (const uint32_t *)warp_ref(w, in->c) : NULL;
    return size == NULL || size[lane] > in->bytes ? in->bytes : size[lane];
}

/* A lane's local memory: block->local_stride bytes. */
static inline uint8_t *warp_local(const struct warp *w, size_t lane)
{
    return w->local + lane * (w->block->local_stride + GAP_BYTES);
}

/* --- warp.c, warp_diverge.c, warp_call.c, warp_sync.c -------------------------------------- */

/* Special registers that say the same for all launches of a shape: a context does it when the shape
 * is another one than that of its last launch. */
void warp_shape(struct warp *w, const struct block *b, unsigned number);
/* What else stays the same for all blocks of a launch: its number, lanes that exist. */
void warp_prepare(struct warp *w, struct block *b, unsigned number);
/* Puts all launched lanes at the kernel's first instruction, in block->index. */
void warp_start(struct warp *w);
void warp_free(struct warp *w);
/* The worker's memory of where allocations lie is void: one has been freed. */
void warp_forget_allocations(struct warp *w);
/* The same if any worker has freed one: asked at the beginning of a slice, so behind barriers, and
 * behind what may have announced it, atomics and polling loads. */
static inline void warp_notice_frees(struct warp *w)
{
    if (*w->block->frees_seen != __atomic_load_n(w->block->frees, __ATOMIC_ACQUIRE)) {
        warp_forget_allocations(w);
    }
}
/* The running lanes wait, at `in`, for what other warps do: these have their turns first. */
const struct insn *warp_wait(struct warp *w, const struct insn *in);
/* A strong access of the active lanes to `address`, the first lane's: it may be waiting. */
static inline void warp_asks(struct warp *w, const struct insn *in, uint64_t address,
                             const uint8_t *host, bool is_global)
{
    bool known = false;
    for (unsigned i = 0; i < QUESTIONS; i++) {
        known |= w->places[i] == address;
    }
    if (!known) {
        w->places[w->next_place++ % QUESTIONS] = address;
        w->did |= is_global ? DID_NEWS : 0;
    }
    w->polled = true;
    w->did |= is_global ? DID_ASK : DID_WAIT;
    w->question = (struct question){in, address, host, w->active, false};
}
/* Other warps and other blocks may take their turns before `next`: NULL, or `next`. */
const struct insn *warp_end_turn(struct warp *w, const struct insn *next);
/* The same by chance, and never once the block has but asked for a while: from then on it does the
 * same each time, so that it can be found to stand still. */
const struct insn *warp_may_end_turn(struct warp *w, const struct insn *next);
/* Other blocks take their turns before this instruction: NULL, and `in` when it is met again. */
const struct insn *warp_give_way(struct warp *w, const struct insn *in);
/* Runs until the warp waits at a block barrier, is done, has used up its slice of so many
 * instructions, or a fault. */
void warp_run(struct warp *w, int64_t slice);

/* Called by handlers; each returns what the handler must return. */
const struct insn *warp_diverge(struct warp *w, const struct insn *in, lane_mask taken,
                                uint32_t target);
const struct insn *warp_diverge_many(struct warp *w, const struct insn *in,
                                     const uint32_t *targets);
/* The `first` lanes execute `in` again, the others after them; they join behind it. */
const struct insn *warp_diverge_call(struct warp *w, const struct insn *in, lane_mask first);
/* The running split has come to a reconvergence point. If a parent waits here it joins that one,
 * and *next is what the warp does now; otherwise false. */
bool warp_arrives(struct warp *w, const struct insn *in, const struct insn **next);
/* The running split is at the head of a loop in which lanes wait for others (warp_yield.c). True:
 * another one runs, *next is what it does. */
bool warp_yields(struct warp *w, const struct insn *in, const struct insn **next);
/* A branch with INSN_YIELDS, out of such a loop: who leaves it waits for nobody. */
const struct insn *warp_leave_loop(struct warp *w, const struct insn *in, lane_mask taken);
const struct insn *warp_exit(struct warp *w, const struct insn *in, lane_mask leaving);
const struct insn *warp_call(struct warp *w, const struct insn *in, lane_mask lanes,
                             const struct call_site *call, const struct kernel_func *callee);
const struct insn *warp_return(struct warp *w, const struct insn *in, lane_mask leaving);
const struct insn *warp_out_of_fuel(struct warp *w, const struct insn *in);
/* Waits until the `members` lanes that live have come to a warp barrier (any_point), or to this
 * very instruction; the handler is then run again with all of them active. */
const struct insn *warp_block_split(struct warp *w, const struct insn *in, lane_mask members);

/* The split (index) that waits behind the call that the running function was entered by. */
int warp_caller(const struct warp *w);

/* --- fault.c ------------------------------------------------------------------------------- */

/* Records the launch's first fault, with kernel, source line, block and thread of `lane`; returns
 * NULL, which stops the warp. The text says what is wrong, without those. */
const struct insn *fault(struct warp *w, const struct insn *in, unsigned lane, enum simt_error code,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));
/* "byte 8 of the 400 bytes at 0x7f.. (cudaMalloc, made at scale.cu:30)" */
void fault_place(struct memory *m, uint64_t address, char *text, size_t size);
/* A launch that cannot go on, by no instruction's fault; from any worker. */
void fault_without_place(struct err *e, enum simt_error code, const char *words);
/* " at x.cu:12", or "". */
void fault_line(const struct kernel *k, const struct insn *in, char *text, size_t size);
const struct insn *fault_address(struct warp *w, const struct insn *in, unsigned lane,
                                 const char *what, uint64_t address, unsigned bytes);

/* --- block.c ------------------------------------------------------------------------------- */

/* block->index says which one of the grid it is. */
void block_start(struct block *b);
/* A fault is recorded, but the launch goes on for a while, to find others; false: not any more. */
bool block_survives(struct block *b);
void block_run(struct block *b); /* until it is done, faults, or (b->yielded) waits for others */
bool block_done(const struct block *b);
/* Turns in a row in which a block only asks until its turns end at no random places any more. */
enum { TURNS_BY_CHANCE = 8 };
/* Do its warps run in a random order, by SIMT_SCHEDULE? */
bool block_shuffles(const struct block *b);
/* A warp comes to barrier `id` with `threads` expected (0: the whole block) and, for bar.red, a
 * predicate. waits: false for bar.arrive. Returns what the handler must return. */
const struct insn *block_barrier(struct warp *w, const struct insn *in, unsigned id,
                                 unsigned threads, lane_mask predicate, bool waits);

#endif
