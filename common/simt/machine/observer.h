/* observer.h - what the machine reports to registered observers: launches, blocks, accesses with
 * the address of every lane, branches, barriers, fences, exits.
 *
 * An observer fills a struct observer and hands it to simt_observe(). While one is registered, a
 * launch runs a copy of the kernel's code in which the instructions that an observer asks for
 * are run by exec_observed.c, which calls the handler and then tells. So no handler has a line for
 * it, and without observers it costs nothing.
 *
 * Events come from the worker that runs the block, several workers at once; w->block->worker counts
 * them from 0. An observer that cannot bear that says `serial`: its launches run on one worker,
 * block after block in the same order each time; or `in_turn`: see turn.h. What an event points to
 * lives until the call returns. An access that ends in a fault is not reported. */
#ifndef SIMT_OBSERVER_H
#define SIMT_OBSERVER_H

#include "machine/warp.h"

enum { MAX_OBSERVERS = 8 };
#define EVERY_BLOCK UINT64_MAX

/* Events that cost something: what struct observer.wants adds up. */
enum observe_wants {
    OBSERVE_ACCESSES = 1 << 0, /* access() */
    OBSERVE_BRANCHES = 1 << 1, /* branch() */
    OBSERVE_ORDER = 1 << 2,    /* barrier(), barrier_open(), warp_sync(), fence(), async(), leave(),
                                  remote(), remote_arrive() */
    OBSERVE_STEPS = 1 << 3,    /* step() */
    OBSERVE_STORES = 1 << 4,   /* before_store() */
    OBSERVE_BEYOND_SHARED = 1 << 6, /* access(); of shared memory only if others ask for it */
    OBSERVE_LATER_STEPS = 1 << 5,   /* step(), while observed_kernel_steps() says so */
    OBSERVE_IMAGES = 1 << 8,        /* image() */
    OBSERVE_PATTERNS = 1 << 7, /* access() may come without addresses: access_event.pattern; and
                                  those that are repeats may be reported by repeats() */
    OBSERVE_REPEATS = 1 << 9,  /* for the machine: all of them may */
    OBSERVE_IN_ORDER = 1 << 10 /* touches() must come in the order of the requests, also of loads,
                                  unless it says otherwise (access_event.early) */
};

/* Loads that need not be reported: an instruction's, where all its lanes stay between the two. */
struct quiet_range {
    uint64_t begin, end; /* 0, 0: all are reported */
};

enum access_kind {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_ATOMIC,    /* with a result */
    ACCESS_REDUCTION, /* an atomic whose result nobody reads */
    ACCESS_COPY_READ, /* cp.async: the global side, */
    ACCESS_COPY_WRITE /* and the shared side, which is complete only after the thread has waited */
};

/* Lines of 128 bytes, from the first one on, and what whoever samples lines adds to their numbers.
 */
struct touch_area {
    uint64_t first, count, shift;
};

struct access_event {
    uint32_t pc; /* code index */
    const struct insn *in;
    const struct ptx_insn *origin; /* the PTX instruction: its opcode, modifiers, operands, line */
    enum access_kind kind;
    enum ptx_space space; /* PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST or PTX_PARAM */
    unsigned bytes;       /* of each lane, all elements together */
    lane_mask lanes;
    uint64_t low, high; /* the first byte that a lane touches, and the last one + 1 */
    /* 32 of them: device addresses; in shared memory offsets in the block's, in local memory in
     * the thread's. Lanes that take no part hold anything. NULL: whoever runs this launch can do
     * without (OBSERVE_PATTERNS), and observer_addresses() has them. */
    const uint64_t *address;
    /* How the lanes lie, counted from the first one's address; NULL: it has not been noted. What
     * was found out about a pattern holds while its `version` stays the same. */
    const struct pattern *pattern;
    uint64_t start; /* the first lane's address */
    struct site
        cost; /* what it added to its counters: a requests, b sectors or wavefronts, c conflicts */
    bool *again; /* where not NULL: whoever sets it hears of each request that touches the same */
    struct touch_area *area; /* where not NULL: set by whoever has a touch_log that samples */
    /* Of touches(): others come before it, of which nothing is known yet; it only reads. Whoever
     * must hear of it in its turn sets *again, and will. */
    bool early;
    /* Of several patterns that requests of shared or local memory alternate between, each has its
     * own number below PATTERN_SLOTS, and repeats() is of the last one with that number. */
    uint8_t slot;
};

