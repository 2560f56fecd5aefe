/* rows.h - a result as a row of the table for people, and of the CSV for charts. Used by main.cu.
 */
#ifndef STEP03_ROWS_H
#define STEP03_ROWS_H

#include "common/table.h"
#include "step03_coalescing/harness/run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ROWS_CSV_COLUMNS = 18, ROWS_TEXT_COLUMNS = 17 }; /* with LAUNCH_COLUMNS */
enum { ROWS_PARAMETER = 1 }; /* the text column whose title depends on the experiment */
extern const struct column rows_csv_columns[ROWS_CSV_COLUMNS];
extern const struct column rows_text_columns[ROWS_TEXT_COLUMNS];

/* Says below the titles of `bus used` and `bank conflicts` whether they are counted (simulator) or
 * predicted (a GPU, which counts nothing that a program could read). */
void rows_name_source(struct column *columns, bool counted);

/* copy_gb_per_s: the rate of copy_plain in this run, NaN where nothing is timed. */
void rows_add_text(struct table *table, const struct entry *e, const struct result *r,
                   double copy_gb_per_s);
/* Counts of the simulator where it ran; on a GPU, which counts nothing that a program could read,
 * the predictions, which compare_ncu.sh holds against the GPU's own counters. */
void rows_add_csv(struct table *table, const struct entry *e, const struct result *r,
                  double copy_gb_per_s);

/* Bytes that the program wants moved, reads and writes together. */
double rows_useful_bytes(const struct entry *e);

#ifdef __cplusplus
}
#endif

#endif
