/* block.c - one thread block: its warps take turns, its barriers bring them together.
 * Called by grid.c; block_barrier is called by handlers. */
#include "machine/cluster.h"

#include <stdlib.h>
#include <string.h>

/* Threads that have exited never come: CUDA C++ leaves that undefined, so it is an error here
 * (SIMT_EXITED_THREADS=ignore counts without them, as hardware does). */
static const char barrier_rule[] =
    "a barrier that some threads never reach: %u of the block's %u threads have exited already "
    "(with SIMT_EXITED_THREADS=ignore it waits for the others alone, as on a card)";

static unsigned expected_now(const struct block *b, const struct barrier *barrier)
{
    if (barrier->whole_block && b->allow_exited) {
        return b->warp_count - b->warps_done;
    }
    return barrier->expected;
}

static void open_barrier(struct block *b, unsigned id)
{
    struct barrier *barrier = &b->barriers[id];
    barrier->result_popc = barrier->popc;
    barrier->result_threads = barrier->threads;
    barrier->arrived = barrier->expected = barrier->popc = barrier->threads = 0;
    for (unsigned i = 0; i < b->warp_count; i++) {
        if (b->warps[i].state == WARP_AT_BARRIER && b->warps[i].barrier == id) {
            b->warps[i].state = WARP_READY;
            b->warps[i].released = true;
        }
    }
}

static bool barrier_is_legal(struct warp *w, const struct insn *in, unsigned threads)
{
    const struct block *b = w->block;
    if (threads == 0 && b->threads_exited > 0 && !b->allow_exited) {
        fault(w, in, first_lane(w->active), SIMT_BARRIER, barrier_rule, b->threads_exited,
              b->thread_count);
        return false;
    }
    if (threads % WARP_LANES != 0) {
        fault(w, in, first_lane(w->active), SIMT_BARRIER,
              "a barrier for %u threads: the number must be a multiple of 32", threads);
        return false;
    }
    return true;
}

const struct insn *block_barrier(struct warp *w, const struct insn *in, unsigned id,
                                 unsigned threads, lane_mask predicate, bool waits)
{
    struct block *b = w->block;
    if (w->released) {
        w->released = false;
        return in + 1;
    }
    if (!barrier_is_legal(w, in, threads)) {
        return NULL;
    }
    struct barrier *barrier = &b->barriers[id];
    b->barriers_used |= 1u << id;
    barrier->expected = threads == 0 ? b->warp_count : threads / WARP_LANES;
    barrier->whole_block = threads == 0;
    barrier->arrived++;
    barrier->popc += lanes_in(predicate & w->active);
    barrier->threads += lanes_in(w->active);
    if (waits) {
        w->state = WARP_AT_BARRIER;
        w->barrier = id;
        w->resume = in;
    }
    if (barrier->arrived >= expected_now(b, barrier)) {
        open_barrier(b, id);
        if (waits) {
            w->released = false;
            return in + 1;
        }
    }
    return waits ? NULL : in + 1;
}

/* The last lane of a warp has exited: barriers that waited for it need not any more. */
static void count_done(struct block *b)
{
    b->warps_done++;
    for (uint32_t left = b->barriers_used; left != 0; left &= left - 1) {
        const unsigned id = first_lane(left);
        struct barrier *barrier = &b->barriers[id];
        if (barrier->arrived == 0 || !barrier->whole_block) {
            continue;
        }
        if (!b->allow_exited) {
            for (unsigned i = 0; i < b->warp_count; i++) {
                if (b->warps[i].state == WARP_AT_BARRIER && b->warps[i].barrier == id) {
                    fault(&b->warps[i], b->warps[i].resume, first_lane(b->warps[i].live),
                          SIMT_BARRIER, barrier_rule, b->threads_exited, b->thread_count);
                    return;
                }
            }
        } else if (barrier->arrived >= expected_now(b, barrier)) {
            open_barrier(b, id);
        }
    }
}

bool block_done(const struct block *b) { return b->warps_done == b->warp_count; }

