/* rows.c - the rows of the CSV, and what all parts say alike (see parts.h). */
#include "step04_divergence/harness/parts.h"

#include <stdio.h>

static const char *const experiment_names[] = {"warp_map", "branch", "boundary"};

/* clang-format off */
static const struct column csv_columns[] = {
    {"experiment", NULL, NULL, COLUMN_TEXT, 0},
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"problem", NULL, NULL, COLUMN_TEXT, 0},
    {"block", NULL, NULL, COLUMN_TEXT, 0},
    {"blocks", NULL, NULL, COLUMN_INTEGER, 0},
    {"warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"divergent_warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"idle_warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"predicted_divergent_warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"divergent_percent", NULL, NULL, COLUMN_REAL, 2},
    {"lane_utilisation", NULL, NULL, COLUMN_REAL, 4},
    {"time_ms", NULL, NULL, COLUMN_REAL, 4},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
};
/* clang-format on */

struct table *rows_open(void) { return table_open(csv_columns, COUNT(csv_columns)); }

bool rows_quiet(const struct session *s) { return options_quiet(&s->r->o); }

bool rows_brief(const struct session *s)
{
    const struct request *r = s->r;
    return !r->all && !r->kernel && r->block.count == 0 && r->image.count == 0 && r->n == NOT_GIVEN;
}

const char *shape_text(struct shape s, char *text, size_t size)
{
    if (s.z > 1)
        snprintf(text, size, "%ux%ux%u", s.x, s.y, s.z);
    else if (s.y > 1)
        snprintf(text, size, "%ux%u", s.x, s.y);
    else
        snprintf(text, size, "%u", s.x);
    return text;
}

const char *problem_text(struct problem p, char *text, size_t size)
{
    if (p.height > 0)
        snprintf(text, size, "%lldx%lld", (long long)p.width, (long long)p.height);
    else
        snprintf(text, size, "%lld", (long long)p.width);
    return text;
}

void rows_add(struct session *s, const struct row *r)
{
    char block[48];
    table_row(s->csv);
    table_text(s->csv, "experiment", experiment_names[r->experiment]);
    table_text(s->csv, "kernel", r->kernel);
    table_text(s->csv, "problem", r->problem);
    table_text(s->csv, "block", shape_text(r->shape, block, sizeof block));
    table_integer(s->csv, "blocks", (int64_t)r->blocks);
    table_integer(s->csv, "warps", (int64_t)r->warps);
    table_integer(s->csv, "divergent_warps", (int64_t)r->divergent);
    table_integer(s->csv, "idle_warps", (int64_t)r->idle);
    table_integer(s->csv, "predicted_divergent_warps", (int64_t)r->predicted_divergent);
    table_real(s->csv, "divergent_percent", 100.0 * (double)r->divergent / (double)r->warps);
    table_measured(s->csv, "lane_utilisation", r->utilisation);
    table_measured(s->csv, "time_ms", r->time_ms);
    table_text(s->csv, "verified", r->right ? "yes" : "NO");
    s->all_right = s->all_right && r->right;
}

const char *rows_key(const struct row *r, char *key, size_t size)
{
    char block[48];
    snprintf(key, size, "experiment=%s kernel=%s problem=%s block=%s",
             experiment_names[r->experiment], r->kernel, r->problem,
             shape_text(r->shape, block, sizeof block));
    return key;
}

bool rows_agree(const char *kernel, const char *problem, const char *what, uint64_t predicted,
                uint64_t counted)
{
    if (predicted == counted)
        return true;
    fprintf(stderr, "%s, %s: %llu %s predicted, %llu counted\n", kernel, problem,
            (unsigned long long)predicted, what, (unsigned long long)counted);
    return false;
}
