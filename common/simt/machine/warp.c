/* warp.c - a warp from its beginning to its end, and its share of the time.
 * Called by block.c and grid.c, and by the handler at which a slice ends. */
#include "machine/cluster.h"
#include "machine/split.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Turns of a loop that polls, before lanes that wait behind it go ahead of it. Sooner, a loop
     * that is only long would be split, and count more than on a GPU. */
    RELEASE_AFTER_SLICES = 4,
    /* Turns that lanes have waited for a loop whose other lanes diverge and reconverge within each
     * round, as they do at an `if` of its own. Such a loop looks as if it went on, so this is far
     * longer. */
    RELEASE_AFTER_TURNS = 40,
    RELEASE_WHEN_SPINNING = 2 /* the same in a warp that is known to spin */
};

/* --- time slices ---------------------------------------------------------------------------- */

/* A split spins, and lanes that have left its loop wait for it at the reconvergence point. They may
 * hold what it spins for, so they go ahead; the spinning lanes join them again further on. Only a
 * loop that asks memory can be waiting for others; a warp that has needed this once gets short
 * slices and is let go at once from then on. */
static void release(struct warp *w, unsigned waiting)
{
    split_release(w, (int)waiting);
    w->spins = true;
}

static bool waits_with_lanes(const struct split *s)
{
    return s->state == SPLIT_PARENT && s->mask != 0;
}

static void release_waiting(struct warp *w)
{
    for (unsigned i = 0; i < w->split_count; i++) {
        if (waits_with_lanes(&w->splits[i])) {
            release(w, i);
        }
    }
}

/* The running lanes diverge and reconverge in each round of a loop that asks memory; those that
 * wait behind it go ahead when they have waited for long. Lanes that wait within the round do not.
 */
static void release_patient(struct warp *w)
{
    const unsigned limit = w->spins ? RELEASE_WHEN_SPINNING : RELEASE_AFTER_TURNS;
    for (unsigned i = 0; i < w->split_count; i++) {
        struct split *s = &w->splits[i];
        if (waits_with_lanes(s) && ++s->turns >= limit) {
            release(w, i);
        }
    }
}

static void release_for_spinning(struct warp *w)
{
    w->asked |= w->polled;
    if (++w->slices >= (w->spins ? 1 : RELEASE_AFTER_SLICES) && w->polled) {
        release_waiting(w);
        w->polled = false;
    } else if (w->asked) {
        release_patient(w);
    }
    w->asked = false;
}

const struct insn *warp_out_of_fuel(struct warp *w, const struct insn *in)
{
    struct block *b = w->block;
    w->resume = in;
    if (b->fuel <= w->slice - w->fuel) {
        char awaited[300];
        awaited[0] = '\0';
        if (w->awaits != 0) {
            cluster_describe_phase(b, w->awaits - 1, awaited, sizeof awaited);
        }
        return fault(w, in, first_lane(w->active), SIMT_TIMEOUT,
                     "the kernel does not end: one block has done the work of %lld warp "
                     "instructions (set SIMT_MAX_INSTRUCTIONS to allow more)%s%s",
                     (long long)b->max_instructions, awaited[0] != '\0' ? "; it waits for " : "",
                     awaited);
    }
    w->turn += w->slice - w->fuel;
    if (w->turn < (w->spins ? SPIN_SLICE : b->turn) && !w->rested) {
        return NULL; /* the other warps' turn */
    }
    b->yielded |= w->rested;
    w->turn = 0;
    w->rested = false;
    release_for_spinning(w);
    if (w->ready_count > 0) { /* the split goes to the bottom of the stack, the top runs */
        split_save(w, in);
        int spinning = w->current;
        int next = w->ready[w->ready_count - 1];
        memmove(w->ready + 1, w->ready, (w->ready_count - 1) * sizeof *w->ready);
        w->ready[0] = (uint16_t)spinning;
        w->resume = split_load(w, next);
    }
    return NULL;
}

const struct insn *warp_wait(struct warp *w, const struct insn *in)
{
    enum { COST = 64 }; /* so that who waits for ever comes to an end */
    w->fuel -= COST;
    w->rested = w->polled = true;
    return warp_out_of_fuel(w, in);
}

const struct insn *warp_give_way(struct warp *w, const struct insn *in)
{
    w->gave_way = !w->gave_way;
    if (!w->gave_way) {
        return in;
    }
    w->resume = in;
    w->block->yielded = true;
    return NULL;
}

/* Blocks in step with each other, then one of them ahead, then as a coin falls: the same each time.
 */