static void report_deadlock(struct block *b)
{
    for (unsigned i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        if (w->state == WARP_AT_CLUSTER) {
            fault(w, w->resume, first_lane(w->live), SIMT_BARRIER,
                  "barrier.cluster waits for threads of the cluster that never arrive: %u of its "
                  "threads have, and none can go on",
                  b->cluster->arrived);
            return;
        }
        if (w->state == WARP_AT_BARRIER) {
            const struct barrier *barrier = &b->barriers[w->barrier];
            fault(w, w->resume, first_lane(w->live), SIMT_BARRIER,
                  "a barrier that some threads never reach: barrier %u waits for %u warps, %u have "
                  "come, and no other warp of the block can go on",
                  w->barrier, barrier->expected, barrier->arrived);
            return;
        }
    }
}

/* Warps that wait for each other at barriers never use up a slice: the block ends its turn then. */
static bool has_had_its_turn(const struct block *b, int64_t fuel_before)
{
    return fuel_before - b->fuel >= b->turn * b->warp_count;
}

/* Turns in a row in which a block only asks until its warps run in order: what comes at random
 * never comes back as it was, so nobody could say that the block stands still. */
enum { SHUFFLED_TURNS = 32 };

bool block_shuffles(const struct block *b)
{
    return b->schedule != 0 && b->asking_turns < SHUFFLED_TURNS;
}

/* xorshift64*: the same numbers on every machine. */
static uint64_t next_random(struct block *b)
{
    uint64_t x = b->schedule;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    b->schedule = x;
    return x * 0x2545f4914f6cdd1du >> 16;
}

/* Rounds in a row in which a block only asks until it waits: the lanes of a warp that spins take
 * turns meanwhile. */
enum { ASKING_ROUNDS = 4 };

/* How long a warp runs until another one goes on: with SIMT_SCHEDULE, on the average as long. */
static int64_t slice_for(struct block *b, const struct warp *w)
{
    if (w->spins) {
        return SPIN_SLICE;
    }
    return block_shuffles(b) ? 1 + (int64_t)(next_random(b) % (uint64_t)(2 * b->slice)) : b->slice;
}

/* The i-th warp of a round that begins with `first`. SIMT_SCHEDULE: any of those that can run. */
static inline struct warp *warp_of_round(struct block *b, unsigned first, unsigned step, unsigned i)
{
    const bool in_order = !block_shuffles(b); /* no division at each of their turns, then */
    return &b->warps[in_order ? i : (first + (uint64_t)step * i) % b->warp_count];
}

/* A stride that has no divisor in common with the number of warps comes by all of them. */
static unsigned random_stride(struct block *b)
{
    unsigned step = 1 + (unsigned)(next_random(b) % b->warp_count);
    for (unsigned x = step, y = b->warp_count;;) {
        while (y != 0) {
            unsigned rest = x % y;
            x = y;
            y = rest;
        }
        if (x == 1) {
            return step;
        }
        x = ++step;
        y = b->warp_count;
    }
}

/* Rounds in which nobody does anything but ask an mbarrier, until it counts as endless: a program
 * may count how often it has asked. */
enum { MOST_IDLE_ROUNDS = 1 << 16 };

static bool has_ready_warp(const struct block *b)
{
    bool ready = false;
    for (unsigned i = 0; i < b->warp_count && !b->ended; i++) {
        ready |= b->warps[i].state == WARP_READY;
    }
    return ready;
}

/* The phase of an mbarrier that warps of the whole cluster wait for never ends. */
static void report_missing_phase(struct block *b)
{
    struct warp *w = NULL;
    for (unsigned i = 0; i < b->cluster->size; i++) {
        const struct block *other = b->cluster->blocks[i];
        if (has_ready_warp(other) && other->idle_rounds < MOST_IDLE_ROUNDS) {
            return;
        }
    }
    for (unsigned i = 0; i < b->warp_count && w == NULL; i++) {
        w = b->warps[i].waited ? &b->warps[i] : NULL;
    }
    if (w != NULL) {
        cluster_report_phase(w);
    }
}

/* Warps that wait for an mbarrier wait for other blocks of the cluster, or for each other. */
static void wait_for_phases(struct block *b)
{
    b->yielded = true;
    if (b->idle_rounds >= MOST_IDLE_ROUNDS) {
        report_missing_phase(b);
    }
}

/* No warp of the block can go on by itself. */
static void wait_for_cluster(struct block *b)
{
    bool waits = false;
    for (unsigned i = 0; i < b->warp_count; i++) {
        waits |= b->warps[i].state == WARP_AT_CLUSTER;
    }
    b->yielded = waits && cluster_is_alive(b->cluster);
    if (!b->yielded) {
        report_deadlock(b);
    }
}

