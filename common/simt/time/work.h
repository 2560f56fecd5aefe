/* work.h - what a launch did, as work for the GPU's resources: from the counters of its sites and
 * the costs of its instructions. Exact where `least` is meant, an estimate where `likely` is. */
#ifndef SIMT_WORK_H
#define SIMT_WORK_H

#include "common/gpu/floor.h"
#include "machine/warp.h"
#include "time/costs.h"

struct launch_work {
    struct cost least, likely; /* warp instructions of the whole launch */
    double ptx;                /* PTX instructions that warps executed */
    double blocks, warps;
    double requests; /* to global memory: loads, stores, atomics */
    double load_requests, load_sectors, store_requests, store_sectors;
    double atomic_requests, atomic_sectors;
    double bulk_load_sectors, bulk_store_sectors; /* of the bulk engines, from and to L2 */
    double cluster_load_sectors, cluster_store_sectors,
        cluster_atomic_sectors; /* of other blocks' shared memory */
    double tensor_cycles;       /* of one of the four tensor cores of an SM */
    bool slows_clock;           /* products of any type but FP64 */
    double shared_wavefronts;   /* loads, stores and atomics, operands of wgmma; */
    double product_wavefronts;  /* the latter alone */
    double shared_load_wavefronts, shared_store_wavefronts;
    double phases; /* of a warp: how often it came to the barrier that it came to most often */
    /* What loads, and stores and atomics, of global memory take of L1; whoever saw the addresses
     * sets them. */
    double load_wavefronts, store_wavefronts;
    double hoisted_requests; /* loads that ptxas makes before a loop, not in it: not among these */
    double texture_cycles;   /* of the unit of textures and surfaces */
    double local_wavefronts, local_store_sectors; /* of arrays that are no registers */
    double constant_replays; /* different addresses of a constant load beyond the first, */
    double constant_loads;   /* and these loads, but those whose lanes were seen to agree before */
    double lonely_loads, lonely_stores; /* lines of which a request has one sector */
    double partial_stores; /* sectors' worth of work that L2 has beside, as sectors were stored in
                              part */
};

/* costs: of all instructions, per function, where somebody has kept them (kept.h); NULL: they are
 * found now. */
struct launch_work work_of(const struct kernel *k, const struct site *sites,
                           const struct simt_launch *launch, struct insn_cost *const *costs);

/* The same as floor.h wants it. The bytes: distinct sectors that the launch read before it wrote
 * them, and that it wrote (touched.h). */
struct floor_work work_for_floor(const struct launch_work *w, const struct gpu_limits *g,
                                 double read_bytes, double written_bytes, bool cold);

/* The same launch, if each request of global memory had no more sectors than what 32 lanes side by
 * side need. */
struct launch_work work_coalesced(const struct launch_work *w, const struct kernel *k,
                                  const struct site *sites);

#endif
