/* curand_state.h - a generator of our cuRAND. Private to curand*.c. */
#ifndef SIMT_CURAND_STATE_H
#define SIMT_CURAND_STATE_H

#include <stdbool.h>

#include "base/handles.h"
#include "libraries/engine.h"

struct curandGenerator_st {
    struct handle handle;
    curandRngType_t type;
    bool on_host;
    cudaStream_t stream;
    uint64_t seed, offset, position; /* position: values so far, since the offset */
    unsigned dimensions;
    struct engine *engine; /* NULL: none yet, or a quasi-random sequence */
};

bool curand_is_quasi(curandRngType_t type);
bool curand_is_live(curandGenerator_t g);
/* Its engine is there afterwards, at the offset; of a quasi-random one there is none. */
void curand_make_engine(curandGenerator_t g);

#endif