/* What all warps did, and what any did, that ran in a round. */
struct deeds {
    unsigned all, any;
};

static inline void note_deeds(struct deeds *d, const struct warp *w)
{
    d->all &= w->did;
    d->any |= w->did;
}

/* A round in which every warp that could run polled, and none published anything: others are to go
 * on, so that what it waits for happens. */
static void end_round(struct block *b, const struct deeds *round, struct deeds *turn)
{
    const bool idle = round->all & round->any & DID_ASK && !(round->any & DID_NEWS);
    turn->any |= round->any;
    b->asking_rounds = idle ? b->asking_rounds + 1 : 0;
    b->yielded |= b->asking_rounds >= ASKING_ROUNDS;
}

static void end_turn(struct block *b, const struct deeds *turn)
{
    const bool news = turn->any & DID_NEWS;
    b->asks = turn->any & (DID_ASK | DID_WAIT) && !news;
    b->asks_others = turn->any & DID_ASK;
    b->asking_turns = !b->asks ? 0 : b->asking_turns + (b->asking_turns < SHUFFLED_TURNS);
    b->waits = b->asks_others && !news && b->yielded;
    b->keeps = turn->any & DID_KEEP;
}

void block_run(struct block *b)
{
    unsigned first = 0, step = 1;
    const int64_t before = b->fuel;
    struct deeds turn = {0};
    b->yielded = false;
    for (bool progress = true; progress && !b->yielded && !block_done(b);) {
        struct deeds round = {.all = ~0u};
        bool busy = false;
        progress = false;
        if (block_shuffles(b)) {
            first = (unsigned)(next_random(b) % b->warp_count);
            step = random_stride(b);
        }
        for (unsigned i = 0; i < b->warp_count; i++) {
            struct warp *w = warp_of_round(b, first, step, i);
            if (w->state == WARP_READY) {
                progress = true;
                warp_run(w, slice_for(b, w));
                busy |= !w->waited;
                note_deeds(&round, w);
                if (w->state == WARP_DONE) {
                    count_done(b);
                }
                if (atomic_load_explicit(b->stop, memory_order_relaxed)) {
                    return;
                }
            }
        }
        end_round(b, &round, &turn);
        b->yielded |= progress && has_had_its_turn(b, before);
        b->idle_rounds = busy || !progress ? 0 : b->idle_rounds + 1;
        if (b->idle_rounds > 0) {
            wait_for_phases(b);
        }
    }
    if (b->yielded) {
        end_turn(b, &turn);
    }
    if (!b->yielded && !block_done(b)) {
        wait_for_cluster(b);
    }
}

/* Work that a launch may still do behind a fault, and what each further fault takes of that. */
enum { FUEL_BEHIND_FAULT = 1 << 22, FUEL_OF_FAULT = 1 << 17 };

bool block_survives(struct block *b)
{
    if (b->launch->cooperative || b->fuel < FUEL_OF_FAULT) {
        return false;
    }
    b->fuel = b->fuel < FUEL_BEHIND_FAULT ? b->fuel - FUEL_OF_FAULT : FUEL_BEHIND_FAULT;
    atomic_store(b->stop, false);
    return true;
}

void block_start(struct block *b)
{
    b->turns_offered = b->looks_offered = 0;
    b->warps_done = 0;
    b->threads_exited = 0;
    b->yielded = b->ended = b->waits = b->asks = false;
    b->asking_rounds = b->asking_turns = 0;
    b->idle_rounds = 0;
    b->fuel = b->fault->set ? FUEL_BEHIND_FAULT : b->max_instructions;
    if (b->barriers_used != 0) {
        memset(b->barriers, 0, sizeof b->barriers);
        b->barriers_used = 0;
    }
    if (b->shared_bytes > 0) { /* where no byte was ever touched, setting none takes 100 ns */
        memset(b->shared, 0xff, b->shared_bytes); /* junk, so that nobody relies on zeros: NaN */
    }
    if (b->kernel->uses_reserved) {
        memset(b->shared + b->reserved_offset, 0, RESERVED_SHARED_BYTES);
    }
    for (unsigned i = 0; i < b->warp_count; i++) {
        warp_start(&b->warps[i]);
    }
}
