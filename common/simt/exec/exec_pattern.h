/* exec_pattern.h - the pattern of an access that does not lie as its instruction's last one;
 * used by exec_address.c. */
#ifndef SIMT_EXEC_PATTERN_H
#define SIMT_EXEC_PATTERN_H

#include "exec/exec.h"

/* w->patterns[site] becomes the pattern of the active lanes' addresses: one that the instruction
 * has had before (machine/kept_patterns.h), or it is learned. */
void exec_pattern_change(struct warp *w, const struct insn *in, const uint64_t *address,
                         unsigned site);

#endif
