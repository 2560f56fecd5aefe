/* gpu_rates.c - see gpu_rates.h. Where the figures come from:
 *
 *   pipes       NVIDIA, CUDA C++ Programming Guide, table "Throughput of Native Arithmetic
 *               Instructions" (results per cycle and SM, divided by 32 lanes), and four schedulers
 *               an SM since compute capability 7.0, each of which issues one instruction a cycle
 *   L1          128 bytes a cycle and SM: the same guide and the tuning guides, "Shared Memory"
 *   L2          Hopper: the highest of what plots/roofs.cu and tests/fidelity/times measured and
 *               what plots/data/h200/roofs_published.csv quotes; elsewhere 64 bytes a cycle and SM,
 *               which no measurement has reached
 *   DRAM        the vendor's peak (gpu_limits.c)
 *   the rest    microbenchmarks of tests/fidelity/times/roof.cu, recorded in its h200.csv */
#include "gpu_rates.h"

#include <math.h>
#include <string.h>

static const struct architecture {
    int major, minor;
    double fp32, integer, fp64, xu, lsu; /* results per cycle and SM */
} architectures[] = {
    {7, 0, 64, 64, 32, 16, 32},   {7, 5, 64, 64, 2, 16, 32},    {8, 0, 64, 64, 32, 16, 32},
    {8, 6, 128, 64, 2, 16, 32},   {8, 9, 128, 64, 2, 16, 32},   {9, 0, 128, 64, 64, 16, 32},
    {10, 0, 128, 64, 64, 16, 32}, {12, 0, 128, 128, 2, 16, 32},
};

/* Fitted to the kernels of tests/fidelity/times, as recorded on an H200 (h200.csv), but for those
 * that name a kernel, which alone decides them. */
const struct gpu_model gpu_model = {
    .line_cycles = 2,
    .line_miss_cycles = 12, /* pointer_chase */
    .shared_wavefront_cycles = 2,
    .store_cycles = 1,
    .constant_cycles = 8,
    .block_fence_cycles = 10,
    .constant_load_cycles = 29, /* roof_constants_1_chain, _4, _32 */
    .constant_replay_cycles = 11,
    .dram_spread = 0.35,   /* roof_burst_1_1, _1_8, _8_8 */
    .texture_cycles = 85,  /* roof_tex_chain */
    .part_cycles = 17,     /* roof_guarded_1, _2; roof_own_rounds_8, _32 */
    .swap_cycles = 88,     /* roof_shared_float_1, _8, _32 */
    .saved_cycles = 4.3,   /* calls of one warp on an H200: of a function that keeps 0, 1, 4, 8
                              values over a call of its own 24, 44, 57, 74 cycles more */
    .full_launch_us = 1.5, /* an H200, memory cold: a load and a store by 1 to 264 blocks of 256
                              take 2.0 to 2.6 us, nothing 1.3 to 1.8; what adds up to some 3 us of
                              work takes launch_us beside it */
    .l2_keeps_until = 1.2,
    .l2_keeps_over = 0.4,
    .tensor_clock = 1.1, /* 1.72 (wgmma_64) to 1.87 GHz (gemm_mma_128_thin) of 1.98, as soon as a
                            kernel uses them for other types than FP64 */
    .matrix_load_cycles = 5, /* one warp, each waiting for the one before: x1 35 cycles, x4 40 */
    .bulk_cycles = 75,       /* the same, with data in the L2: 16 bytes 340 cycles, 32 KB 665; */
    .bulk_bytes_per_cycle = 98,
    .bulk_lines_most = 30, /* from memory instead of L2: 128 bytes 250 to 430 cycles more, 1 KB 430
                              to 500, 4 KB 740, 16 KB 590 to 850, by one SM and by 32 */
    .cluster_barrier_cycles = 350, /* 100 of them one behind the other, in clusters of two and
                                      eight: 340 to 370 cycles each with one block an SM, */
    .cluster_barrier_turns = 5,    /* 690 and 1040 with 64 warps, so 11 and 16 a warp */
    .cluster_cycles = 220, /* by one warp and by all; with 4 blocks a cluster: 32 words side by side
                              take 45 cycles of 8 warps' turn if one cluster stores and 161 if 32
                              do, 96 and 288 to add to them */
    .cluster_load_cycles = 2.2, /* Measured: 2.0 in clusters of two, 3.0 of four and eight. W. Luo,
                                   R. Fan, Z. Li, D. Du, Q. Wang, X. Chu, "Benchmarking and
                                   Dissecting the Nvidia Hopper GPU Architecture", IPDPS 2024,
                                   pp. 656-667, Fig. 8: an H800's 114 SMs at 1.755 GHz get 3.27 TB/s
                                   from each other in clusters of two and 2.65 of four, which is
                                   2 and 2.4 cycles a sector */
    .cluster_store_cycles = 1.4,
    .cluster_atomic_cycles = 3,
    .cluster_store_queue_cycles = 3.6,
    .cluster_atomic_queue_cycles = 6,
    .last_wave = 0.02,
    .among_resources = 3.5,
    .with_latency = 2.5,
    .partial_line = 4.6, /* transpose_naive, scatter: 4 of a sector's 32 bytes take three sectors'
                            time more; merge_rows: four sectors of a line together hardly any */
    .local_store = 1.7,  /* 16 and 32 warps an SM that store a word of local memory and load it: the
                            L2  takes 69 and 46 sectors a cycle, of other data 150 */
    .l2_crossing = 1.3,  /* ncu counts what crosses from one half of the L2 to the other, too */
    .behind_l1 = 0.95,
    .limits_from = 0.5};

