/* check_state.h - what check.c and the checkers beside it share; for them alone. */
#ifndef SIMT_CHECK_STATE_H
#define SIMT_CHECK_STATE_H

#include "check/check.h"
#include "check/findings.h"
#include "check/init_local.h"
#include "check/race.h"
#include "check/unwritten.h"

#include "base/map.h"
#include "machine/turn.h"

#include <pthread.h>

/* What is known of an instruction before it runs. */
struct insn_info {
    uint8_t what;  /* TOUCH_STRONG, TOUCH_VOLATILE, TOUCH_POLLS */
    uint8_t scope; /* enum order_scope */
    bool acquires, releases;
    bool locks;         /* an atomic in a loop, which takes a lock */
    bool swaps_lock;    /* so does this one, and it is no acquire */
    uint8_t marks;      /* init.c's */
    bool begins;        /* the first of a function that may read what it has not written */
    bool loads_in_loop; /* from global memory */
    bool read_only;     /* ld.global.nc, tex, tld4, suld: through caches that see no stores */
    int16_t array;      /* neighbours.c's: the one array that its address is made of, or none */
};

/* An array among a thread's local variables, which PTX keeps in one: from where an address of it is
 * made, to where the next one begins. */
struct local_array {
    uint32_t offset, bytes;
};
enum { MOST_LOCAL_ARRAYS = 64 };

struct bulk_state;
struct visitor;
struct product_state;

struct checked_block {
    const struct block *block;       /* NULL: free */
    struct bulk_state *bulk;         /* check_bulk.c's; NULL: its kernel shares no memory */
    struct product_state *products;  /* check_products.c's; NULL: its kernel has no wgmma */
    struct unfenced_state *unfenced; /* check_unfenced.c's; the same */
    struct check_worker *worker;
    struct order_block order;
    struct race_block race; /* of its shared memory */
    struct race_block far;  /* of global memory */
    bool far_begun;
    uint32_t waiting[BARRIERS]; /* warps at each named barrier */
    bool partial[BARRIERS];     /* it is not one of the whole block */
    struct marks *marks;        /* init.c's */
    uint64_t local_base;        /* where its local memory would lie in the shadow: for names */
    struct local_values local;  /* which bytes of it have a value */
    bool shared_has_values;     /* every byte of its shared memory */
    unsigned barriers;          /* so far, while that is not so */
    struct visitor *visitors;   /* check_cluster.c's; is_visited: since the block has begun */
    bool is_visited;
};

/* Where a value without a value came from that was stored elsewhere meanwhile. */
struct root {
    uint64_t at; /* in the shadow; 0: none */
    uint64_t address;
    uint32_t pc;
    uint8_t space;
    bool certain; /* it was computed, not only copied */
};
enum { ROOTS = 4096 }; /* a later one may push an earlier one out: then the last store is named */

enum { VALID_ALLOCATIONS = 16 };

/* Memory that the host has changed since the last launch. */
struct change {
    enum memory_change what;
    uint64_t address, bytes, from;
};

enum init_use { INIT_ADDRESS, INIT_BRANCH, INIT_RESULT, INIT_CALL };

/* Spaces besides those of memory. */
enum {
    INIT_LANE = 0xff,     /* the value of a lane that was never launched; its number */
    INIT_REGISTER = 0xfe, /* a variable that is kept in a register */
    INIT_FOREIGN = 0xfd   /* no missing value: the address of another thread's local variable */
};

struct init_report {
    uint32_t load_pc, use_pc;
    enum init_use use;
    uint8_t space;
    uint64_t address;
    unsigned lane;
};

/* What each worker of a launch has to itself: its blocks, and what they do to their own memory. */
struct check_worker {
    struct check *check;
    struct shadow *shadow; /* of shared and local memory */
    struct order *order;
    struct race *race; /* of shared memory */
    struct checked_block **blocks;
    unsigned block_count, running;
    struct checked_block *latest;
    struct map locals; /* of shared memory: see locals.c */
};

struct check {
    unsigned what;
    struct observer observer;
    struct check_worker **workers; /* the first one alone where blocks do not run side by side */
    unsigned worker_count;
    /* From here to `roots`, what a block uses while a launch runs it uses in turn (turn.h). */
    struct shadow *shadow; /* of global memory */
    struct race *race;
    struct findings *findings;
    struct unwritten *unwritten;
    struct map locals; /* of global memory: see locals.c */
    struct {
        uint64_t begin, bytes;
    } valid[VALID_ALLOCATIONS]; /* in which every byte has a value */
    struct launch_event launch; /* the one that runs */
    struct insn_info *infos;    /* per code index */
    unsigned info_room;
    uint64_t infos_of; /* serial of the kernel */
    bool has_flags;    /* strong accesses of global memory */
    bool *turns;       /* per code index: a strong store of a kernel that polls */
    bool polls;        /* a loop waits for what other threads store */
    bool speaks;       /* blocks may tell each other something, or the kernel calls the system */
    struct local_array local_arrays[MOST_LOCAL_ARRAYS];
    unsigned local_array_count;
    bool shares_locals; /* addresses of local variables are taken */
    bool of_library;    /* a kernel of Thrust or CUB */
    bool only_padding;  /* no local memory is stored to: what is kept there is padding of structs */
    bool has_undefined; /* some function may read a register that it has not written */
    struct root *roots;
    struct memory *memory; /* whose changes are listened to */
    pthread_mutex_t changes_lock;
    struct change *changes;
    size_t change_count, change_room;
    bool has_said_forgotten;
    bool failed;  /* some launch ended in a fault */
    bool running; /* a launch is, and its blocks run on this thread: */
    pthread_t runner;
};

