/* occupancy_table.h - the one table that every mode of this lesson prints, and the CSV's columns.
 *
 * The explorer, the worked examples and the cliff add rows; main() prints. */
#ifndef STEP06_OCCUPANCY_TABLE_H
#define STEP06_OCCUPANCY_TABLE_H

#include "common/gpu/occupancy.h"
#include "common/options.h"
#include "common/table.h"
#include "common/timing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* launches: the rows will be of kernels that run, so LAUNCH_COLUMNS may stand behind them. */
struct table *occupancy_table_open(bool launches);

/* timing: of a launch that moved so many bytes; NULL where none ran. */
void occupancy_table_add(struct table *t, const struct gpu_limits *g,
                         const struct occupancy_request *request, const struct occupancy *o,
                         const struct timing *timing, double bytes);

/* Computes the occupancy and adds its row. */
void occupancy_table_explore(struct table *t, const struct gpu_limits *g, unsigned block,
                             unsigned registers, uint64_t shared_bytes);

/* Three staircases from one starting point: registers per thread, threads of a block, and shared
 * bytes rise in turn up to the GPU's limits. A row where a step begins, and one at each end. */
void occupancy_table_staircase(struct table *t, const struct gpu_limits *g,
                               const struct occupancy_request *start);

/* JSON, CSV or text on stdout, as the options ask (no text where something better was printed), and
 * a CSV file beside it. source says where the numbers come from. false after one line on stderr. */
bool occupancy_table_report(const struct table *t, const struct options *o, bool json, bool text,
                            const char *source);

#ifdef __cplusplus
}
#endif

#endif
