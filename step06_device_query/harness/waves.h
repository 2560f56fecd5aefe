/* waves.h - a grid that is larger than the GPU holds at once, wave by wave, and the tail of the
 * last. Pure arithmetic: all blocks are taken to last equally long. */
#ifndef STEP06_WAVES_H
#define STEP06_WAVES_H

#include "common/options.h"
#include "common/gpu/occupancy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws it, or prints CSV or JSON, as the options ask. `o` is of one `block`, which can run. false
 * after one line on stderr: a file cannot be written. */
bool waves_report(const struct gpu_limits *g, const struct occupancy_request *block,
                  const struct occupancy *o, uint64_t blocks, const struct options *options,
                  bool json, const char *source);

#ifdef __cplusplus
}
#endif

#endif
