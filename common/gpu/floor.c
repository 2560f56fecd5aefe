/* floor.c - see floor.h. */
#include "floor.h"

#include <math.h>

enum { SCHEDULERS = 4, SECTOR_BYTES = 32 };

const char *floor_name(enum floor_resource resource)
{
    static const char *const names[FLOOR_RESOURCES] = {
        [FLOOR_LAUNCH] = "launch",
        [FLOOR_BLOCKS] = "block starts",
        [FLOOR_ISSUE] = "issue",
        [FLOOR_FMA] = "FP32",
        [FLOOR_ALU] = "integer",
        [FLOOR_FP64] = "FP64",
        [FLOOR_XU] = "special functions",
        [FLOOR_TENSOR] = "tensor cores",
        [FLOOR_LSU] = "load/store",
        [FLOOR_L1] = "L1",
        [FLOOR_L2] = "L2",
        [FLOOR_DRAM] = "DRAM",
    };
    return names[resource];
}

static double least(double a, double b) { return a < b ? a : b; }

double floor_dram_bytes(const struct gpu_limits *g, double read_bytes, double written_bytes,
                        bool cold)
{
    const double l2 = (double)g->l2_bytes;
    if (cold) { /* the most that was seen to stay in an H200's 60 MB when a kernel ended: 27 MB */
        return read_bytes + fmax(0, written_bytes - l2 / 2);
    }
    return fmax(0, read_bytes + written_bytes - l2);
}

/* A block runs on one SM and a warp on one of its schedulers: a small launch has fewer of them than
 * the GPU. */
struct floors floors_of(const struct gpu_limits *g, const struct floor_work *w)
{
    const struct gpu_rates r = gpu_rates(g);
    const double sms = least(g->sm_count, w->blocks);
    const double schedulers = least(sms, w->warps / SCHEDULERS); /* in SMs' worth of them */
    const double cycle_us = 1e-3 / r.clock_ghz;
    struct floors f = {.floor_us = NAN, .limiter = FLOOR_LAUNCH};
    if (!r.known || w->blocks == 0) {
        return f;
    }
    f.us[FLOOR_LAUNCH] = r.least_launch_us;
    f.us[FLOOR_ISSUE] = w->issue / (schedulers * r.pipes.issue) * cycle_us;
    f.us[FLOOR_FMA] = w->fma / (schedulers * r.pipes.fma) * cycle_us;
    f.us[FLOOR_ALU] = w->alu / (schedulers * r.pipes.alu) * cycle_us;
    f.us[FLOOR_FP64] = w->fp64 / (schedulers * r.pipes.fp64) * cycle_us;
    f.us[FLOOR_XU] = w->xu / (schedulers * r.pipes.xu) * cycle_us;
    f.us[FLOOR_TENSOR] = w->tensor_cycles / (schedulers * SCHEDULERS) * cycle_us;
    f.us[FLOOR_LSU] = w->lsu / (sms * r.pipes.lsu) * cycle_us;
    f.us[FLOOR_L1] = w->l1_wavefronts / (sms * r.l1_wavefronts_per_cycle) * cycle_us;
    f.us[FLOOR_L2] = w->l2_sectors * SECTOR_BYTES / (r.l2_gb_per_s * 1e3);
    if (r.l2_first_gb_per_s > 0) {
        f.us[FLOOR_L2] = fmax(f.us[FLOOR_L2], w->first_bytes / (r.l2_first_gb_per_s * 1e3));
    }
    f.us[FLOOR_DRAM] = w->dram_bytes / (r.dram_gb_per_s * 1e3);
    if (r.most_blocks_per_us > 0) {
        f.us[FLOOR_BLOCKS] = w->blocks / r.most_blocks_per_us;
    }
    f.floor_us = 0;
    for (enum floor_resource i = FLOOR_BLOCKS; i < FLOOR_RESOURCES; i++) {
        f.us[i] += f.us[i] > 0 ? r.start_us : 0;
    }
    for (enum floor_resource i = 0; i < FLOOR_RESOURCES; i++) {
        if (f.us[i] > f.floor_us) {
            f.floor_us = f.us[i];
            f.limiter = i;
        }
    }
    return f;
}
