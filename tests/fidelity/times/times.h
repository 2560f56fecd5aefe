/* times.h - kernels of realistic kind and size whose times are recorded and modelled.
 *
 * Each takes 10 us to 1 ms on an H200. Rules for a kernel here: it reads `a`, `b`, `da`, `index`,
 * `sorted` and, where it says so, `counts` (0 before the first launch); it writes `out`, `dout` or
 * `counts` in a way that does not depend on the order of threads beyond rounding; another launch
 * does the same work. The sum of what it wrote, each element with a weight of its own, must be the
 * same on every GPU and on the simulator. Included by the files of kernels and by main.cu. */
#ifndef TIMES_H
#define TIMES_H

#include "common/cuda_check.h"

#include <stdint.h>

enum {
    FLOATS = 1 << 24, /* of a, b and out: 64 MB each, more than an L2 cache holds */
    DOUBLES = 1 << 22,
    INDICES = 1 << 22, /* index: a permutation of 0 .. INDICES - 1 */
    SORTED = 1 << 20,  /* sorted: i / SORTED */
    COUNTS = 1 << 20,
    HALVES = 1 << 23
};

struct times_io {
    const float *a, *b; /* in [0, 1) */
    float *out;
    const double *da; /* in [0, 1) */
    double *dout;
    const int *index;
    const float *sorted;
    unsigned *counts;
    const void *halves; /* in [-0.5, 0.5), HALVES of them: of the kernels of tensor cores alone */
};

/* IN_OCCUPIED: which counts are not 0, whatever they are. IN_WORDS: `out`, of integers. */
enum times_result { IN_OUT, IN_DOUT, IN_COUNTS, IN_OCCUPIED, IN_WORDS };

struct times_case {
    const char *name; /* what it does; its row in the CSV */
    void (*launch)(const struct times_io *io);
    enum times_result result;
    size_t count; /* elements of the result that it writes */
};

/* One table per file of kernels; each ends with a name of NULL. */
extern const struct times_case stream_cases[], linear_cases[], stencil_cases[], scan_cases[],
    sparse_cases[], compute_cases[], memory_cases[], physics_cases[], layers_cases[],
    search_cases[], shapes_cases[], traffic_cases[], sorting_cases[], numerics_cases[],
    grids_cases[], picture_cases[], record_cases[], solver_cases[], inference_cases[],
    photo_cases[], letter_cases[], field_cases[], network_cases[], lecture_cases[], method_cases[],
    library_cases[], roof_cases[], way_cases[], tensor_cases[], warpgroup_cases[], other_cases[],
    product_cases[], pipeline_cases[], mixture_cases[];

static inline unsigned blocks_for(size_t threads, unsigned block)
{
    return (unsigned)((threads + block - 1) / block);
}

#define GLOBAL_ID (blockIdx.x * blockDim.x + threadIdx.x)

#endif
