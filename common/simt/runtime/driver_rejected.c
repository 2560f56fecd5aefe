/* driver_rejected.c - the functions of the driver API that the simulator lacks: they say so, once
 * per call, and return CUDA_ERROR_NOT_SUPPORTED. */
#include "runtime/driver.h"

enum topic {
#define TOPIC(topic, text) topic,
#define REJECTED(name, topic)
#include "runtime/driver_rejected.def"
#undef TOPIC
#undef REJECTED
};

static CUresult reject(const char *call, enum topic topic)
{
    static const char *const texts[] = {
#define TOPIC(topic, text) [topic] = text,
#define REJECTED(name, topic)
#include "runtime/driver_rejected.def"
#undef TOPIC
#undef REJECTED
    };
    return driver_reject(CUDA_ERROR_NOT_SUPPORTED, call, "%s", texts[topic]);
}

/* The functions look at no argument, so they are defined without any, under names of their own that
 * the linker sees as CUDA's. */
#define TOPIC(topic, text)
#define REJECTED(name, topic)                                                                      \
    CUresult rejected_##name(void) __asm__(#name);                                                 \
    CUresult rejected_##name(void) { return reject(#name, topic); }
#include "runtime/driver_rejected.def"
