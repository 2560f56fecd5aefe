/* simt/rejected.h - what CUDA has and the simulator lacks, declared so that a program that uses it
 * is told which, and why. NVIDIA's headers, through nvcc, compile it; then the call says the same.
 */
#ifndef SIMT_REJECTED_H
#define SIMT_REJECTED_H

#define SIMT_WITHOUT(text) __attribute__((unavailable(text)))

/* Every function of the runtime that the library rejects. */
#define TOPIC(topic, text)
#define DECLARED(name, topic)
#define REJECTED(name, topic) extern "C" SIMT_WITHOUT("not simulated: " #topic) void name(...);
#include "../../runtime/cudart_rejected.def"
#undef TOPIC
#undef REJECTED

#endif