/* A load from or a store to shared memory by an instruction that names that space, before it is
 * executed. */
struct shared_access {
    uint32_t pc;
    unsigned bytes; /* of each lane */
    bool writes;
    bool row;                /* lanes stand side by side: at address[0] + lane * bytes */
    lane_mask lanes;         /* not 0 */
    uint32_t low, high;      /* the first byte that a lane touches, and the last one + 1 */
    const uint32_t *address; /* of 32 lanes */
};

enum fence_scope { FENCE_BLOCK, FENCE_DEVICE, FENCE_SYSTEM };
enum async_kind { ASYNC_COMMIT, ASYNC_WAIT }; /* cp.async.commit_group; wait_group, wait_all */

/* What a thread has done with an mbarrier. MBARRIER_COPIES: its cp.async so far will arrive, too.
 * MBARRIER_ASKED: it has asked whether a phase is over that is not. */
enum mbarrier_kind {
    MBARRIER_INIT,
    MBARRIER_ARRIVE,
    MBARRIER_COPIES,
    MBARRIER_PASSED,
    MBARRIER_ASKED
};

/* What a copy by the bulk engine does to a block's shared memory, what a warp's part of a wgmma
 * reads there (of lane 0), and the groups of both. */
struct bulk_event {
    enum {
        BULK_READS,
        BULK_FILLS,
        BULK_COMMITS,
        BULK_WAITS,
        PRODUCT_BEGINS, /* of the instruction at pc; then what it reads */
        PRODUCT_READS,
        PRODUCT_COMMITS,
        PRODUCT_WAITS
    } kind;
    struct block *block; /* whose memory */
    uint64_t offset;
    uint64_t bytes; /* ..._WAITS: how many of the thread's latest groups may still be under way */
    uint64_t mbarrier; /* BULK_FILLS: of that block, and the phase in which it is notified */
    unsigned phase;
    struct block *notified; /* BULK_READS outside of groups: whose mbarrier hears of its end */
    bool adds;              /* BULK_FILLS: it adds to what is there, or the like */
    bool in_group;          /* BULK_READS: the thread waits for it by its group */
};

/* What ended a launch: the first fault of all. */
struct fault_event {
    uint32_t pc;
    unsigned lane;
    bool has_address; /* the lane asked for `bytes` bytes there: a global address */
    uint64_t address;
    unsigned bytes;
    const char *text; /* the message, one line */
};

struct launch_event {
    const struct kernel *kernel; /* as decoded; code indices are the same in the observed copy */
    const struct simt_launch *launch;
    struct memory *memory;
    unsigned workers;
    uint32_t grid_id;         /* 1, 2, ... in order of launches */
    const struct site *sites; /* at the end: what the launch counted; else NULL */
    bool good;                /* at the end: no fault */
    uint64_t executed; /* at the end: blocks that ran; fewer than all in a sample (sample.h) */
};

/* What a conditional branch has done, and how often it has done so since in blocks behind that one:
 * such a branch is counted here by the machine, and no branch() reports it. Two for each code
 * index, since the warps of a block often do one of two things. */
struct branch_seen {
    lane_mask lanes, taken; /* no lanes: nothing is known */
    uint64_t block, count;
};
enum { BRANCH_WAYS = 2 };
struct branch_ways {
    struct branch_seen of[BRANCH_WAYS];
};

/* Requests that touches() would be called for, of one worker: noted by the machine as long as there
 * is room, in the order in which they were made. Each is of a pattern that access() has been
 * called for, and of which the instruction has had no other since. */
enum { TOUCH_NOTES = 64 };
struct touch_log {
    unsigned count, room; /* at most TOUCH_NOTES */
    /* touches() is called all the same where a line may be in the sample. For OBSERVE_IN_ORDER. */
    bool samples;
    struct touch_note {
        uint64_t start; /* as in struct access_event */
        uint32_t site;  /* of the instruction */
    } notes[TOUCH_NOTES];
};

/* One line of so many is in the sample: a hash of its number says so. */
enum { LINE_SAMPLE = 32 };
static inline bool line_is_sampled(uint64_t line)
{
    return ((line ^ line >> 20) * HASH_MULTIPLIER >> 32 & (LINE_SAMPLE - 1)) == 0;
}

/* May it be? Outside of the area nobody knows. */
static inline bool line_may_be_sampled(const struct touch_area *a, uint64_t line)
{
    return line - a->first >= a->count || line_is_sampled(line + a->shift);
}

