/* latency.h - how long a warp waits for an instruction of memory: by the space it is in, by what
 * the model's caches say of its code index, and by the wavefronts that were counted. */
#ifndef SIMT_LATENCY_H
#define SIMT_LATENCY_H

#include "time/model.h"

struct latency_state {
    const struct model_input *in;
    const struct gpu_rates *rates;
    double resident; /* share of the data that the L2 holds when the launch begins */
};

/* A chain_latency; state: a struct latency_state. */
struct chain_wait memory_latency(void *state, uint32_t pc, const struct ptx_insn *insn);

#endif
