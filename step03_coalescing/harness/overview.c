/* overview.c - see overview.h. */
#include "step03_coalescing/harness/overview.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/launch_columns.h"
#include "step03_coalescing/harness/rows.h"

static const struct {
    const char *kernel;
    size_t parameter; /* of the copies; the others have one row each */
} chosen[] = {
    {"copy_plain", 0},    {"copy_offset", 0},     {"copy_offset", 1},    {"copy_offset", 8},
    {"copy_stride", 2},   {"copy_stride", 8},     {"copy_stride", 32},   {"aos_one_field", 0},
    {"soa_one_field", 0}, {"transpose_naive", 0}, {"transpose_tile", 0}, {"transpose_padded", 0},
};

static const struct column columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"parameter", "offset or", "stride", COLUMN_INTEGER, 0},
    {"load", "load sectors", "a request", COLUMN_REAL, 2},
    {"store", "store sectors", "a request", COLUMN_REAL, 2},
    {"conflicts", "bank", "conflicts", COLUMN_INTEGER, 0},
    {"time_ms", "time", "ms", COLUMN_REAL, 4},
    {"of_copy", "of copy_plain's", "rate, %", COLUMN_REAL, 1},
    {"recorded", "recorded: of", "copy's rate, %", COLUMN_REAL, 1},
};

static bool is_chosen(const struct entry *e)
{
    const bool copies = strncmp(e->kernel->name, "copy_", 5) == 0;
    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
        if (strcmp(e->kernel->name, chosen[i].kernel) == 0 &&
            (!copies || e->trial.parameter == chosen[i].parameter))
            return true;
    }
    return false;
}

static double per_request(uint64_t sectors, uint64_t requests)
{
    return requests > 0 ? (double)sectors / (double)requests : NAN;
}

struct table *overview_open(void)
{
    struct table *t = table_open(columns, sizeof columns / sizeof columns[0]);
    table_leave_out(t, "time_ms");
    return t;
}

void overview_add(struct table *t, const struct entry *e, const struct result *r,
                  double copy_gb_per_s)
{
    if (!is_chosen(e) || !r->right)
        return;
    const struct traffic *counts = r->has_counts ? &r->counted : &r->predicted;
    char key[160];
    table_row(t);
    table_text(t, "kernel", e->kernel->name);
    if (strncmp(e->kernel->name, "copy_", 5) == 0)
        table_integer(t, "parameter", (int64_t)e->trial.parameter);
    table_measured(t, "load", per_request(counts->load_sectors, counts->load_requests));
    table_measured(t, "store", per_request(counts->store_sectors, counts->store_requests));
    table_integer(t, "conflicts", (int64_t)counts->bank_conflicts);
    table_measured(t, "time_ms", r->timing.median_ms);
    table_measured(t, "of_copy",
                   100 * timing_gb_per_s(&r->timing, rows_useful_bytes(e)) / copy_gb_per_s);
    if (!backend_is_sim())
        return;
    snprintf(key, sizeof key,
             strncmp(e->kernel->name, "copy_", 5) == 0 ? "experiment=%s kernel=%s parameter=%zu"
                                                       : "experiment=%s kernel=%s",
             e->kernel->experiment, e->kernel->name, e->trial.parameter);
    table_measured(t, "recorded", launch_recorded("step03.csv", key, "percent_of_copy"));
}

void overview_print(const struct table *t, const struct options *o, size_t rows_in_all)
{
    table_print_within(t, stdout, options_width(o));
    printf(
        "%zu of %zu rows; ./run --all shows all, --offset 1 one with its picture\n",
        table_rows(t), rows_in_all);
}