static bool ends_turn(struct block *b)
{
    enum { AS_BEFORE = 4, IN_STEP = 0, AHEAD = 1, BY_CHANCE = 2 };
    static const uint8_t paces[2][4] = {{IN_STEP, AHEAD, BY_CHANCE, IN_STEP},
                                        {IN_STEP, BY_CHANCE, AHEAD, IN_STEP}};
    const uint64_t nth = b->turns_offered++;
    const unsigned pace = paces[b->number % 2][nth / AS_BEFORE % 4];
    return pace == IN_STEP || (pace == BY_CHANCE && (nth + 1) * HASH_MULTIPLIER >> 63 != 0);
}

const struct insn *warp_end_turn(struct warp *w, const struct insn *next)
{
    if (!ends_turn(w->block)) {
        return next;
    }
    w->block->yielded = true;
    return warp_out_of_fuel(w, next); /* lanes that spin take turns, too */
}

const struct insn *warp_may_end_turn(struct warp *w, const struct insn *next)
{
    struct block *b = w->block;
    const uint64_t nth = b->looks_offered++;
    const bool ends = (nth + 1) * HASH_MULTIPLIER >> 63 == b->number % 2; /* one, or the other */
    if (b->asking_turns >= TURNS_BY_CHANCE || !ends) {
        return next;
    }
    b->yielded = true;
    return warp_out_of_fuel(w, next);
}

void warp_forget_allocations(struct warp *w)
{
    *w->block->frees_seen = __atomic_load_n(w->block->frees, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < w->block->kernel->pattern_count; i++) {
        pattern_forget_allocation(&w->patterns[i]);
    }
}

void warp_run(struct warp *w, int64_t slice)
{
    const int64_t left = w->block->fuel;
    if (left < slice) { /* seldom */
        slice = left > 0 ? left : 0;
    }
    w->slice = w->fuel = slice;
    w->did = 0;
    const struct insn *in = w->resume;
    w->waited = false;
    warp_notice_frees(w);
    while (in != NULL) {
        in = in->run(w, in);
    }
    w->block->fuel -= w->slice - w->fuel;
}

/* --- beginning and end ---------------------------------------------------------------------- */

static void fill_special(struct warp *w, enum special which, uint32_t value)
{
    for (unsigned i = 0; i < WARP_LANES; i++) {
        w->special[which][i] = value;
    }
}

static void fill_thread_index(struct warp *w, unsigned number, const struct simt_dim *block)
{
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint32_t t = number * WARP_LANES + i;
        w->special[SPECIAL_TID_X][i] = t % block->x;
        w->special[SPECIAL_TID_Y][i] = t / block->x % block->y;
        w->special[SPECIAL_TID_Z][i] = t / block->x / block->y;
        w->special[SPECIAL_LANEID][i] = i;
        w->special[SPECIAL_LANEMASK_EQ][i] = 1u << i;
        w->special[SPECIAL_LANEMASK_LT][i] = (1u << i) - 1;
        w->special[SPECIAL_LANEMASK_LE][i] = (2u << i) - 1;
        w->special[SPECIAL_LANEMASK_GT][i] = ~((2u << i) - 1);
        w->special[SPECIAL_LANEMASK_GE][i] = ~((1u << i) - 1);
    }
}

/* An H200's answers: the total in the units of 128 bytes in which it is given out, the aggregate to
 * the byte and with the system's own part, which the total is without. */
static void fill_shared_sizes(struct warp *w, const struct block *b, uint32_t dynamic_bytes)
{
    const uint32_t bytes =
        dynamic_bytes > 0 ? b->kernel->dynamic_shared_offset + dynamic_bytes : b->reserved_offset;
    fill_special(w, SPECIAL_DYNAMIC_SHARED, dynamic_bytes);
    fill_special(w, SPECIAL_TOTAL_SHARED, (uint32_t)align_up(bytes, SHARED_UNIT_BYTES));
    fill_special(w, SPECIAL_AGGREGATE_SHARED, bytes + RESERVED_SHARED_BYTES);
}

