/* gpu_rates.h - how fast a GPU can be at best, and how long one instruction waits for another.
 *
 * Two kinds of figures, kept apart. Peaks bound any run from below (floor.h): the vendor's figure,
 * a limit per cycle, or the best that was ever measured there, whichever is highest. Latencies
 * and the efficiencies reached in practice are for the model, which is an estimate. Where each
 * comes from stands in gpu_rates.c. Pure data. */
#ifndef COMMON_GPU_RATES_H
#define COMMON_GPU_RATES_H

#include "gpu_limits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Warp instructions that one SM can begin in a cycle, by the unit that executes them. */
struct gpu_pipes {
    double issue; /* of any kind: one per scheduler */
    double fma;   /* FP32 add, multiply, multiply-add; 32-bit integer multiply at half that rate */
    double alu;   /* integer and logic, comparisons, minimum and maximum */
    double fp64;
    double xu;      /* reciprocals, roots, exponentials, sines; counting bits; some conversions */
    double lsu;     /* loads, stores, atomics, shuffles */
    double barrier; /* warps that come to one */
};

/* Cycles from the issue of an instruction until its result can be used. */
struct gpu_latencies {
    double fma, alu, predicate, fp64, xu, shuffle, shared, l1, l2, dram, atomic, shared_atomic,
        branch;
    double call, call_by_pointer, way_back; /* to a function, and from it */
    double barrier, barrier_per_warp;       /* a barrier of a block of so many warps */
};

struct gpu_rates {
    bool known;      /* false: an architecture without rates here; nothing below is set */
    bool calibrated; /* the model was fitted to and tried on this GPU */
    double clock_ghz;
    struct gpu_pipes pipes;
    double l1_wavefronts_per_cycle; /* of one SM: 128 bytes each */
    double l2_gb_per_s, dram_gb_per_s;
    double l2_first_gb_per_s;  /* of what the L2 did not have: read or written; 0: not known */
    double least_launch_us;    /* an empty kernel of one block */
    double start_us;           /* of these nothing can be worked yet, or any more */
    double most_blocks_per_us; /* that the GPU can start; 0: not known */

    /* For the model only. */
    struct gpu_latencies latency;
    double l2_reached_gb_per_s, dram_read_gb_per_s, dram_write_gb_per_s;
    double l2_fill_gb_per_s;       /* beside: what the L2 gets from memory or keeps for it */
    double l2_lonely, l2_atomic;   /* further sectors' time of a line of which one is asked for, and
                                      of  an atomic's sector */
    double l2_sm_bytes_per_cycle;  /* what one SM alone gets from L2 */
    double blocks_per_us;          /* that the GPU starts */
    double block_start_cycles;     /* before a block's first instruction, and behind its last */
    double launch_us;              /* start and end of a kernel, beside its work, where that fills
                                      the GPU; of a small one it is least_launch_us */
    double atomics_per_cycle;      /* turns of the same 512 bytes, */
    double unit_atomics_per_cycle; /* and of all that a unit of the L2 has */
    uint64_t l2_effective_bytes;   /* of the L2, that one stream of data finds */
};

/* What else the model assumes, of any GPU. These are fits, not the vendor's figures: where each
 * comes from stands in gpu_rates.c. */
struct gpu_model {
    double line_cycles,
        line_miss_cycles;           /* a request's further lines: each, and if memory has it */
    double shared_wavefront_cycles; /* a shared access's further wavefronts */
    double store_cycles, constant_cycles, block_fence_cycles;
    double constant_load_cycles,
        constant_replay_cycles; /* by an address in a register: the load, each further address */
    double dram_spread;         /* of what memory takes beside the L2, to both sides */
    double texture_cycles;      /* of a texture, beside those of L1 */
    double part_cycles;         /* lanes part and meet again */
    double swap_cycles;         /* a round of a loop of swaps in shared memory */
    double saved_cycles;   /* each word that a function saves while it calls others, and reads */
    double full_launch_us; /* work that takes so long fills the GPU */
    double l2_keeps_until, l2_keeps_over; /* of the L2's size: from a launch before it has nothing
                                             from there on, and the less, the nearer */
    double tensor_clock;                  /* tensor cores in use slow the clock down by so much */
    double matrix_load_cycles;            /* of ldmatrix, beside those of a shared load */
    double bulk_cycles;                   /* of the bulk engine, beside the L2's latency, */
    double bulk_bytes_per_cycle;          /* and what comes in each cycle then */
    double bulk_lines_most;               /* from memory: lines that come one behind the other */
    double cluster_barrier_cycles;        /* until all of a cluster have met, */
    double cluster_barrier_turns;         /* in which a warp takes as many block barriers' time; */
    double cluster_cycles;                /* to read a word of another block's shared memory, */
    double cluster_load_cycles;           /* each sector that comes from there, */
    double cluster_store_cycles, cluster_atomic_cycles; /* to send a sector there, */
    double cluster_store_queue_cycles,
        cluster_atomic_queue_cycles; /* and beside it where all SMs do */
    double last_wave;                /* a share of a wave of blocks that costs no wave */
    double among_resources;          /* powers by which parts that are close add up: */
    double with_latency;             /* waits, per full SM */
    double partial_line;             /* sectors' time of a line that is written in part */
    double local_store;              /* sectors' time more of one that local memory writes again */
    double l2_crossing;              /* what a profiler counts of the L2, beside requests */
    double behind_l1;                /* of L1 and its pipe, both busy, L1 is the limiter */
    double limits_from;              /* busy for this share of the time, it is the limiter */
};
extern const struct gpu_model gpu_model;

/* The rates of a GPU described by g, whose clock, size and memory they follow. */
struct gpu_rates gpu_rates(const struct gpu_limits *g);

#ifdef __cplusplus
}
#endif

#endif
