/* explorer.h - explains, resource by resource, how many blocks of a kernel one SM holds, what stops
 * the next one, and what one more register costs. Pure arithmetic. */
#ifndef STEP06_EXPLORER_H
#define STEP06_EXPLORER_H

#include "common/gpu/occupancy.h"

#ifdef __cplusplus
extern "C" {
#endif

void explorer_explain(const struct gpu_limits *g, const struct occupancy_request *request);

#ifdef __cplusplus
}
#endif

#endif
