/* part_branches.c - branches and loops: votes and the simulator's branches against arithmetic. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/counters.h"
#include "common/launch_columns.h"
#include "step04_divergence/harness/parts.h"

/* clang-format off */
static const struct column branch_columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"condition", NULL, NULL, COLUMN_TEXT, 0},
    {"warps", NULL, NULL, COLUMN_INTEGER, 0},
    {"predicted", "divergent", "predicted", COLUMN_INTEGER, 0},
    {"voted", "divergent", "by vote", COLUMN_INTEGER, 0},
    {"branches_predicted", "div. branches", "predicted", COLUMN_INTEGER, 0},
    {"branches", "div. branches", "simulator", COLUMN_INTEGER, 0},
    {"issues", "issues", "per warp", COLUMN_REAL, 2},
    {"lanes", "lanes used", "%", COLUMN_REAL, 1},
    {"instructions", "instructions", "simulator", COLUMN_INTEGER, 0},
    {"time", NULL, "ms", COLUMN_REAL, 4},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    LAUNCH_COLUMNS,
};
/* clang-format on */

/* The warps' votes and the simulator's branches against arithmetic. */
static bool check_branch(const struct branch_case *c, const struct branch_run *run,
                         const struct branch_tally *want, uint64_t divergent_branches)
{
    const char *name = c->name, *place = c->condition;
    bool right = run->right;
    right &= rows_agree(name, place, "warps", want->warps, run->counted.warps);
    right &= rows_agree(name, place, "divergent warps", want->divergent, run->counted.divergent);
    right &= rows_agree(name, place, "issues", want->issues, run->counted.issues);
    right &= rows_agree(name, place, "active lanes", want->lanes, run->counted.lanes);
    if (run->has_counters && !c->short_arms)
        right &= rows_agree(name, place, "divergent branches", divergent_branches,
                            run->counters.divergent_branches);
    return right;
}

static void add_branch_row(struct table *t, const struct branch_case *c,
                           const struct branch_run *run, const struct branch_tally *want,
                           uint64_t divergent_branches, const struct row *row)
{
    char key[ROWS_KEY_MAX];
    table_row(t);
    table_text(t, "kernel", row->kernel);
    table_text(t, "condition", c->condition);
    table_integer(t, "warps", (int64_t)row->warps);
    table_integer(t, "predicted", (int64_t)want->divergent);
    table_integer(t, "voted", (int64_t)row->divergent);
    table_integer(t, "branches_predicted", (int64_t)divergent_branches);
    if (run->has_counters) {
        table_integer(t, "branches", (int64_t)run->counters.divergent_branches);
        table_integer(t, "instructions", (int64_t)run->counters.instructions);
    }
    if (!c->short_arms) /* no arm is issued for some of the lanes only */
        table_real(t, "issues", (double)run->counted.issues / (double)row->warps);
    table_measured(t, "lanes", 100 * row->utilisation);
    table_measured(t, "time", row->time_ms);
    table_text(t, "verified", row->right ? "yes" : "NO");
    launch_columns_set(t, &run->timing.times, STEP04_RECORDS, rows_key(row, key, sizeof key));
}

void part_branches(struct session *s)
{
    const bool sim = backend_is_sim();
    const unsigned threads = 256, blocks = sim ? 256 : 1 << 16, rounds = sim ? 256 : 1024;
    struct table *t = table_open(branch_columns, launch_columns(COUNT(branch_columns)));
    char problem[32];
    snprintf(problem, sizeof problem, "%u", blocks * threads);
    const struct branch_case *c;
    for (size_t which = 0; (c = branch_cases(which)) != NULL; which++) {
        if (s->r->kernel && strcmp(s->r->kernel->name, c->name) != 0)
            continue;
        uint64_t divergent_branches;
        const struct branch_run run = branch_measure(which, blocks, threads, rounds, &s->timing);
        const struct branch_tally want =
            branch_predict(which, blocks, threads, &divergent_branches);
        const struct row row = {
            EXPERIMENT_BRANCH,
            c->name,
            problem,
            {threads, 1, 1},
            blocks,
            run.counted.warps,
            run.counted.divergent,
            0,
            want.divergent,
            c->short_arms ? NAN : (double)run.counted.lanes / (double)(WARP * run.counted.issues),
            run.timing.median_ms,
            check_branch(c, &run, &want, divergent_branches)};
        rows_add(s, &row);
        add_branch_row(t, c, &run, &want, divergent_branches, &row);
    }
    if (!rows_quiet(s)) {
        printf("Branches and loops: %u blocks of %u threads, arms of %u rounds\n\n", blocks,
               threads, rounds);
        table_leave_out(t, "instructions predicted branches_predicted condition warps verified");
        table_print_within(t, stdout, options_width(&s->r->o));
        printf("\n");
    }
    table_close(t);
}
