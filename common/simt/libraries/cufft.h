/* cufft.h - a plan of our cuFFT, between cufft.c, which makes it, and cufft_execute.c. */
#ifndef SIMT_LIBRARIES_CUFFT_H
#define SIMT_LIBRARIES_CUFFT_H

#include <stdbool.h>
#include <stdint.h>

#include "include/cufft.h"
#include "runtime/library.h"

enum { AXES = 3 };

/* How a box lies in memory, in elements. */
struct layout {
    int64_t step[AXES], distance; /* from one number, from one transform, to the next */
    int64_t count;                /* from the first to the last number of a transform, with both */
};

struct plan {
    bool used, made;
    cudaStream_t stream;
    cufftType type;
    int64_t size[AXES]; /* slowest first; those in front that the plan lacks are 1 */
    int64_t batch;
    struct layout in, out;
};

struct plan *cufft_plan(cufftHandle handle); /* NULL: there is none */

static inline bool cufft_is_double(cufftType type)
{
    return type == CUFFT_D2Z || type == CUFFT_Z2D || type == CUFFT_Z2Z;
}

static inline bool cufft_is_real_to_complex(cufftType type)
{
    return type == CUFFT_R2C || type == CUFFT_D2Z;
}

static inline bool cufft_is_complex_to_real(cufftType type)
{
    return type == CUFFT_C2R || type == CUFFT_Z2D;
}

static inline int64_t cufft_half_of(int64_t n) { return n / 2 + 1; }

static inline int64_t cufft_last_axis(const struct plan *p, bool halved)
{
    return halved ? cufft_half_of(p->size[AXES - 1]) : p->size[AXES - 1];
}

#endif
