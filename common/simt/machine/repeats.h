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
 * An instruction that alternates between few patterns (machine/kept_patterns.h) has a struct repeat
 * for each slot in which they are kept, if it is one of shared or local memory: a pattern that
 * comes back continues its count. In global memory observers remember the last pattern alone.
 *
 * Accesses that follow a leader (ir/leader.h) by a distance that stays the same are executed as
 * often as it is, and lie as it does. So where a request of the leader is a repeat, those of its
 * followers are, too: they are counted by it, and run without any observer (struct led_accesses,
 * INSN_LED). Else, and until all of them know the place of a line where they begin, the leader
 * makes them look for themselves: it forgets where their patterns are inside (pattern.starts), so
 * that they do not take the shortest way, and behind the longer one is repeats_led(). Whether a
 * follower touches new sectors is found out by the leader. touches() then hears of it at once or,
 * where an observer wants such requests in their order, when the follower is executed, which it
 * makes look for itself.
 *
 * Each worker has its own, for launches whose observers can do with it (observers.repeats). */
#ifndef SIMT_REPEATS_H
#define SIMT_REPEATS_H

#include "machine/observer.h"

#include <stdalign.h>

enum {
    REPEAT_LINE = 128,
    REPEAT_PLACES = 2048,
    REPEAT_PLACE_SHIFT = 53, /* 64 - 11 */
    REPEAT_KNOWN = 64,
    REPEAT_LED = 32 /* followers of a leader, at most */
};

/* Requests of an instruction that begin at one place of a line; known if the epoch is the
 * instruction's. */
struct repeat_phase {
    uint64_t count; /* since they were last reported */
    uint64_t joint; /* of a leader: the same of requests whose followers' are counted with them */
    uint32_t epoch;
    uint8_t asks;     /* of followers that may be the first for their sectors: so many */
    uint16_t sectors; /* what each of them costs: sectors or wavefronts, */
    uint16_t conflicts;
    uint8_t requests;
    uint8_t below; /* a request that begins so many bytes lower touches the same sectors */
    bool ready;    /* of a leader: all followers know where they then begin */
    /* The only lines that it touches, counted from the one where it begins; the first is the larger
     * number: it touches more. Found for a log that samples. */
    int32_t lines[2];
    uint32_t same; /* of a leader: the followers, as a mask, that touch what it touches itself */
};

/* What says whether a request is the first of its block for its sectors: its lowest address, moved
 * down as far as it touches the same ones, and the key of patterns like its own. */
struct repeat_ask {
    uint64_t apart; /* that address, from where the leader begins */
    uint64_t alike;
    uint32_t below;   /* how far it lies below where the request itself begins */
    int32_t lines[2]; /* as in its phase, counted from where the leader begins */
    uint32_t site;
    uint32_t same; /* those that touch the same, itself among them, as a mask of the leader's */
};

/* The requests of one instruction, of the patterns that are kept in one slot. */
struct repeat {
    /* A cache line with all that a repeat looks at. */
    alignas(64) uint64_t version; /* of the pattern; NO_VERSION: none is known yet, */
    struct repeat_phase *phases;  /* by (start % REPEAT_LINE) / bytes */
    const struct warp *first;     /* made the first request, and no second one; NULL: it has */
    uint64_t first_count;         /* of the first phase, beside those that it counts itself; if
                                   * first_ready, they are joint */
    uint64_t lowest;              /* start of those counted, if it is uniform */
    uint64_t alike;               /* the key of patterns like it */
    uint32_t epoch;               /* another one for each version of the pattern */
    bool counted;                 /* some phase's count is not 0 */
    bool uniform;                 /* all lanes have the same address */
    /* The pattern's first phase, here: most requests of shared memory begin there alone, and do
     * not look at a line of phases besides. */
    uint8_t first_place; /* start % REPEAT_LINE; NO_PLACE: none yet */
    uint8_t first_below; /* as in its phase */
    bool first_ready;    /* as in its phase, of a leader in shared memory */
    bool joint;          /* of a leader: its last request was counted for its followers, too */
    uint8_t followers;   /* of a leader: so many */

    alignas(64) uint64_t highest; /* as lowest */
    struct touch_area area;       /* in which an observer knows which lines it samples */
    uint64_t seen;                /* a version that has been reported once */
    uint64_t last;                /* of a leader: where its last request began */
    uint64_t distance;            /* of a follower: from its leader */
    bool has_distance;
    uint8_t slot; /* 0 in global memory */
    /* Of a follower: it has been counted, but is the first one for its sectors, which is to be
     * told; then a mask of the leader's with it and those behind it that touch the same. Else 0. */
    uint32_t due;
    struct repeat_ask *asks; /* of a leader, for each phase as many as it has followers; or NULL */
    uint8_t phase_room;      /* in elements */
    uint8_t lowest_phase, highest_phase; /* of those that are known */
    bool begun;                          /* there has been a request in this launch */
    uint32_t site;                       /* of this instruction: its slot 0 is of[site] */
    struct access_event last_told;       /* of this pattern; to be told again, from elsewhere */
    uint32_t others; /* of slot 0: slot n is of[others + n - 1]; 0: there are none yet */
};
#define NO_VERSION UINT64_MAX
#define NO_PLACE   UINT8_MAX

