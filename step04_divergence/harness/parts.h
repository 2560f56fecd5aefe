/* parts.h - the parts of this lesson's run, and what they share: a row of the CSV, a complaint.
 *
 * main.c calls the parts; each prints its tables unless CSV has stdout, and adds its rows. */
#ifndef STEP04_PARTS_H
#define STEP04_PARTS_H

#include "common/table.h"
#include "common/timing.h"
#include "step04_divergence/harness/request.h"

struct session {
    const struct request *r;
    struct timing_options timing;
    struct table *csv;
    bool all_right;
};

void part_maps(struct session *s);
void part_branches(struct session *s);
void part_boundaries(struct session *s);
/* One warp through an if, a loop or a lock; has a CSV of its own. Returns the exit code. */
int part_watch(const struct request *r, enum watch_kind kind, const uint32_t wants[32]);

/* --- rows.c
 * -------------------------------------------------------------------------------------*/

struct problem {
    int64_t width, height; /* height 0: a vector of width elements */
};

struct row {
    enum experiment experiment;
    const char *kernel, *problem;
    struct shape shape;
    uint64_t blocks, warps, divergent, idle, predicted_divergent;
    double utilisation, time_ms; /* NAN: does not exist */
    bool right;
};

struct table *rows_open(void);
void rows_add(struct session *s, const struct row *r);
/* false, after one line on stderr, if they differ. */
bool rows_agree(const char *kernel, const char *problem, const char *what, uint64_t predicted,
                uint64_t counted);
bool rows_quiet(const struct session *s);
/* Nothing was asked for: all parts are run and checked, and the branches are shown. */
bool rows_brief(const struct session *s);
/* The row as launch_columns_set() looks for it in the files of STEP04_RECORDS. Returns key. */
enum { ROWS_KEY_MAX = 256 };
#define STEP04_RECORDS "step04.csv"
const char *rows_key(const struct row *r, char *key, size_t size);
const char *shape_text(struct shape s, char *text, size_t size);
const char *problem_text(struct problem p, char *text, size_t size);

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

#endif
