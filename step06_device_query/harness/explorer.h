/* explorer.h - explains, resource by resource, how many blocks of a kernel one SM holds, what stops
 * the next one, and what one more register costs. Pure arithmetic. */
#ifndef STEP06_EXPLORER_H
#define STEP06_EXPLORER_H

#include "common/gpu/occupancy.h"
#include "common/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The four resources as rows of a table: what a block takes, what the SM has, how many blocks fit.
 * table_close() it. false: such a block cannot run. */
bool explorer_boxes(const struct gpu_limits *g, const struct occupancy_request *r,
                    struct table **boxes);

void explorer_explain(const struct gpu_limits *g, const struct occupancy_request *request);

#ifdef __cplusplus
}
#endif

#endif
