/* exec_warpgroup.h - what wgmma.mma_async reads, for observers. */
#ifndef SIMT_EXEC_WARPGROUP_H
#define SIMT_EXEC_WARPGROUP_H

#include "exec/exec.h"
#include "exec/exec_types.h"

/* Tells the place in the block's shared memory of each 16 bytes that this warp's part of the
 * product reads. */
void exec_warpgroup_chunks(const struct warp *w, const struct insn *in,
                           void (*tell)(void *state, u32 offset), void *state);

#endif
