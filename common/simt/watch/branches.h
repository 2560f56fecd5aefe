/* branches.h - each conditional branch of a launch as a row: how often warps came, how often their
 * lanes parted, and which lanes went where. A client of the machine's events. */
#ifndef SIMT_BRANCHES_H
#define SIMT_BRANCHES_H

#include "machine/observer.h"

/* Executions with the same lanes, of which the same ones jumped. */
struct branch_class {
    lane_mask lanes, taken;
    uint64_t count;
    struct simt_dim block; /* the first one: of the block with the lowest number */
    uint64_t block_number;
    unsigned warp;
};

struct branch_row {
    const char *file; /* NULL and line 0 where the compiler named none */
    unsigned line, column;
    uint32_t pc;
    uint64_t executed, divergent;
    bool back;                          /* it jumps back: one execution is a round of a loop */
    uint64_t lanes;                     /* that came, summed over the executions */
    uint64_t ends;                      /* executions from which no lane jumped */
    unsigned most;                      /* lanes that came at a time */
    const struct branch_class *classes; /* the most frequent first */
    unsigned class_count;
    uint64_t others; /* executions of classes that found no room: an instruction has MOST_CLASSES */
};

enum { MOST_BRANCH_CLASSES = 64 };

struct branches;

struct branches *branches_open(void);
const struct observer *branches_observer(const struct branches *b);

/* The rows of the last launch, by file, line and code index; valid until the next one begins. */
unsigned branches_rows(const struct branches *b, const struct branch_row **rows);

#endif
