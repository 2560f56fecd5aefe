/* step04_divergence - when do the lanes of a warp disagree, and what does that cost?
 *
 * The kernels stand in the lesson's folder: warp_map.cuh, branches.cuh, guards.cuh, watched.cuh.
 * Here they are run. Three parts: how a block is cut into warps; conditions and loops; boundary
 * checks. Every count comes from a kernel on the device (the warps vote), from arithmetic, and on
 * the simulator also from the branches it executed: all must agree. */
#include <stdio.h>

#include "common/launch_columns.h"
#include "common/report.h"
#include "step04_divergence/harness/parts.h"

static int run_lesson(const struct request *r)
{
    struct session s = {r, {r->o.warmup, r->o.repeats, 1, false}, NULL, true};
    char provenance[256];
    s.csv = rows_open();
    if (rows_brief(&s) && !rows_quiet(&s))
        launch_columns_keep(true, "problem=16777216", "arms of 1024 rounds");
    if (request_wants(r, EXPERIMENT_MAP))
        part_maps(&s);
    if (request_wants(r, EXPERIMENT_BRANCH))
        part_branches(&s);
    if (request_wants(r, EXPERIMENT_BOUNDARY))
        part_boundaries(&s);
    if (!rows_quiet(&s) && rows_brief(&s))
        printf("Also run and checked: how blocks are cut into warps, and boundary checks.\n"
               "./run --all shows them; --split 4, --trips 6,7,8 and --lock 3 draw one warp\n");
    if (!rows_quiet(&s))
        printf("%s\n", report_provenance(provenance, sizeof provenance));
    if (!rows_quiet(&s))
        launch_columns_explain(stdout);
    const bool written = report_csv(s.csv, &r->o);
    table_close(s.csv);
    return !written ? 2 : s.all_right ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct request r = {.n = NOT_GIVEN};
    uint32_t wants[32];
    enum watch_kind kind;
    const int code = request_read(&r, argc, argv);
    if (code >= 0)
        return code;
    options_banner(&r.o);
    if (request_watches(&r, &kind, wants))
        return part_watch(&r, kind, wants);
    return run_lesson(&r);
}
