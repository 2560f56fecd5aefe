/* rows.c - see rows.h. */
#include "step02_tiled/harness/rows.h"

#include <stdio.h>

#include "common/launch_columns.h"

static const struct column columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"m", NULL, NULL, COLUMN_INTEGER, 0},
    {"n", NULL, NULL, COLUMN_INTEGER, 0},
    {"k", NULL, NULL, COLUMN_INTEGER, 0},
    {"time_ms", "time", "ms", COLUMN_REAL, 4},
    {"gflops", NULL, "GFLOPS", COLUMN_REAL, 1},
    {"percent_of_peak", "of peak", "%", COLUMN_REAL, 1},
    {"global_load_requests", "load requests", NULL, COLUMN_INTEGER, 0},
    {"load_sectors_per_request", "sectors", "per request", COLUMN_REAL, 2},
    {"global_load_sectors", "load sectors", NULL, COLUMN_INTEGER, 0},
    {"shared_wavefronts", "shared", "wavefronts", COLUMN_INTEGER, 0},
    {"bank_conflicts", "bank", "conflicts", COLUMN_INTEGER, 0},
    {"max_rel_error", "max error", "relative", COLUMN_GENERAL, 2},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    LAUNCH_COLUMNS,
};

struct table *rows_open(void)
{
    struct table *t = table_open(columns, launch_columns(sizeof columns / sizeof columns[0]));
    table_leave_out(t, launch_columns_kept()
                           ? "max_rel_error verified"
                           : "max_rel_error global_load_sectors global_load_requests verified");
    return t;
}

static void add_counts(struct table *t, const struct launch_counters *c)
{
    table_integer(t, "global_load_requests", (int64_t)c->global_load_requests);
    if (c->global_load_requests > 0)
        table_real(t, "load_sectors_per_request",
                   (double)c->global_load_sectors / (double)c->global_load_requests);
    table_integer(t, "global_load_sectors", (int64_t)c->global_load_sectors);
    table_integer(t, "shared_wavefronts",
                  (int64_t)(c->shared_load_wavefronts + c->shared_store_wavefronts));
    table_integer(t, "bank_conflicts",
                  (int64_t)(c->shared_load_conflicts + c->shared_store_conflicts));
}

void rows_add(struct table *t, const char *kernel, struct matmul_shape s, const struct result *r,
              double peak_gflops)
{
    const double operations = 2.0 * (double)s.m * (double)s.n * (double)s.k;
    table_row(t);
    table_text(t, "kernel", kernel);
    table_integer(t, "m", (int64_t)s.m);
    table_integer(t, "n", (int64_t)s.n);
    table_integer(t, "k", (int64_t)s.k);
    table_text(t, "verified", r->skipped ? "skipped" : r->verdict.ok ? "yes" : "NO");
    if (r->skipped || !r->verdict.ok)
        return;
    table_real(t, "max_rel_error", r->verdict.max_rel_error);
    if (r->timing.has_time) {
        const double gflops = timing_gflops(&r->timing, operations);
        table_measured(t, "time_ms", r->timing.median_ms);
        table_measured(t, "gflops", gflops);
        if (peak_gflops > 0.0)
            table_measured(t, "percent_of_peak", 100.0 * gflops / peak_gflops);
    }
    char key[128];
    snprintf(key, sizeof key, "kernel=%s m=%zu n=%zu k=%zu", kernel, s.m, s.n, s.k);
    launch_columns_set(t, &r->times,
                       "step02_ladder.csv step02_sizes.csv step02_ragged.csv step02_shapes.csv",
                       key);
    if (r->has_counters)
        add_counts(t, &r->counters);
}
