/* properties.h - everything a device says about itself, as one list that text and JSON share.
 *
 * Pure: works on struct gpu_limits, whether a CUDA device or a profile filled it. */
#ifndef STEP06_PROPERTIES_H
#define STEP06_PROPERTIES_H

#include "common/gpu/gpu_limits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "  threads per block   1024" and so on, with derived peaks and the balance of the two. */
void properties_print(const struct gpu_limits *g);
void properties_print_brief(const struct gpu_limits *g); /* a dozen of them */

/* One JSON object, without a newline behind it. */
void properties_write_json(const struct gpu_limits *g);

#ifdef __cplusplus
}
#endif

#endif
