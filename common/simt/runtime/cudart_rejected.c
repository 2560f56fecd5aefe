/* cudart_rejected.c - the functions of the CUDA runtime that the simulator lacks: they say so, once
 * per call, and return cudaErrorNotSupported. */
#include "runtime/cudart.h"

enum topic {
#define TOPIC(topic, text) topic,
#define REJECTED(name, topic)
#include "runtime/cudart_rejected.def"
#undef TOPIC
#undef REJECTED
};

static cudaError_t reject(const char *call, enum topic topic)
{
    static const char *const texts[] = {
#define TOPIC(topic, text) [topic] = text,
#define REJECTED(name, topic)
#include "runtime/cudart_rejected.def"
#undef TOPIC
#undef REJECTED
    };
    return cuda_error_saying(cudaErrorNotSupported, call, "%s", texts[topic]);
}

/* The functions look at no argument, so they are defined without any, under names of their own that
 * the linker sees as CUDA's. */
#define TOPIC(topic, text)
#define REJECTED(name, topic)                                                                      \
    cudaError_t rejected_##name(void) __asm__(#name);                                              \
    cudaError_t rejected_##name(void) { return reject(#name, topic); }
#include "runtime/cudart_rejected.def"
