/* rows.h - the table of this lesson: one row for a rung on a product. */
#ifndef STEP02_ROWS_H
#define STEP02_ROWS_H

#include "common/counters.h"
#include "common/table.h"
#include "step02_tiled/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

struct result {
    bool skipped;
    struct matmul_verdict verdict;
    struct timing timing;
    struct launch_counters counters;
    bool has_counters;
    struct launch_times times; /* on the simulator: at least, and modelled */
};

struct table *rows_open(void);
/* Numbers appear only if the result was verified; peak_gflops 0: unknown. */
void rows_add(struct table *t, const char *kernel, struct matmul_shape s, const struct result *r,
              double peak_gflops);

#ifdef __cplusplus
}
#endif

#endif
