/* lines.h - counters of a launch, from the sites of its instructions: in all, and by source line.
 * For simt_launch.c. */
#ifndef SIMT_LINES_H
#define SIMT_LINES_H

#include "machine/warp.h"

/* Adds what a site has counted; `count` is the number of PTX instructions that a SITE_BLOCK stands
 * for. */
void lines_add_site(const struct site_info *info, const struct site *s, uint32_t count,
                    struct simt_counters *c);

void lines_visit(const struct kernel *k, const struct site *sites,
                 void (*visit)(void *state, const struct simt_line *line), void *state);

#endif
