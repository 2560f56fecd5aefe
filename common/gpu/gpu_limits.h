/* gpu_limits.h - what a GPU has, per SM and in all: pure data, with the public source of each
 * figure beside it (gpu_limits.c).
 *
 * The simulator takes the limits of SIMT_GPU from here, step06 explains occupancy with them, and
 * a real device's figures can be put into the same struct. Sizes are bytes, clocks are kHz, as in
 * CUDA's own device attributes. */
#ifndef COMMON_GPU_LIMITS_H
#define COMMON_GPU_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GPU_LIMITS_NAME_MAX = 64 };

struct gpu_limits {
    char name[GPU_LIMITS_NAME_MAX]; /* as cudaDeviceProp.name */
    int major, minor;               /* compute capability; 0.0 for the textbook SM */

    /* The chip. */
    unsigned sm_count;
    unsigned fp32_lanes_per_sm; /* "CUDA cores" of one SM */
    unsigned sm_clock_khz;      /* boost clock */
    uint64_t global_memory_bytes;
    unsigned memory_bus_bits;
    unsigned memory_clock_khz;  /* two transfers a cycle: peak bytes/s = 2 * clock * bits / 8 */
    double data_sheet_gb_per_s; /* where the vendor states less than that; else 0 */
    uint64_t l2_bytes;
    unsigned async_engines;
    bool ecc;
    uint8_t sm_groups[16]; /* SMs that can share a cluster of blocks, group by group; 0: not known */

    /* What one SM holds. */
    unsigned warp_size;
    unsigned max_threads_per_sm;
    unsigned max_warps_per_sm;
    unsigned max_blocks_per_sm;
    unsigned registers_per_sm; /* of 32 bits */
    unsigned shared_bytes_per_sm;

    /* What one block may ask for. */
    unsigned max_threads_per_block;
    unsigned registers_per_block;
    unsigned max_registers_per_thread;
    unsigned shared_bytes_per_block;        /* without asking */
    unsigned shared_bytes_per_block_opt_in; /* cudaFuncAttributeMaxDynamicSharedMemorySize */
    unsigned shared_bytes_reserved;         /* the system's own, added to every block */
    unsigned const_bytes;
    unsigned max_block_dim[3];
    unsigned max_grid_dim[3];

    /* Granularity: an allocation is rounded up to a multiple of these. 1: exact. */
    unsigned register_unit;       /* registers of one warp */
    unsigned warp_unit;           /* sub-partitions of an SM: each has its share of the registers
                                   * and holds whole warps */
    unsigned warp_unit_at_launch; /* a launch is checked as if the block had a multiple of these
                                   * warps */
    unsigned shared_unit;         /* bytes of one block */
    bool counts_threads;          /* the textbook SM: slots and registers go to threads, one by
                                   * one, not to warps */
};

/* Forgiving: case, blanks, dashes and the vendor's words do not matter, so "h200", "NVIDIA H200"
 * and "nvidia-h200" are one. NULL: no such profile (the caller prints gpu_limits_list()). */
const struct gpu_limits *gpu_limits_find(const char *name);
const struct gpu_limits *gpu_limits_default(void); /* NVIDIA H200 */

size_t gpu_limits_count(void);
const struct gpu_limits *gpu_limits_at(size_t index); /* oldest first */
/* The short name that gpu_limits_find() takes and a message shows: "h200", "rtx40". */
const char *gpu_limits_short_name(size_t index);
/* "textbook, fermi, kepler, ..." into text, cut at size. Returns text. */
const char *gpu_limits_list(char *text, size_t size);

/* Derived, in powers of ten: 2 operations per lane and clock; 2 transfers per memory clock, or the
 * data sheet's figure. 0 where the profile describes an SM only. */
double gpu_limits_peak_gflops(const struct gpu_limits *g);
double gpu_limits_peak_gb_per_s(const struct gpu_limits *g);

/* Fills the granularities and the other figures that no device attribute has (fp32_lanes_per_sm,
 * max_registers_per_thread and the units) from the compute capability in major and minor. false: an
 * architecture this file does not know; they are then those of the nearest one known. */
bool gpu_limits_fill_architecture(struct gpu_limits *g);

#ifdef __cplusplus
}
#endif

#endif
