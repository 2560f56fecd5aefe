/* exec_mbarrier.h - mbarriers, for the files whose copies complete on one. */
#ifndef SIMT_EXEC_MBARRIER_H
#define SIMT_EXEC_MBARRIER_H

#include "exec/exec.h"

/* So many bytes have come, for the barrier at that address of shared::cluster; false after a fault.
 */
bool exec_mbarrier_complete(struct warp *w, const struct insn *in, unsigned lane, uint64_t address,
                            uint32_t bytes);

#endif
