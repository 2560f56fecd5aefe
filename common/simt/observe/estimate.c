/* estimate.c - see estimate.h. */
#include "observe/estimate.h"

#include <math.h>
#include <stdlib.h>

#include "observe/touched.h"
#include "observe/work.h"

struct estimator {
    const struct gpu_limits *limits;
    struct estimate_options options;
    struct observer observer;
    struct touched *touched;
    struct estimate last;
    bool has_last;
};

static void begin(void *state, const struct launch_event *launch)
{
    struct estimator *e = state;
    (void)launch;
    touched_clear(e->touched);
    e->has_last = false;
}

static void access(void *state, struct warp *w, const struct access_event *a)
{
    struct estimator *e = state;
    uint64_t lines[TOUCHED_LINES];
    uint8_t masks[TOUCHED_LINES];
    (void)w;
    if (a->space != PTX_GLOBAL) {
        return;
    }
    const unsigned count = touched_lines(a->address, a->lanes, a->bytes, lines, masks);
    const bool atomic = a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION;
    const bool store = a->kind == ACCESS_STORE;
    touched_add(e->touched, lines, masks, count, !store, store || atomic);
}

static void end(void *state, const struct launch_event *launch)
{
    struct estimator *e = state;
    if (!launch->good) {
        return;
    }
    const struct touched_bytes bytes = touched_sum(e->touched);
    const struct launch_work work = work_of(launch->kernel, launch->sites, launch->launch);
    const struct floor_work least = work_for_floor(&work, e->limits, (double)bytes.read,
                                                   (double)bytes.written, e->options.cold);
    e->last = (struct estimate){.gpu = e->limits->name,
                                .floors = floors_of(e->limits, &least),
                                .read_bytes = bytes.read,
                                .written_bytes = bytes.written,
                                .model_us = NAN};
    e->has_last = true;
}

struct estimator *estimator_open(const struct gpu_limits *limits, struct estimate_options options)
{
    struct estimator *e = calloc(1, sizeof *e);
    if (e == NULL) {
        return NULL;
    }
    e->limits = limits;
    e->options = options;
    e->touched = touched_open();
    e->observer = (struct observer){.state = e,
                                    .wants = OBSERVE_ACCESSES,
                                    .launch_begin = begin,
                                    .launch_end = end,
                                    .access = access};
    if (e->touched == NULL) {
        estimator_close(e);
        return NULL;
    }
    return e;
}

void estimator_close(struct estimator *e)
{
    if (e != NULL) {
        touched_close(e->touched);
        free(e);
    }
}

const struct observer *estimator_observer(const struct estimator *e) { return &e->observer; }

const struct estimate *estimator_last(const struct estimator *e)
{
    return e->has_last ? &e->last : NULL;
}
