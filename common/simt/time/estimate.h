/* estimate.h - what each launch needs at least on the chosen GPU, and a modelled time.
 *
 * A client of the machine's events: it hears of every access, to know which memory was touched.
 * The floor (common/gpu/floor.h) is always there; the model only if it was asked for. */
#ifndef SIMT_ESTIMATE_H
#define SIMT_ESTIMATE_H

#include "common/gpu/floor.h"
#include "machine/observer.h"
#include "time/model.h"

/* What the model is asked again: how long would it take if ... */
enum what_if {
    IF_ONE_BLOCK_FEWER, /* an SM held one block fewer */
    IF_TWICE_THE_WARPS, /* an SM held twice as many blocks */
    IF_NO_LATENCY,      /* memory answered at once */
    IF_COALESCED,       /* no request had more sectors than its bytes fill */
    WHAT_IFS
};

struct estimate {
    const char *gpu; /* its name */
    struct floors floors;
    bool modelled;
    bool calibrated;                /* the model was fitted to this GPU */
    double model_us;                /* NaN unless modelled, */
    const char *model_limiter;      /* and NULL: a floor's name, "latency" or "atomics" */
    struct model model;             /* what it is made of; only if modelled */
    const struct sm_view *timeline; /* NULL: not asked for, or not of the largest launch so far */
    struct model if_so[WHAT_IFS];   /* with the timeline: the model, asked again */
    unsigned registers;             /* of a thread, */
    bool exact_registers;           /* as ptxas gives them; else estimated */
};

struct estimator;

struct estimate_options {
    bool model;
    bool timeline; /* with the model: of each kernel's largest launch */
    bool cold;     /* the L2 holds nothing when a launch begins; else what fits is there already */
};

/* limits must outlive it. */
struct estimator *estimator_open(const struct gpu_limits *limits, struct estimate_options options);
void estimator_close(struct estimator *e);
const struct observer *estimator_observer(const struct estimator *e); /* for simt_observe() */

/* Of the last launch; valid until the next one begins. NULL: none has ended well. */
const struct estimate *estimator_last(const struct estimator *e);

#endif
