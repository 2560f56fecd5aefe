/* rows.c - rows of the tables (see rows.h). */
#include "step03_coalescing/harness/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/launch_columns.h"

/* clang-format off */
const struct column rows_csv_columns[ROWS_CSV_COLUMNS] = {
    {"experiment", NULL, NULL, COLUMN_TEXT, 0},
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"parameter", NULL, NULL, COLUMN_INTEGER, 0},
    {"element_bytes", NULL, NULL, COLUMN_INTEGER, 0},
    {"n", NULL, NULL, COLUMN_INTEGER, 0},
    {"time_ms", NULL, NULL, COLUMN_REAL, 4},
    {"gb_per_s", NULL, NULL, COLUMN_REAL, 0},
    {"percent_of_copy", NULL, NULL, COLUMN_REAL, 1},
    {"load_requests", NULL, NULL, COLUMN_INTEGER, 0},
    {"load_sectors", NULL, NULL, COLUMN_INTEGER, 0},
    {"load_sectors_per_request", NULL, NULL, COLUMN_REAL, 3},
    {"store_sectors_per_request", NULL, NULL, COLUMN_REAL, 3},
    {"bus_efficiency", NULL, NULL, COLUMN_REAL, 3},
    {"bank_conflicts", NULL, NULL, COLUMN_INTEGER, 0},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    LAUNCH_COLUMNS,
};
const struct column rows_text_columns[ROWS_TEXT_COLUMNS] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"parameter", NULL, NULL, COLUMN_INTEGER, 0},
    {"bytes", NULL, NULL, COLUMN_INTEGER, 0},
    {"time", NULL, "ms", COLUMN_REAL, 4},
    {"rate", NULL, "GB/s", COLUMN_REAL, 0},
    {"of_copy", "of copy", "%", COLUMN_REAL, 1},
    {"requests", "load", "requests", COLUMN_INTEGER, 0},
    {"load_predicted", "load s/r", "predicted", COLUMN_REAL, 2},
    {"load_counted", "load s/r", "counted", COLUMN_REAL, 2},
    {"store_predicted", "store s/r", "predicted", COLUMN_REAL, 2},
    {"store_counted", "store s/r", "counted", COLUMN_REAL, 2},
    {"efficiency", "bus used %", NULL, COLUMN_REAL, 1},
    {"conflicts", "bank conflicts", NULL, COLUMN_INTEGER, 0},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    LAUNCH_COLUMNS,
};
/* clang-format on */

void rows_name_source(struct column *columns, bool counted)
{
    for (int i = 0; i < ROWS_TEXT_COLUMNS; i++) {
        if (strcmp(columns[i].name, "efficiency") == 0 || strcmp(columns[i].name, "conflicts") == 0)
            columns[i].unit = counted ? "counted" : "predicted";
    }
}

static double ratio(double part, double whole) { return whole > 0 ? part / whole : NAN; }

double rows_useful_bytes(const struct entry *e)
{
    const double per_element = e->kernel->useful_bytes;
    return (double)e->trial.n * (per_element > 0 ? per_element : 2.0 * e->trial.element_bytes);
}

static double sectors_per_load(const struct traffic *t)
{
    return ratio((double)t->load_sectors, (double)t->load_requests);
}

static double sectors_per_store(const struct traffic *t)
{
    return ratio((double)t->store_sectors, (double)t->store_requests);
}

/* Share of the moved bytes that was wanted. */
static double bus_efficiency(const struct entry *e, const struct traffic *t)
{
    return ratio(rows_useful_bytes(e), 32.0 * (double)(t->load_sectors + t->store_sectors));
}

static void add_times(struct table *table, const struct entry *e, const struct result *r)
{
    char key[256];
    snprintf(key, sizeof key, "experiment=%s kernel=%s parameter=%zu element_bytes=%u n=%zu",
             e->kernel->experiment, e->kernel->name, e->trial.parameter, e->trial.element_bytes,
             e->trial.n);
    launch_columns_set(table, &r->timing.times, "step03.csv", key);
}

void rows_add_text(struct table *table, const struct entry *e, const struct result *r,
                   double copy_gb_per_s)
{
    const double gb_per_s = timing_gb_per_s(&r->timing, rows_useful_bytes(e));
    table_row(table);
    table_text(table, "kernel", e->kernel->name);
    table_integer(table, "parameter", (int64_t)e->trial.parameter);
    table_integer(table, "bytes", e->trial.element_bytes);
    table_measured(table, "time", r->timing.median_ms);
    table_measured(table, "rate", gb_per_s);
    table_measured(table, "of_copy", 100 * gb_per_s / copy_gb_per_s);
    table_text(table, "verified", r->right ? "yes" : "NO");
    add_times(table, e, r);
    if (!e->kernel->predict)
        return;
    table_integer(table, "requests", (int64_t)r->predicted.load_requests);
    table_measured(table, "load_predicted", sectors_per_load(&r->predicted));
    table_measured(table, "store_predicted", sectors_per_store(&r->predicted));
    const struct traffic *best = r->has_counts ? &r->counted : &r->predicted;
    table_measured(table, "efficiency", 100 * bus_efficiency(e, best));
    table_integer(table, "conflicts", (int64_t)best->bank_conflicts);
    if (!r->has_counts)
        return;
    table_measured(table, "load_counted", sectors_per_load(&r->counted));
    table_measured(table, "store_counted", sectors_per_store(&r->counted));
}

void rows_add_csv(struct table *table, const struct entry *e, const struct result *r,
                  double copy_gb_per_s)
{
    const struct traffic *t = r->has_counts ? &r->counted : &r->predicted;
    const double gb_per_s = timing_gb_per_s(&r->timing, rows_useful_bytes(e));
    table_row(table);
    table_text(table, "experiment", e->kernel->experiment);
    table_text(table, "kernel", e->kernel->name);
    table_integer(table, "parameter", (int64_t)e->trial.parameter);
    table_integer(table, "element_bytes", e->trial.element_bytes);
    table_integer(table, "n", (int64_t)e->trial.n);
    table_measured(table, "time_ms", r->timing.median_ms);
    table_measured(table, "gb_per_s", gb_per_s);
    table_measured(table, "percent_of_copy", 100 * gb_per_s / copy_gb_per_s);
    table_text(table, "verified", r->right ? "yes" : "NO");
    add_times(table, e, r);
    if (!e->kernel->predict)
        return;
    table_integer(table, "load_requests", (int64_t)t->load_requests);
    table_integer(table, "load_sectors", (int64_t)t->load_sectors);
    table_measured(table, "load_sectors_per_request", sectors_per_load(t));
    table_measured(table, "store_sectors_per_request", sectors_per_store(t));
    table_measured(table, "bus_efficiency", bus_efficiency(e, t));
    table_integer(table, "bank_conflicts", (int64_t)t->bank_conflicts);
}
