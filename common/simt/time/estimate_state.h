/* estimate_state.h - what estimate.c and estimate_access.c share; for these two alone. */
#ifndef SIMT_ESTIMATE_STATE_H
#define SIMT_ESTIMATE_STATE_H

#include "time/caches.h"
#include "time/estimate.h"
#include "time/footprint.h"
#include "time/kept.h"
#include "time/touched.h"

#include <stdalign.h>

enum { RECENT = 1024, RECENT_SHIFT = 54 /* 64 - 10: found by the upper bits of a product */ };
/* A request that was looked at: one of the same key touches the same sectors once more. */
struct recent {
    uint64_t key;
    uint32_t block;   /* its number + 1; 0: nothing is here */
    uint32_t sampled; /* its lines that the L2 sees, as a mask */
};

/* What one worker has seen of the launch. */
struct estimate_worker {
    alignas(64) uint64_t load_wavefronts;
    uint64_t hoisted_requests;
    uint64_t store_wavefronts, partial_stores; /* the last times 256 */
    uint64_t lonely_loads, lonely_stores;      /* lines of which a request has one sector */
    uint64_t local_wavefronts, local_store_sectors, constant_replays, constant_loads;
    uint64_t texture_tenths, texture_loads, texture_stores; /* cycles / 10; sectors */
    struct footprint *footprints;                           /* by code index */
    unsigned footprint_room;
    unsigned running; /* blocks that have begun and not ended */
    bool beside;      /* there have been several at a time */
    uint64_t block;   /* whose requests are noted in the log */
    struct touch_log log;
    struct recent recent[RECENT]; /* by the first address */
};

struct estimator {
    const struct gpu_limits *limits;
    struct estimate_options options;
    struct observer observer;
    struct memory *memory; /* of this launch */
    const struct kernel *launched;
    struct touched *touched;
    struct caches *caches; /* NULL: no model */
    struct estimate_worker *workers;
    unsigned worker_count, worker_room;
    double *block_work; /* instructions of each block */
    uint64_t block_count, block_room;
    struct estimate last;
    bool has_last;
    struct kept_kernels kept;
    struct kept_kernel *kernel; /* of this launch */
    struct sm_view timeline;
    struct largest {
        uint64_t kernel; /* its serial number */
        double work;
    } * largest;
    unsigned largest_count, largest_room;
};

/* ---- estimate_access.c: functions of struct observer; their state is the estimator ---------- */

void estimate_access(void *state, struct warp *w, const struct access_event *a);
/* Looks at what has been noted in the log. */
void estimate_noted(struct estimator *e, unsigned worker);
struct touch_log *estimate_log(void *state, unsigned worker);
void estimate_touches(void *state, struct warp *w, const struct access_event *a);
void estimate_repeats(void *state, unsigned worker, const struct access_event *a, uint64_t count);
/* Where the line lies in every run of a program. */
uint64_t estimate_moved_line(const struct estimator *e, uint64_t line);
void estimate_bulk_row(void *state, struct warp *w, uint32_t pc, uint64_t address, uint64_t bytes,
                       bool writes);
/* estimate_image.c */
void estimate_image(void *state, struct warp *w, const struct access_event *a);

#endif