/* What patterns of several instructions have in common: those that are the same, with accesses of
 * one width and kind, have the same number. */
struct repeat_alike {
    uint64_t relative[WARP_LANES];
    lane_mask lanes;
    uint32_t number; /* an epoch of this launch, or nothing is known here */
    uint8_t bytes, kind;
};

struct repeats {
    struct repeat *of; /* by site; behind them those of further slots: pattern.repeat */
    unsigned room, count;
    unsigned worker;
    bool in_order; /* followers that touch new sectors are told when it is their turn */
    uint32_t epoch, launch_epoch; /* the last one given away; the same when the launch began */
    const struct kernel *kernel;
    const struct observer *touched[MAX_OBSERVERS]; /* those that have touches() */
    unsigned touched_count;
    struct touch_log
        *log; /* where first requests are noted; without room where nobody wants that */
    struct repeat_alike known[REPEAT_KNOWN]; /* by hash */
    /* Which sectors a block has asked for, as repeat_key() of the request. */
    uint64_t places[REPEAT_PLACES];
};

/* Begins a launch: nothing is known. *r is made when it is NULL. */
void repeats_begin(struct repeats **r, unsigned worker, const struct kernel *k,
                   const struct observers *to);
/* The patterns of a site, which may come from another launch, belong to none of its counts. */
void repeats_forget(struct pattern *p, struct kept_patterns *k, uint32_t site);
/* Tells what has been counted. */
void repeats_end(struct repeats *r, const struct observers *to);
void repeats_free(struct repeats *r);

/* A request that is no repeat, and begins there, has been executed: of global memory, or of the own
 * block's or lanes'. It is reported, and what repeats it will be known. cost: what it has added to
 * its counters; NULL: what its pattern says. */
void repeats_tell(struct repeats *r, struct warp *w, const struct insn *in, lane_mask lanes,
                  uint64_t start, const struct site *cost);
/* A request of a leader: it is counted or told, and its followers will look for themselves. */
void repeats_lead(struct repeats *r, struct warp *w, const struct insn *in, uint64_t start);
/* A request of a follower that has looked for itself. */
void repeats_led(struct warp *w, const struct insn *in, uint64_t start);
/* One has been counted that is the first for its sectors. Returns whether an observer wants to hear
 * of the next one for them, too. */
bool repeats_touch(struct repeats *r, struct warp *w, const struct insn *in, uint64_t start);

/* The same of a leader's, and of a follower's that has been counted by it. */
void repeats_touch_first(struct repeats *r, struct warp *w, const struct insn *in, uint64_t start);
void repeats_ask(struct repeats *r, struct warp *w, const struct repeat_ask *ask, uint64_t start);
/* Of the requests that warp.untold counts, those of followers that are executed behind pc: where
 * w is there, so many are still to come. */
uint32_t repeats_ahead(const struct warp *w, uint32_t pc);

/* Of the pattern that an instruction had last. */
static inline struct repeat *repeat_of(const struct repeats *all, const struct warp *w,
                                       uint32_t site)
{
    return &all->of[w->patterns[site].repeat];
}

static inline const struct insn *repeats_insn(const struct repeats *all, uint32_t site)
{
    return &all->kernel->code[all->kernel->sites[site].insn];
}

/* The requests that begin where this one does. */
static inline struct repeat_phase *repeat_phase(const struct repeat *r, const struct insn *in,
                                                uint64_t start)
{
    return &r->phases[start % REPEAT_LINE >> __builtin_ctz(in->bytes)];
}

/* What a leader has to ask for its followers where it begins there. */
static inline struct repeat_ask *repeat_asks(const struct repeats *all, const struct repeat *r,
                                             const struct insn *in, uint64_t start)
{
    const unsigned phase = start % REPEAT_LINE >> __builtin_ctz(in->bytes);
    return &r->asks[phase * all->kernel->led[in->site].count];
}

/* A number that two requests have in common if, and but for an accident among 2^64, only if they
 * are of one block, of patterns that are alike, and touch the same sectors. Its upper bits find its
 * place. */
static inline uint64_t repeat_key(const struct warp *w, uint64_t alike, uint64_t lowest)
{
    return (lowest + (w->block->number + 1) * 0xd1342543de82ef95u) * HASH_MULTIPLIER + alike;
}