/* check_worker.c */
void check_make_workers(struct check *c, unsigned count);
void check_free_workers(struct check *c);
void check_begin_launch(struct check *c);
void check_begin_block(struct check *c, struct block *b);
void check_end_block(struct check *c, const struct block *b);
/* Looks for races, of shared or of global memory. */
void check_access(struct check *c, struct checked_block *own, const struct warp *w,
                  const struct touch *t);
struct checked_block *check_block(struct check *c, const struct block *b);
/* check_memory.c: what the host does to memory between launches. */
void check_listen(struct check *c, struct memory *m);
void check_take_changes(struct check *c);
/* Has every byte of the allocation a value? */
bool check_is_valid(struct check *c, const struct allocation *a);
/* check_info.c */
/* race_access(), but of a kernel of Thrust or CUB a store of what is there already is a load. */
void check_touch(struct check *c, struct checked_block *own, const struct warp *w, struct touch *t);
void check_inspect(struct check *c, const struct kernel *k);
/* May blocks run side by side? quiet: loads that are not reported. */
bool check_may_share_out(const struct check *c, const struct launch_event *launch,
                         const struct quiet_range *quiet);
/* check_mbarrier.c */
void check_mbarrier(struct check *c, struct checked_block *own, struct warp *w, uint32_t pc,
                    unsigned lane, enum mbarrier_kind kind, uint64_t offset, unsigned phase);
/* check_bulk.c: copies by the bulk engine. */
void bulk_block_begin(struct checked_block *own, const struct block *b);
void bulk_block_free(struct checked_block *own);
/* The warp, of this block or of another one of its cluster, touches the owner's shared memory. */
void bulk_access(struct check *c, struct checked_block *owner, const struct warp *w,
                 const struct access_event *e);
void bulk_fence(struct checked_block *own, const struct warp *w, lane_mask lanes);
void bulk_passed(struct checked_block *own, uint64_t mbarrier, unsigned phase);
/* Some thread of the block of that rank has seen the end of the phase: copies that the sender made
 * there have been read. */
void bulk_arrived(struct checked_block *sender, uint32_t rank, uint64_t mbarrier, unsigned phase);
/* own: the warp's block; owner: the one whose memory is copied from or to. */
void bulk_copy(struct check *c, struct checked_block *own, struct checked_block *owner,
               const struct warp *w, uint32_t pc, unsigned lane, const struct bulk_event *e);
/* check_products.c: registers that a product by tensor cores (wgmma) still reads or computes. */
void products_block_begin(struct checked_block *own, const struct block *b);
void products_block_free(struct checked_block *own);
void products_event(struct checked_block *own, const struct warp *w, uint32_t pc,
                    const struct bulk_event *e);
void products_step(struct check *c, struct checked_block *own, const struct warp *w, uint32_t pc,
                   lane_mask lanes);
struct function_ir;
/* The registers that hold a product's part of A; none, where that lies in shared memory. */
struct ptx_operand products_elements_of(const struct function_ir *ir, uint32_t insn);
/* check_unfenced.c: registers that are written without wgmma.fence before a product uses them. */
void unfenced_block_begin(struct checked_block *own, const struct block *b);
void unfenced_block_free(struct checked_block *own);
void unfenced_step(struct check *c, struct checked_block *own, const struct warp *w, uint32_t pc,
                   lane_mask lanes);
/* check_words.c: called by race.c, of a worker's race and of that of global memory. */
void check_report_shared_race(void *state, const struct race_report *r);
void check_report_global_race(void *state, const struct race_report *r);
void check_say_forgotten(const struct kernel *k);
/* touch.c: an access as the race checker wants it. */
struct touched_by {
    const struct warp *w;
    const struct access_event *event;
    const struct block *owner; /* of shared memory */
};
unsigned touch_kind_of(enum access_kind kind);
/* The lanes that have stored something: of compare-and-swaps those that have found what they asked
 * for. */
lane_mask touch_writers(const struct touched_by *by);
struct touch touch_made(const struct touched_by *by, const struct insn_info *info,
                        const struct order_block *order);
/* check_cluster.c: shared memory of other blocks of the cluster. */
void cluster_access(void *state, struct warp *w, const struct access_event *e,
                    const struct block *owner);
void cluster_arrival(void *state, struct warp *w, unsigned lane, const struct block *owner,
                     uint64_t offset);
/* The lane, or a copy of its own, arrives at the mbarrier at that offset of the owner's memory. */
void cluster_arrives(struct checked_block *own, const struct checked_block *owner,
                     const struct warp *w, unsigned lane, uint64_t offset);
void cluster_phase_seen(struct checked_block *own, const struct warp *w, unsigned lane,
                        uint64_t offset);
/* Was all that others did in its memory before it ends? */
void cluster_block_ends(struct check *c, const struct block *b);
void cluster_opens(void *state, const struct cluster *cluster);
/* compared.c: loads whose value a compare-and-swap of the same word compares count as strong. */
void compared_inspect(struct check *c, const struct kernel *k);
/* locks.c: which atomics take locks. */
void locks_inspect(struct check *c, const struct kernel *k);
/* neighbours.c */
void neighbours_inspect(struct check *c, const struct kernel *k);
void neighbours_access(struct check *c, const struct warp *w, const struct access_event *e);
/* Does the access stay in its array? Else it is to be looked at. */
bool neighbours_stay(const struct check *c, const struct shared_access *a);
/* Called by init.c. The owner of a local variable whose address a mark is about is a block and a
 * thread. */
void check_report_init(struct check *c, const struct warp *w, const struct init_report *r);

#endif
