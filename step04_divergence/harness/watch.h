/* watch.h - what one warp does over time: notes that the kernels of watched.cuh leave. */
#ifndef STEP04_WATCH_H
#define STEP04_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

enum watch_place {
    PLACE_BEFORE,
    PLACE_THEN,
    PLACE_ELSE,
    PLACE_TRIP,
    PLACE_SPIN, /* tried the lock, and did not get it */
    PLACE_HOLD, /* has the lock */
    PLACE_AFTER,
    PLACES
};

enum { WATCH_NOTES_MAX = 4096, WATCH_LINES_MAX = 32 * WATCH_NOTES_MAX };

struct watch_note {
    uint32_t lanes; /* bit i: lane i is there */
    uint16_t place; /* enum watch_place */
    uint16_t lane;  /* who writes: each lane that is there writes a line of its own */
};

/* In device memory, zeroed before the launch. */
struct watch_log {
    uint32_t count; /* lines wanted; those beyond WATCH_LINES_MAX are lost */
    uint32_t lock;
    struct watch_note lines[WATCH_LINES_MAX];
};

enum watch_kind { WATCH_IF, WATCH_LOOP, WATCH_LOCK };

struct watch_run {
    unsigned count; /* notes: one for each time that lanes came by together */
    struct watch_note notes[WATCH_NOTES_MAX];
    bool complete;                   /* there were no more */
    struct launch_counters counters; /* of the same kernel without notes */
    bool has_counters;
    uint32_t out[32]; /* of the kernel without notes */
    bool same;        /* the one with notes computed the same */
};

/* One warp; wants as watched.cuh says. */
void watch_run(enum watch_kind kind, const uint32_t wants[32], struct watch_run *run);
/* What the kernel must leave in out. */
void watch_expect(enum watch_kind kind, const uint32_t wants[32], uint32_t out[32]);

#ifdef __cplusplus
}
#endif

#endif