/* It is the first one of its block for its sectors no more. */
static inline void repeats_note_place(struct repeats *all, const struct repeat *own,
                                      const struct warp *w, uint64_t lowest)
{
    const uint64_t key = repeat_key(w, own->alike, lowest);
    all->places[key >> REPEAT_PLACE_SHIFT] = key;
}

/* Of a request that touches these lines alone, counted from the first one's number. */
static inline bool repeats_may_be_sampled(const struct touch_area *area, uint64_t first,
                                          const int32_t lines[2])
{
    return lines[0] > lines[1] || line_may_be_sampled(area, first + (uint64_t)(int64_t)lines[0]) ||
           (lines[0] != lines[1] && line_may_be_sampled(area, first + (uint64_t)(int64_t)lines[1]));
}

/* Is the request, whose lowest address that would be, the first one of its block for its sectors?
 * If so, and there is room for it, it is noted here. lines: counted from where r's begins.
 * samples: as in the log; a constant where speed matters. Returns whether it must be reported. */
static inline bool repeats_are_new(struct repeats *all, const struct warp *w, uint64_t alike,
                                   uint64_t lowest, struct touch_note note, const struct repeat *r,
                                   uint64_t start, const int32_t lines[2], bool samples)
{
    const uint64_t key = repeat_key(w, alike, lowest);
    struct touch_log *log = all->log;
    if (all->places[key >> REPEAT_PLACE_SHIFT] == key) {
        return false;
    }
    if (log->count == log->room ||
        (samples && repeats_may_be_sampled(&r->area, start / REPEAT_LINE, lines))) {
        return true;
    }
    log->notes[log->count++] = note;
    all->places[key >> REPEAT_PLACE_SHIFT] = key;
    return false;
}

static inline void repeat_bounds(struct repeat *r, uint64_t start)
{
    if (r->uniform) {
        r->lowest = start < r->lowest ? start : r->lowest;
        r->highest = start > r->highest ? start : r->highest;
    }
    r->counted = true;
}

/* Is the request, which begins there and has been executed, a repeat? It is counted. */
static inline bool repeats_count(struct repeats *all, struct warp *w, const struct insn *in,
                                 uint64_t start, bool global, bool samples)
{
    struct repeat *r = global ? &all->of[in->site] : repeat_of(all, w, in->site);
    if (r->version != w->patterns[in->site].version || r->first == w) {
        return false;
    }
    uint64_t below = r->first_below;
    if (start % REPEAT_LINE == r->first_place && !r->first_ready) {
        r->first_count++;
    } else {
        struct repeat_phase *at = repeat_phase(r, in, start);
        if (at->epoch != r->epoch) {
            return false;
        }
        below = at->below;
        at->count++;
    }
    repeat_bounds(r, start);
    if (global) {
        w->untold++;
        if (repeats_are_new(all, w, r->alike, start - below, (struct touch_note){start, in->site},
                            r, start, repeat_phase(r, in, start)->lines, samples)) {
            repeats_touch(all, w, in, start);
        }
    }
    return true;
}

/* The same of a leader's request, if those of its followers are counted with it. */
static inline bool repeats_count_all(struct repeats *all, struct warp *w, const struct insn *in,
                                     uint64_t start, bool global, bool samples)
{
    struct repeat *r = global ? &all->of[in->site] : repeat_of(all, w, in->site);
    if (r->version != w->patterns[in->site].version || r->first == w) {
        return false;
    }
    if (!global && start % REPEAT_LINE == r->first_place && r->first_ready) {
        r->first_count++;
        r->joint = true;
        repeat_bounds(r, start);
        return true;
    }
    struct repeat_phase *at = repeat_phase(r, in, start);
    if (at->epoch != r->epoch || !at->ready) {
        return false;
    }
    at->joint++;
    r->joint = true;
    repeat_bounds(r, start);
    if (global) {
        w->untold += 1u + r->followers;
        if (repeats_are_new(all, w, r->alike, start - at->below,
                            (struct touch_note){start, in->site}, r, start, at->lines, samples)) {
            repeats_touch_first(all, w, in, start);
        }
    }
    if (global && at->asks != 0) {
        const struct repeat_ask *ask = repeat_asks(all, r, in, start);
        for (unsigned i = 0; i < at->asks; i++) {
            if (repeats_are_new(
                    all, w, ask[i].alike, start + ask[i].apart,
                    (struct touch_note){start + ask[i].apart + ask[i].below, ask[i].site}, r, start,
                    ask[i].lines, samples)) {
                repeats_ask(all, w, &ask[i], start);
            }
        }
    }
    return true;
}

#endif
