/* floor.h - the least time that a launch needs: no run can beat it.
 *
 * Each resource of the GPU needs at least work / rate; the largest of these is the floor and names
 * the limiter. It says nothing about latency, so a kernel may well take longer; what it takes
 * less than is wrong. Only work counts that no compiler can leave out. Pure arithmetic. */
#ifndef COMMON_FLOOR_H
#define COMMON_FLOOR_H

#include "gpu_rates.h"

#ifdef __cplusplus
extern "C" {
#endif

enum floor_resource {
    FLOOR_LAUNCH, /* an empty kernel takes as long */
    FLOOR_BLOCKS, /* starting them */
    FLOOR_ISSUE,
    FLOOR_FMA,
    FLOOR_ALU,
    FLOOR_FP64,
    FLOOR_XU,
    FLOOR_TENSOR,
    FLOOR_LSU,
    FLOOR_L1, /* and shared memory: wavefronts of 128 bytes */
    FLOOR_L2,
    FLOOR_DRAM,
    FLOOR_RESOURCES
};

/* What a launch does at least, all of its blocks together. */
struct floor_work {
    double blocks, warps;
    double issue, fma, alu, fp64, xu, lsu; /* warp instructions */
    double tensor_cycles;                  /* of one of an SM's four tensor cores */
    double l1_wavefronts;
    double l2_sectors;  /* between SMs and L2, 32 bytes each */
    double dram_bytes;  /* see floor_dram_bytes() */
    double first_bytes; /* that the L2 did not have: read from memory, or written; 0: not known */
};

struct floors {
    double us[FLOOR_RESOURCES]; /* of each resource alone */
    double floor_us;            /* the largest; NaN where the rates are not known */
    enum floor_resource limiter;
};

struct floors floors_of(const struct gpu_limits *g, const struct floor_work *work);

/* "launch", "block starts", "issue", "FP32", "integer", "FP64", "special functions", "tensor
 * cores", "load/store", "L1", "L2", "DRAM" */
const char *floor_name(enum floor_resource resource);

/* What must travel to and from memory. cold: the L2 holds nothing of it at first, so all that is
 * read before it is written does; else what the L2 can hold may be there from an earlier launch.
 * What is written may stay in the L2 in both cases. */
double floor_dram_bytes(const struct gpu_limits *g, double read_bytes, double written_bytes,
                        bool cold);

#ifdef __cplusplus
}
#endif

#endif