/* Any function may be NULL. `state` is handed back to each. An observer may change its own `wants`,
 * `step_block`, `serial` and `in_turn` in launch_begin(): they are looked at behind it, for each
 * launch anew. */
struct observer {
    void *state;
    unsigned wants;      /* enum observe_wants */
    uint64_t step_block; /* OBSERVE_STEPS is for this block alone; EVERY_BLOCK: for all */
    /* Per code index, or NULL: heeded if nobody else wants accesses. Set in launch_begin(), too. */
    const struct quiet_range *quiet;
    /* Per code index, or NULL: behind which accesses other warps, and blocks, have their turn. Then
     * a few blocks of the launch run side by side from its beginning. */
    const bool *turns;
    bool serial, in_turn;
    void (*launch_begin)(void *state, const struct launch_event *launch);
    void (*launch_end)(void *state, const struct launch_event *launch);
    void (*block_begin)(void *state, struct block *b);
    void (*block_end)(void *state, struct block *b); /* not if a fault stops it */
    void (*access)(void *state, struct warp *w, const struct access_event *access);
    /* So many requests have been made on a worker that no access() reported, since each
     * repeats one that was (repeats.h). Of the event these are valid: pc, in, origin, kind, space,
     * bytes, lanes, slot, cost of one of them; start, modulo a line of 128 bytes; where all lanes
     * of each have the same address, low and high: the lowest and the highest of these addresses
     * and perhaps of others with that pattern. */
    void (*repeats)(void *state, unsigned worker, const struct access_event *access,
                    uint64_t count);
    /* One of those that repeats() counts is the first request of the block for these sectors, or
     * for some of which access() or this function asked to hear again. */
    void (*touches)(void *state, struct warp *w, const struct access_event *access);
    /* Where a worker's are noted instead while there is room; NULL: nowhere. Asked once for each
     * launch and worker, and heeded if nobody else has touches(). Whoever has it makes room, and
     * looks at what is there before the next access() and at the end of a block. */
    struct touch_log *(*touch_log)(void *state, unsigned worker);
    /* What tex, tld4 and suld have read, and what sust is about to store: of each lane one texel,
     * or one element of a surface, in global memory. A filter reads several texels: an event for
     * the first of each lane, one for the second ...; cost.a is 1 in the first one, else 0. */
    void (*image)(void *state, struct warp *w, const struct access_event *access);
    /* A call of the runtime has stored so many bytes of its result for one lane. */
    void (*result)(void *state, struct warp *w, const struct access_event *access);
    /* True: that was all, neither before_store() nor access() is called. Asked only if nobody else
     * wants accesses. */
    bool (*shared_access)(void *state, struct warp *w, const struct shared_access *access);
    /* A store, before it is executed: the old contents can still be seen. It may end in a fault,
     * but every address is a multiple of `bytes`. */
    void (*before_store)(void *state, struct warp *w, const struct access_event *access);
    /* A conditional branch: the lanes that came, and those of them that jump. Of a table (brx.idx):
     * those that do not go where the first lane goes. */
    void (*branch)(void *state, struct warp *w, uint32_t pc, lane_mask lanes, lane_mask taken);
    /* For each worker one per code index, or NULL: see struct branch_seen. Used if nobody else has
     * branch(), and set by it and in launch_begin(). */
    struct branch_ways *const *branch_seen;
    /* A warp has come to block barrier `id`; waits: false for bar.arrive. */
    void (*barrier)(void *state, struct warp *w, uint32_t pc, unsigned id, bool waits);
    /* All have come: those that wait at it go on. w came last. */
    void (*barrier_open)(void *state, struct warp *w, unsigned id);
    /* These lanes have come together at __syncwarp(), a shuffle, vote, match or redux. */
    void (*warp_sync)(void *state, struct warp *w, uint32_t pc, lane_mask lanes);
    void (*fence)(void *state, struct warp *w, uint32_t pc, lane_mask lanes,
                  enum fence_scope scope);
    /* groups: of a wait, how many of the thread's latest groups may still be under way. */
    void (*async)(void *state, struct warp *w, uint32_t pc, lane_mask lanes, enum async_kind kind,
                  unsigned groups);
    /* At that offset of shared memory; phase: of several that follow each other, the one that the
     * thread has arrived in, or whose end it has seen. */
    void (*mbarrier)(void *state, struct warp *w, uint32_t pc, unsigned lane,
                     enum mbarrier_kind kind, uint64_t offset, unsigned phase);
    /* Lanes are about to load, store or update another block's shared memory, at these offsets. */
    void (*remote)(void *state, struct warp *w, const struct access_event *access,
                   const struct block *owner);
    /* The thread has arrived at an mbarrier of another block. */
    void (*remote_arrive)(void *state, struct warp *w, unsigned lane, const struct block *owner,
                          uint64_t offset);
    void (*bulk)(void *state, struct warp *w, uint32_t pc, unsigned lane,
                 const struct bulk_event *e);
    /* The bulk engine reads or writes so many bytes of global memory, side by side. Whoever has
     * this function is called, whatever it wants. */
    void (*bulk_row)(void *state, struct warp *w, uint32_t pc, uint64_t address, uint64_t bytes,
                     bool writes);
    void (*proxy_fence)(void *state, struct warp *w, uint32_t pc, lane_mask lanes);
    /* All threads of a cluster have come to barrier.cluster. */
    void (*cluster_open)(void *state, const struct cluster *c);
    void (*leave)(void *state, struct warp *w, uint32_t pc, lane_mask lanes); /* the thread ends */
    /* Before every PTX instruction, with the lanes whose guard holds (0: none). An instruction that
     * waits, a barrier for one, may be reported again when it goes on. */
    void (*step)(void *state, struct warp *w, uint32_t pc, lane_mask lanes);
    /* Once a launch at the most; from any worker, one at a time. */
    void (*fault)(void *state, struct warp *w, const struct fault_event *fault);
};

