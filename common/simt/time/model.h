/* model.h - a modelled time for a launch: an estimate, made of counts, chains and caches.
 *
 * The launch takes as long as the resource that needs longest, or as its warps' chains of waits,
 * whichever is more, a little more where several are close, and the time to start and to end.
 * What each part is stands in model.c; how far it is from measured times, in
 * tests/fidelity/times/README.md. */
#ifndef SIMT_MODEL_H
#define SIMT_MODEL_H

#include "time/caches.h"
#include "time/chain.h"
#include "time/kept.h"
#include "time/sm_view.h"
#include "time/touched.h"
#include "time/work.h"

enum model_part { /* what a launch waits for; the first are those of enum floor_resource */
                  MODEL_LATENCY = FLOOR_RESOURCES,
                  MODEL_ATOMICS,
                  MODEL_BARRIERS,
                  MODEL_CLUSTER,
                  MODEL_PARTS
};

struct model_input {
    const struct gpu_limits *limits;
    const struct launch_event *launch;
    const struct launch_work *work;
    const struct caches *caches;
    const struct cache_result *hits;
    struct touched_bytes bytes;
    unsigned registers;
    const double *block_work; /* of each block, in any unit */
    uint64_t block_count;     /* 0: not known: all alike */
    bool cold;
    double had_before; /* of a sample: share of its misses that earlier waves of blocks have had */
    struct kept_chain *kept; /* kept.h; NULL: nothing is kept */
    /* What if? 0 and false: as it is. */
    int more_blocks;       /* on an SM */
    unsigned times_blocks; /* so many times as many */
    bool no_latency;       /* memory answers at once */
};

struct model {
    double us;
    double part_us[MODEL_PARTS];
    unsigned limiter; /* enum model_part or floor_resource */
    unsigned sm_count;
    unsigned blocks_per_sm, warps_per_sm; /* resident */
    double occupancy;
    double l1_hit;      /* of load sectors; NaN: none */
    double l2_sectors;  /* between SMs and L2 */
    double l2_plain_us; /* of the L2's time: what a profiler counts */
    double dram_read_bytes, dram_write_bytes;
    double share_of_sms;  /* what an SM does on average, of what the one with most work does */
    double l1_wavefronts; /* of L1 and shared memory, */
    double product_share; /* of them: those of wgmma's operands */
    double phases;        /* of a warp, from barrier to barrier; 0: it has none */
    double shared_load_wavefronts, shared_store_wavefronts, global_wavefronts; /* of a warp */
    double instructions; /* of the machine's code, estimated */
    double stall_share;  /* of the latency: in which a warp issues nothing */
    double warp_cycles;  /* of one warp from start to end, were it alone */
};

struct model model_of(const struct model_input *in);
const char *model_part_name(unsigned part);
/* One SM over the cycles of this launch, for which model_of() has said m. */
void model_sm_view(const struct model_input *in, const struct model *m, struct sm_view *out);

/* Blocks of the launch that one SM holds at once, 1 at least. */
unsigned model_resident(const struct gpu_limits *g, const struct simt_launch *launch,
                        const struct kernel *k, unsigned registers);
/* L1 beside the shared memory of these. */
uint64_t model_l1_bytes(const struct gpu_limits *g, const struct simt_launch *launch,
                        const struct kernel *k, unsigned resident);

#endif
