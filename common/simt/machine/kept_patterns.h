/* kept_patterns.h - the patterns that an instruction has had, beside its last one.
 *
 * Some instructions alternate between few patterns (struct pattern): each step of a reduction has
 * another mask, each step of a bitonic sort another distance. A pattern that comes back is copied
 * from here, with what is known of its sectors and conflicts, and has the version that it had. So
 * whoever remembers something of a version, of this instruction or of one that follows it, need
 * not find it out again.
 *
 * An instruction that has a leader (ir/leader.h) keeps each pattern at the place at which the
 * leader has the one beside it, so that the leader alone has to be looked for. Where most patterns
 * are new, as random addresses are, none is kept for a while. */
#ifndef SIMT_KEPT_PATTERNS_H
#define SIMT_KEPT_PATTERNS_H

#include "base/hostile.h"
#include "machine/warp.h"

#include <stdalign.h>

enum {
    KEPT_FIRST_REST = UNLESS_HOSTILE(8, 1), /* patterns that are learned before one is kept, */
    KEPT_REST = UNLESS_HOSTILE(4000, 3),    /* and after many of which few came back */
    KEPT_WORTH = 24,       /* so many may be kept before one comes back, at first, */
    KEPT_WORTH_LATER = 10, /* after a rest, */
    KEPT_MOST_WORTH = 64,  /* and after many that did; */
    KEPT_GAIN = 2          /* for one of which so many may be kept that do not */
};

/* Of one instruction, by slot (pattern.slot). What random addresses need comes first. */
struct kept_patterns {
    alignas(64) uint32_t newest;      /* the version that was given away last */
    uint16_t rest;                    /* so many are learned before one is looked for */
    uint8_t worth;                    /* 0: it rests */
    uint8_t next;                     /* slot that is used next */
    struct pattern *of;               /* PATTERN_SLOTS of them; NULL: there has been no need */
    uint32_t keys[PATTERN_SLOTS];     /* of a leader: hashes of the patterns, */
    uint32_t versions[PATTERN_SLOTS]; /* and which ones these are, or will be when they are kept */
    uint8_t after[PATTERN_SLOTS];     /* of a leader: the slot of the pattern that came then */
};

/* Of so many instructions of another kernel than before: nothing is known. */
void kept_patterns_begin(struct kept_patterns *k, unsigned count);
void kept_patterns_room(struct kept_patterns *k);
void kept_patterns_free(struct kept_patterns *k, unsigned count);

#endif
