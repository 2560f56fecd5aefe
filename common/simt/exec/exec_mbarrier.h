/* exec_mbarrier.h - for those whose copies complete on an mbarrier. */
#ifndef SIMT_EXEC_MBARRIER_H
#define SIMT_EXEC_MBARRIER_H

#include "exec/exec.h"

/* So many bytes have come, for the barrier at that address of shared::cluster; false after a fault.
 */
bool exec_mbarrier_complete(struct warp *w, const struct insn *in, unsigned lane, uint64_t address,
                            uint32_t bytes);

#endif
