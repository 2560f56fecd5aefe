/* sample.h - a large launch by a sample of its blocks: counts are scaled, results are incomplete.
 *
 * Blocks at an edge of the grid often do less than those in the middle, so blocks are taken from
 * each of up to 27 classes: first, inner and last along x, y and z. What a class counted is
 * scaled to its size, exactly where its blocks are alike. A kernel whose blocks may wait for or
 * talk to each other cannot be sampled: it runs whole. Fences and barriers that concern one block
 * alone do not matter. */
#ifndef SIMT_SAMPLE_H
#define SIMT_SAMPLE_H

#include "machine/grid.h"

/* Why this launch must run whole: "a cooperative grid", "an atomic on global memory" ...; NULL: it
 * can be sampled. *line: where, 0 if not known. */
const char *sample_rejection(const struct kernel *k, const struct simt_launch *launch,
                             unsigned *line);

struct sample_result {
    uint64_t blocks, executed;
    bool exact; /* all blocks of each class counted the same */
};

/* As grid_run(): the whole grid, unless it has more than about `budget` warp instructions; then a
 * sample of a fortieth of them. */
bool sample_run(struct grid_pool *pool, const struct kernel *k, const struct simt_launch *launch,
                const struct grid_settings *settings, uint64_t budget, struct site *sites,
                struct sample_result *result, struct err *e);

#endif