struct observers {
    const struct observer *list[MAX_OBSERVERS];
    unsigned count;
    unsigned wants;       /* of all of them, for the launch that runs */
    bool serial, in_turn; /* one of them at least */
    bool repeats;         /* those that want accesses can do with repeats() */
    const struct observer *branching[MAX_OBSERVERS]; /* those that have branch() */
    unsigned branching_count;
    const struct observer *only;     /* the one that wants accesses, if there is but one */
    const struct quiet_range *quiet; /* its own */
    const bool *turns;               /* of the one that has any */
};

static inline bool branch_is_again(struct branch_seen *seen, const struct warp *w, lane_mask taken)
{
    const bool same =
        seen->lanes == w->active && seen->taken == taken && w->block->number > seen->block;
    seen->count += same;
    return same;
}

/* Is there no more to a branch than to count it? It is counted. only: nobody else has branch(). */
static inline bool branch_is_counted(const struct observer *only, const struct warp *w, uint32_t pc,
                                     lane_mask taken)
{
    if (only->branch_seen == NULL) {
        return false;
    }
    struct branch_ways *ways = &only->branch_seen[w->block->worker][pc];
    return branch_is_again(&ways->of[0], w, taken) || branch_is_again(&ways->of[1], w, taken);
}

/* Calls FUNCTION of every observer that has it: OBSERVE(list, fence, w, pc, lanes, scope). */
#define OBSERVE(observers, function, ...)                                                          \
    do {                                                                                           \
        for (unsigned observer_ = 0; observer_ < (observers)->count; observer_++) {                \
            const struct observer *o_ = (observers)->list[observer_];                              \
            if (o_->function != NULL) {                                                            \
                o_->function(o_->state, __VA_ARGS__);                                              \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* The address of every lane that takes part, also where the event came without. */
static inline const uint64_t *observer_addresses(const struct access_event *a, uint64_t *room)
{
    if (a->address != NULL) {
        return a->address;
    }
    for (unsigned i = 0; i < WARP_LANES; i++) {
        room[i] = a->start + a->pattern->relative[i];
    }
    return room;
}

/* The source line of a code index that a learner wrote; *file is NULL and the result 0 where the
 * compiler named none. */
unsigned observer_line(const struct kernel *k, uint32_t pc, const char **file);
/* " (called at x.cu:30, x.cu:51)": the calls by which an inlined instruction came into its kernel,
 * the innermost first, as far as the PTX names them; "": none. */
void observer_callers(const struct kernel *k, uint32_t pc, char *text, size_t size);
/* Of one without a line, as a compiler leaves it that has joined or moved instructions: the line of
 * the nearest one that has one. A load is moved up as a rule, a store down. */
unsigned observer_near_line(const struct kernel *k, uint32_t pc, const char **file);
/* The array that holds this byte of a block's shared memory; NULL: none. A dynamic one has no end.
 */
const struct shared_variable *observer_shared_variable(const struct kernel *k, uint64_t offset);

#endif
