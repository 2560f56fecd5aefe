/* trace_wanted.h - which block and warp the player shall have: what SIMT_TRACE says. */
#ifndef SIMT_TRACE_WANTED_H
#define SIMT_TRACE_WANTED_H

#include "api/simt.h"
#include "base/err.h"

struct trace_wanted {
    bool has_dimensions; /* the block is x, y, z; else block.x is its number */
    struct simt_dim block;
    int only_warp; /* -1: all */
};

/* "5", "5:2", "1,3,0:2"; false: with a message that says what would be right. */
bool trace_wanted_read(const char *text, struct trace_wanted *w, struct err *e);

#endif