/* Measured on Hopper, in cycles (roof_*_chain). Memory answers one lane alone after 655
 * (roof_dram_chain), and where all SMs ask after 740 (triad_few_warps). A comparison whose
 * predicate is looked at next: what ptxas waits in its code for sm_90, 13. A loop
 * that calls a function of one multiplication takes 79 cycles a round, by a pointer 106. Other
 * architectures are taken to be alike, and say so by not being calibrated. */
static const struct gpu_latencies latencies = {.fma = 4.2,
                                               .alu = 4.2,
                                               .predicate = 13,
                                               .fp64 = 8.1,
                                               .xu = 17,
                                               .shuffle = 24,
                                               .shared = 24,
                                               .l1 = 35,
                                               .l2 = 262,
                                               .dram = 740,
                                               .atomic = 330,
                                               .shared_atomic = 30,
                                               .barrier = 18,
                                               .barrier_per_warp = 1.8,
                                               .branch = 8,
                                               .call = 16,
                                               .call_by_pointer = 43,
                                               .way_back = 60};

static const struct architecture *architecture_of(const struct gpu_limits *g)
{
    const struct architecture *nearest = NULL;
    for (size_t i = 0; i < sizeof architectures / sizeof architectures[0]; i++) {
        const struct architecture *a = &architectures[i];
        if (a->major < g->major || (a->major == g->major && a->minor <= g->minor)) {
            nearest = a;
        }
    }
    return nearest;
}

static void fill_model(struct gpu_rates *r, const struct gpu_limits *g)
{
    r->latency = latencies;
    /* Copies take 5.5 TB/s, what L2 has already 7 to 9 (red_black, ising, roof_l2_rate), lone
     * sectors 5 (list_jump, gather), atomics 3.2 (atomics_many_words). */
    r->l2_reached_gb_per_s = 0.57 * 64 * g->sm_count * r->clock_ghz;
    r->l2_fill_gb_per_s = 0.8 * 64 * g->sm_count * r->clock_ghz;
    r->l2_lonely = 0.7;
    r->l2_atomic = 2;
    r->dram_read_gb_per_s = 0.92 * r->dram_gb_per_s;
    r->dram_write_gb_per_s = 0.88 * r->dram_gb_per_s;
    r->l2_sm_bytes_per_cycle = 64;
    r->blocks_per_us = 12.6 * g->sm_count;
    r->block_start_cycles = 400;
    r->launch_us = 2.4;
    r->atomics_per_cycle = 0.69;      /* reduce_atomic_warp, atomics_one_word: 1.36 a nanosecond */
    r->unit_atomics_per_cycle = 1.11; /* to 8 to 128 KB of words: caches.c, unit_of() */
    r->l2_effective_bytes = g->l2_bytes * 7 / 10;
}

struct gpu_rates gpu_rates(const struct gpu_limits *g)
{
    struct gpu_rates r = {.known = false};
    const struct architecture *a = architecture_of(g);
    if (a == NULL || g->sm_count == 0 || g->sm_clock_khz == 0) {
        return r;
    }
    const bool hopper = g->major == 9;
    r.known = true;
    r.calibrated = strcmp(g->name, "NVIDIA H200") == 0;
    r.clock_ghz = g->sm_clock_khz / 1e6;
    r.pipes = (struct gpu_pipes){.issue = 4,
                                 .fma = a->fp32 / 32,
                                 .alu = a->integer / 32,
                                 .fp64 = a->fp64 / 32,
                                 .xu = a->xu / 32,
                                 .lsu = a->lsu / 32,
                                 .barrier = 0.48};
    r.l1_wavefronts_per_cycle = 1;
    /* gpu-benches read 9920 GB/s on an H200, roof_l2_rate 8950: 38 bytes a cycle and SM. */
    r.l2_gb_per_s = (hopper ? 38.0 : 64.0) * g->sm_count * r.clock_ghz;
    /* roof_nothing: 1.66 and 1.86 us on H200s, 2.18 on an H100; what any launch takes before its
     * first instruction and behind its last. */
    r.least_launch_us = hopper ? 1.6 : 1.0;
    r.start_us = hopper ? 1.6 : 0;
    r.most_blocks_per_us = hopper ? 1700 : 0; /* roof_blocks_32 and _256: 1673 */
    r.dram_gb_per_s = gpu_limits_peak_gb_per_s(g);
    /* What is read from memory or written for the first time: roof_write_* and roof_copy_* of 8 to
     * 128 MB reach 4610 GB/s of it on an H200, 4010 on an H100, layernorm_warp 4640; memory itself
     * could send more on an H200. */
    r.l2_first_gb_per_s = hopper ? fmax(r.dram_gb_per_s, 16.5 * g->sm_count * r.clock_ghz) : 0;
    fill_model(&r, g);
    return r;
}
