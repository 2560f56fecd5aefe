/* repeats.h - requests that repeat what has been reported before: they are counted, and reported
 * together.
 *
 * In a loop most requests of an instruction lie as its last one did (struct pattern) and begin at a
 * place of a line of 128 bytes where one began before. Then they cost the same, and most observers
 * only add them up. So such a request is counted here, with some 20 instructions of this machine
 * where three functions took 150, and observers hear of all of them at once, by repeats(), before
 * the pattern changes and at the end of the launch.
 *
 * Reported one by one are: the first two requests of a pattern, since random addresses make another
 * one each time; its first request at each place of a line; and the second request of the warp
 * that made an instruction's first one. Of the others in global memory
 * touches() hears of the first one of a block for the same sectors, and of every one for sectors
 * of which an observer asked to hear again (access_event.again).
 *
 * Each worker has its own, for launches whose observers can do with it (observers.repeats). */
#ifndef SIMT_REPEATS_H
#define SIMT_REPEATS_H

#include "machine/observer.h"

#include <stdalign.h>

enum {
    REPEAT_LINE = 128,
    REPEAT_PLACES = 1024,
    REPEAT_PLACE_SHIFT = 54, /* 64 - 10 */
    REPEAT_KNOWN = 64
};

/* Requests of an instruction that begin at one place of a line; known if the epoch is the
 * instruction's. */
struct repeat_phase {
    uint64_t count; /* since they were last reported */
    uint32_t epoch;
    uint16_t sectors; /* what each of them costs: sectors or wavefronts, */
    uint16_t conflicts;
    uint8_t requests;
    uint8_t below; /* a request that begins so many bytes lower touches the same sectors */
};

/* The requests of one instruction. */
struct repeat {
    /* A cache line with all that a repeat looks at. */
    alignas(64) uint64_t version; /* of the pattern; NO_VERSION: none is known yet, */
    struct repeat_phase *phases;  /* by (start % REPEAT_LINE) / bytes */
    const struct warp *first;     /* made the first request, and no second one; NULL: it has */
    uint64_t lowest, highest;     /* starts of those counted, if it is uniform */
    uint32_t epoch;               /* another one for each version of the pattern */
    uint32_t alike;               /* what its places are found by */
    bool counted;                 /* some phase's count is not 0 */
    bool uniform;                 /* all lanes have the same address */
    /* The pattern's first phase, here: most requests of shared memory begin there alone, and do
     * not look at a line of phases besides. */
    uint8_t first_place;  /* start % REPEAT_LINE; NO_PLACE: none yet */
    uint8_t first_below;  /* as in its phase */
    uint64_t first_count; /* beside those of its phase */

    alignas(64) uint64_t seen; /* a version that has been reported once */
    lane_mask lanes;           /* of the pattern */
    uint32_t pc;
    uint8_t kind;       /* enum access_kind */
    uint8_t phase_room; /* in elements */
    bool begun;         /* there has been a request in this launch */
};
#define NO_VERSION UINT64_MAX
#define NO_PLACE   UINT8_MAX

/* Sectors that a block has asked for, by requests of that pattern. */
struct repeat_place {
    uint64_t start;
    uint32_t alike, block;
};

/* What patterns of several instructions have in common: those that are the same, with accesses of
 * one width and kind, have the same number. */
struct repeat_alike {
    uint64_t relative[WARP_LANES];
    lane_mask lanes;
    uint32_t number; /* an epoch of this launch, or nothing is known here */
    uint8_t bytes, kind;
};

struct repeats {
    struct repeat *of; /* by site */
    unsigned room, count;
    unsigned worker;
    uint32_t epoch, launch_epoch; /* the last one given away; the same when the launch began */
    const struct kernel *kernel;
    struct repeat_alike known[REPEAT_KNOWN]; /* by hash */
    struct repeat_place places[REPEAT_PLACES];
};

/* Begins a launch: nothing is known. *r is made when it is NULL. */
void repeats_begin(struct repeats **r, unsigned worker, const struct kernel *k);
/* Tells what has been counted. */
void repeats_end(struct repeats *r, const struct observers *to);
void repeats_free(struct repeats *r);

/* A request that is no repeat has been executed, with its pattern. It is reported, and what repeats
 * it will be known. */
void repeats_tell(struct repeats *r, struct warp *w, struct access_event *e);
/* One has been counted that is the first for its sectors. */
void repeats_touch(struct repeats *r, struct warp *w, const struct insn *in, uint64_t start);

/* The requests that begin where this one does. */
static inline struct repeat_phase *repeat_phase(const struct repeat *r, const struct insn *in,
                                                uint64_t start)
{
    return &r->phases[start % REPEAT_LINE >> __builtin_ctz(in->bytes)];
}

static inline struct repeat_place *repeat_place(struct repeats *r, uint64_t start)
{
    return &r->places[start / 32 * HASH_MULTIPLIER >> REPEAT_PLACE_SHIFT];
}

/* Is the request, which begins there and has been executed, a repeat? It is counted. */
static inline bool repeats_count(struct repeats *all, struct warp *w, const struct insn *in,
                                 uint64_t start, bool global)
{
    struct repeat *r = &all->of[in->site];
    if (r->version != w->patterns[in->site].version || r->first == w) {
        return false;
    }
    uint64_t below = r->first_below;
    if (start % REPEAT_LINE == r->first_place) {
        r->first_count++;
    } else {
        struct repeat_phase *at = repeat_phase(r, in, start);
        if (at->epoch != r->epoch) {
            return false;
        }
        below = at->below;
        at->count++;
    }
    if (r->uniform) {
        r->lowest = start < r->lowest ? start : r->lowest;
        r->highest = start > r->highest ? start : r->highest;
    }
    r->counted = true;
    if (global) {
        const uint64_t lowest = start - below;
        const struct repeat_place *p = repeat_place(all, lowest);
        w->untold++;
        if (p->start != lowest || p->alike != r->alike || p->block != (uint32_t)w->block->number) {
            repeats_touch(all, w, in, start);
        }
    }
    return true;
}

#endif