void warp_shape(struct warp *w, const struct block *b, unsigned number)
{
    const struct simt_launch *l = b->launch;
    fill_thread_index(w, number, &l->block);
    fill_special(w, SPECIAL_NTID_X, l->block.x);
    fill_special(w, SPECIAL_NTID_Y, l->block.y);
    fill_special(w, SPECIAL_NTID_Z, l->block.z);
    fill_special(w, SPECIAL_NCTAID_X, l->grid.x);
    fill_special(w, SPECIAL_NCTAID_Y, l->grid.y);
    fill_special(w, SPECIAL_NCTAID_Z, l->grid.z);
    fill_special(w, SPECIAL_WARPID, number);
    fill_special(w, SPECIAL_NWARPID, b->warp_count);
    fill_special(w, SPECIAL_NSMID, b->sm_count);
    fill_shared_sizes(w, b, l->dynamic_shared_bytes);
    fill_special(w, SPECIAL_WORKSPACE_LOW, (uint32_t)b->workspace);
    fill_special(w, SPECIAL_WORKSPACE_HIGH, (uint32_t)(b->workspace >> 32));
    fill_special(w, SPECIAL_RESERVED_0, b->reserved_offset);
    fill_special(w, SPECIAL_RESERVED_1, b->reserved_offset + RESERVED_SHARED_BYTES / 4);
    fill_special(w, SPECIAL_RESERVED_END, b->reserved_offset + RESERVED_SHARED_BYTES);
    fill_special(w, SPECIAL_RESERVED_SIZE, RESERVED_SHARED_BYTES);
}

void warp_prepare(struct warp *w, struct block *b, unsigned number)
{
    w->block = b;
    w->number = number;
    fill_special(w, SPECIAL_GRIDID, b->grid_id);
    unsigned first = number * WARP_LANES;
    unsigned left = b->thread_count - first;
    w->launched = left >= WARP_LANES ? FULL_MASK : (1u << left) - 1;
    if (w->splits == NULL) {
        split_grow(w);
    }
}

/* Where the block is in its cluster, and its cluster in the grid. */
static void fill_cluster(struct warp *w)
{
    const struct block *b = w->block;
    const struct cluster *c = b->cluster;
    const struct simt_dim at = b->index, d = c->dims, grid = b->launch->grid;
    const struct {
        enum special which;
        uint32_t value;
    } values[] = {
        {SPECIAL_CLUSTERID_X, at.x / d.x},     {SPECIAL_CLUSTERID_Y, at.y / d.y},
        {SPECIAL_CLUSTERID_Z, at.z / d.z},     {SPECIAL_NCLUSTERID_X, grid.x / d.x},
        {SPECIAL_NCLUSTERID_Y, grid.y / d.y},  {SPECIAL_NCLUSTERID_Z, grid.z / d.z},
        {SPECIAL_CLUSTER_CTAID_X, at.x % d.x}, {SPECIAL_CLUSTER_CTAID_Y, at.y % d.y},
        {SPECIAL_CLUSTER_CTAID_Z, at.z % d.z}, {SPECIAL_CLUSTER_NCTAID_X, d.x},
        {SPECIAL_CLUSTER_NCTAID_Y, d.y},       {SPECIAL_CLUSTER_NCTAID_Z, d.z},
        {SPECIAL_CLUSTER_CTARANK, b->rank},    {SPECIAL_CLUSTER_NCTARANK, c->size},
        {SPECIAL_IS_EXPLICIT, c->is_explicit},
    };
    for (unsigned i = 0; i < ARRAY_LENGTH(values); i++) {
        fill_special(w, values[i].which, values[i].value);
    }
}

void warp_start(struct warp *w)
{
    const struct block *b = w->block;
    fill_special(w, SPECIAL_CTAID_X, b->index.x);
    fill_special(w, SPECIAL_CTAID_Y, b->index.y);
    fill_special(w, SPECIAL_CTAID_Z, b->index.z);
    fill_special(w, SPECIAL_SMID, b->sm);
    w->untold = 0;
    for (unsigned i = 0; i < w->split_count; i++) {
        w->splits[i].state = SPLIT_FREE;
    }
    w->splits[0] = (struct split){.state = SPLIT_READY,
                                  .mask = w->launched,
                                  .pc = b->kernel->funcs[0]->entry_pc,
                                  .reconverge = NO_PC,
                                  .parent = -1,
                                  .local = b->stack_bytes};
    for (unsigned i = 0; i < WARP_LANES; i++) {
        w->stack_end[i] = b->stack_bytes;
    }
    w->ready_count = 0;
    w->live = w->launched;
    w->state = WARP_READY;
    w->released = w->polled = w->asked = w->spins = false;
    w->slices = 0;
    w->turn = 0;
    w->rested = w->gave_way = false;
    w->cluster_arrived = w->cluster_passed = 0;
    w->awaits = 0;
    if (b->kernel->uses_cluster) {
        fill_cluster(w);
    }
    w->question = (struct question){0};
    w->resume = split_load(w, 0);
}

void warp_free(struct warp *w)
{
    free(w->splits);
    free(w->ready);
}
