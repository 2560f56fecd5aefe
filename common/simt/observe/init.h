/* init.h - values that were never given: finds them where they decide something.
 *
 * Layer observe. Each byte of memory has a bit that says whether anything was stored there. A load
 * of bytes without a value is nothing yet: compilers copy padding, and load what they then do not
 * use. The register is marked, marks go where the value goes, and what is told is a mark in an
 * address, in a branch, or in a result that is stored in global memory. */
#ifndef SIMT_OBSERVE_INIT_H
#define SIMT_OBSERVE_INIT_H

#include "observe/check_state.h"

/* How marks pass through an instruction; made once per kernel. */
void init_inspect(struct check *c, const struct kernel *k);
void init_block_begin(struct check *c, struct checked_block *own, struct block *b, unsigned slot);
void init_block_free(struct checked_block *own);
/* Before an instruction: what it reads and writes. */
void init_step(struct check *c, struct checked_block *own, struct warp *w, uint32_t pc,
               lane_mask lanes);
/* After a shuffle: lanes that the block does not have give no value. */
void init_shuffle(struct check *c, struct checked_block *own, struct warp *w, uint32_t pc,
                  lane_mask lanes);
/* A barrier of the whole block opens. */
void init_barrier(struct check *c, struct checked_block *own, const struct block *b);
/* Does this load read values alone? False: perhaps not. */
bool init_shared_has_values(struct check *c, const struct checked_block *own,
                            const struct shared_load *load);
/* After a load or atomic; before a store. */
void init_access(struct check *c, struct checked_block *own, struct warp *w,
                 const struct access_event *e);
void init_store(struct check *c, struct checked_block *own, struct warp *w,
                const struct access_event *e);

#endif
