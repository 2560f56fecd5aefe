/* dependents.h - griddepcontrol: which threads of a launch have waited for the launch before it in
 * its stream, and which have let the next one begin. For launch_bytes.c.
 *
 * A thread has done so if it has executed the instruction, or has come together with one that has:
 * at a barrier of the block or cluster, an mbarrier, __syncwarp(); in a cooperative launch, at any
 * barrier. So a thread may count as ordered that is not, and none counts as unordered that is.
 *
 * Layer watch. */
#ifndef SIMT_DEPENDENTS_H
#define SIMT_DEPENDENTS_H

#include "machine/observer.h"

/* Which threads have executed one of the two instructions, or know of it. */
struct dependents_mark {
    lane_mask *lanes; /* of each warp; NULL: the kernel has neither instruction */
    uint8_t *blocks;  /* what is known of each */
    bool everybody;
};

struct dependents {
    struct dependents_mark waited, let_go;
    uint64_t block_count;
    unsigned warps; /* of a block */
    bool grid_waits;
};

/* Has the kernel such an instruction? */
bool dependents_begin(struct dependents *d, const struct launch_event *launch);
void dependents_end(struct dependents *d);

/* At an instruction of the kernel; true: these lanes wait, and nobody of the block has let the next
 * launch begin yet. */
bool dependents_step(struct dependents *d, const struct warp *w, uint32_t pc, lane_mask lanes);
void dependents_warp(struct dependents *d, const struct warp *w, lane_mask lanes);
void dependents_block(struct dependents *d, struct block *b);
void dependents_cluster(struct dependents *d, const struct cluster *c);

/* Of these lanes, those that have not waited; those that have let the next launch begin. */
lane_mask dependents_ahead(const struct dependents *d, const struct warp *w, lane_mask lanes);
lane_mask dependents_behind(const struct dependents *d, const struct warp *w, lane_mask lanes);

#endif
