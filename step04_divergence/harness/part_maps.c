/* part_maps.c - how a block is cut into warps: the map that its threads report, against the rule.
 */
#include <math.h>
#include <stdio.h>

#include "step04_divergence/harness/parts.h"
#include "step04_divergence/harness/picture.h"

static bool check_map(const char *kernel, struct shape s, const struct placed *found)
{
    for (unsigned i = 0; i < shape_threads(s); i++) {
        const struct thread want = shape_thread(s, i / WARP * WARP), got = found[i].leader;
        if (got.x == want.x && got.y == want.y && got.z == want.z && found[i].lane == i % WARP)
            continue;
        fprintf(stderr,
                "%s: thread %u is lane %u of the warp of T(%u,%u,%u), but should be lane "
                "%u of the warp of T(%u,%u,%u)\n",
                kernel, i, found[i].lane, got.z, got.y, got.x, i % WARP, want.z, want.y, want.x);
        return false;
    }
    return true;
}

static void run_map(struct session *s, const struct kernel *k, struct shape shape)
{
    struct placed found[BLOCK_MAX];
    char block[48];
    map_run(shape, k->sabotaged, found);
    const unsigned threads = shape_threads(shape), warps = shape_warps(shape);
    struct row row = {EXPERIMENT_MAP,
                      k->name,
                      "-",
                      shape,
                      1,
                      warps,
                      0,
                      0,
                      0,
                      (double)threads / (WARP * warps),
                      NAN,
                      check_map(k->name, shape, found)};
    rows_add(s, &row);
    if (rows_quiet(s) || rows_brief(s))
        return;
    printf("Block %s: %u thread%s, %u warp%s\n", shape_text(shape, block, sizeof block), threads,
           threads == 1 ? "" : "s", warps, warps == 1 ? "" : "s");
    picture_block(stdout, shape, found);
    printf("\n");
}

void part_maps(struct session *s)
{
    const struct kernel *k = request_map_kernel(s->r);
    static const struct shape shapes[] = {{128, 1, 1}, {48, 1, 1}, {4, 4, 1}, {8, 8, 1}, {4, 8, 2}};
    if (!rows_quiet(s) && !rows_brief(s))
        printf("How a block is cut into warps (thread numbers: x first, then y, then z)\n\n");
    if (s->r->block.count > 0)
        run_map(s, k, s->r->shape);
    else
        for (size_t i = 0; i < COUNT(shapes); i++)
            run_map(s, k, shapes[i]);
}
