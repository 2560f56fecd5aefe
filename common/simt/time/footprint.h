/* footprint.h - what a request of global memory comes to: lines, sectors, wavefronts of the L1.
 *
 * Most requests of an instruction lie as its last one did, elsewhere. So the answer is kept for the
 * pattern of the last one (access_event.pattern), by where in a line its first lane begins. */
#ifndef SIMT_FOOTPRINT_H
#define SIMT_FOOTPRINT_H

#include "machine/observer.h"
#include "time/touched.h"

struct footprint_phase {           /* what a request comes to that begins at this place of a line */
    uint64_t lines[TOUCHED_LINES]; /* numbers (address / 128), counted from the first lane's */
    uint8_t masks[TOUCHED_LINES];  /* four bits a line: sectors */
};

/* The same in short, beside each other. */
struct footprint_short {
    uint8_t count;  /* lines; 0: not known yet */
    uint8_t lonely; /* those of which it has one sector */
    uint8_t twin;   /* the lowest phase that comes to the same lines and sectors */
};
/* What the last request of local memory came to. */
struct footprint_local {
    uint8_t lines, sectors, lonely;
};
enum { FOOTPRINT_LINE = 128, FOOTPRINT_SECTOR = 32 };

/* One for each instruction and worker; all zero: nothing is known. What every access needs comes
 * first. */
struct footprint {
    const struct pattern *pattern; /* and which version of it: what is known belongs to that */
    uint64_t hash;                 /* of lanes, bytes and apart */
    uint32_t version;
    uint8_t bytes;         /* of a lane, a power of two */
    uint8_t use;           /* what the instruction does to them: enum sector_use */
    uint8_t wavefronts[4]; /* by the first address modulo 4; 0: not known */
    struct footprint_phase *phases;
    unsigned phase_count;
    lane_mask lanes;
    struct footprint_short brief[FOOTPRINT_LINE];
    uint64_t apart[WARP_LANES]; /* of each lane from the first that takes part */
    /* Of whoever owns it: the allocation that the last request lay in, and what its addresses are
     * moved by (see estimate.c). */
    uint64_t begin, end, shift;
    struct footprint_local local[PATTERN_SLOTS][4]; /* by slot and first address modulo 4 */
};

/* What the footprint does not know yet. */
void footprint_learn(struct footprint *s, const struct access_event *a);
void footprint_learn_phase(struct footprint *s, unsigned phase, const struct access_event *a);
unsigned footprint_learn_wavefronts(struct footprint *s, const struct access_event *a);
void footprint_free(struct footprint *s);

/* A request, as its footprint has it. */
struct footprint_place {
    unsigned phase, count, twin;
};

/* Of a request that is known to have this footprint, and begins there. */
static inline struct footprint_place footprint_known(const struct footprint *s, uint64_t start)
{
    const unsigned phase = (unsigned)(start % FOOTPRINT_LINE) >> __builtin_ctz(s->bytes);
    return (struct footprint_place){phase, s->brief[phase].count, s->brief[phase].twin};
}

/* Here, as the next two, for speed: this runs for every access. */
static inline struct footprint_place footprint_find(struct footprint *s,
                                                    const struct access_event *a)
{
    const bool same = a->pattern != NULL && s->pattern == a->pattern &&
                      s->version == a->pattern->version && s->bytes == a->bytes;
    if (!same) {
        footprint_learn(s, a);
    }
    const unsigned phase = (unsigned)(a->start % FOOTPRINT_LINE) >> __builtin_ctz(a->bytes);
    if (s->brief[phase].count == 0) {
        footprint_learn_phase(s, phase, a);
    }
    return (struct footprint_place){phase, s->brief[phase].count, s->brief[phase].twin};
}

static inline unsigned footprint_wavefronts(struct footprint *s, const struct access_event *a)
{
    const unsigned known = s->wavefronts[a->start % 4];
    return known != 0 ? known : footprint_learn_wavefronts(s, a);
}

/* Two requests with the same key touch the same sectors, and in the same way. */
static inline uint64_t footprint_key(const struct footprint *s, uint64_t start, unsigned twin,
                                     unsigned way)
{
    const uint64_t place = start / FOOTPRINT_SECTOR << 9 | twin << 2 | way;
    return s->hash ^ place * HASH_MULTIPLIER;
}

#endif
