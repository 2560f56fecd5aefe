/* launch_columns.h - three columns that stand behind a lesson's counts on the simulator, none of
 * which this run measured: what the launches need at least, how long a model says they take, and
 * the time that a GPU of the simulated kind was recorded with for the same row. They are there with
 * SIMT_MODEL=1, and where a lesson calls launch_columns_keep().
 *
 * A lesson puts LAUNCH_COLUMNS last into its list of columns, opens its table with
 * launch_columns() of them, and calls launch_columns_set() for each row. On a GPU the three do not
 * exist. */
#ifndef COMMON_LAUNCH_COLUMNS_H
#define COMMON_LAUNCH_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "counters.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAUNCH_COLUMNS                                                                             \
    {"floor_ms", "at least", "ms", COLUMN_REAL, 4}, {"model_ms", "model", "ms", COLUMN_REAL, 4},   \
    {                                                                                              \
        "recorded_ms", "on a card", "ms", COLUMN_REAL, 4                                           \
    }

/* For a table that people read: recorded times are those of `problem` ("n=4000000"), since rows of
 * the simulator's size were not recorded; `words` name it below the table. modelled: the times of
 * this run's launches are modelled, too. Changes nothing on a GPU and with SIMT_MODEL=1. Both texts
 * must outlive the table. */
void launch_columns_keep(bool modelled, const char *problem, const char *words);
bool launch_columns_kept(void); /* did that change something? */

/* How many of `all` columns, LAUNCH_COLUMNS the last of them, are there. */
size_t launch_columns(size_t all);

/* In the row started last: the two computed times, and the recorded one, if there is one.
 * records: names of files of the recorded data, one blank between them, the first that has such a
 * row counts; NULL: there is none. key: the row, as "kernel=matmul_naive m=4096 n=4096 k=4096". */
void launch_columns_set(struct table *t, const struct launch_times *times, const char *records,
                        const char *key);

/* A value that a GPU of the simulated kind was recorded with, of the row with that key; NaN: none.
 */
double launch_recorded(const char *records, const char *key, const char *column);
void launch_recorded_explain(
    FILE *out); /* where the last one came from; nothing, if there was none */

/* Below a table: what the columns are, and where recorded times are from. Prints nothing where the
 * columns do not exist. */
void launch_columns_explain(FILE *out);

#ifdef __cplusplus
}
#endif

#endif
