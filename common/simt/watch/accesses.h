/* accesses.h - each load, store and atomic of a launch as a row: what it cost, what it would cost
 * at the least, and the requests of a warp that show why.
 *
 * A client of the machine's events. A row is an access of the source: its line, kind, width and
 * array; instructions that unrolling or inlining made of one access count in one row. Reports,
 * pages and the judge of exercises read the rows of the launch that ended last. */
#ifndef SIMT_ACCESSES_H
#define SIMT_ACCESSES_H

#include "machine/observer.h"

/* One request of one warp. Addresses are those of struct access_event. */
struct access_sample {
    struct simt_dim block;
    uint64_t block_number; /* x first */
    unsigned warp;
    lane_mask lanes;
    uint64_t address[WARP_LANES];
};

/* The requests of a row that cost the same. The sample is the first one: of the block with the
 * lowest number. So it does not depend on how many workers there are. */
struct access_class {
    unsigned cost; /* sectors in global memory, wavefronts in shared memory */
    uint64_t requests;
    struct access_sample sample;
};

struct access_row {
    const char *file; /* NULL and line 0 where the compiler named none */
    unsigned line, column;
    enum access_kind kind;
    enum ptx_space space; /* PTX_GLOBAL, PTX_SHARED, PTX_LOCAL or PTX_CONST */
    unsigned bytes;       /* of a lane */
    uint64_t requests;    /* warp instructions with at least one active lane */
    uint64_t lanes;       /* active ones, summed over the requests */
    uint64_t cost;        /* sectors or wavefronts; 0 in local and constant memory: not counted */
    uint64_t least;       /* what would do: see least_sectors() in accesses.c; of shared memory
                           * wavefronts without conflicts */
    uint64_t conflicts;
    uint64_t wanted_bytes; /* distinct bytes that lanes of a request asked for, summed */
    uint64_t uniform;      /* requests of several lanes that all asked for the same address ... */
    uint64_t uniform_low, uniform_high; /* ... the lowest and the highest of these; 0: none */
    bool repeated;   /* a warp made several requests by one of its instructions */
    bool least_once; /* all requests of one of its instructions cost the least */
    const struct access_class *classes; /* by cost, ascending */
    unsigned class_count;
    uint32_t pc; /* code index of the first instruction of the row */
    /* What it touches, or "": a shared or module variable's name, else "parameter 2" (of the
     * kernel, from 0: the pointer that leads there), else "". */
    char array[64];
    int parameter;       /* that number, or -1 */
    const void *made_at; /* where the allocation was made, for describe_line(); or NULL */
    uint64_t array_begin, array_bytes; /* the allocation; of shared memory the variable */
};

struct accesses;

/* counts_bytes: will somebody ask for wanted_bytes? They are 0 otherwise. */
struct accesses *accesses_open(bool counts_bytes);
void accesses_close(struct accesses *a);
const struct observer *accesses_observer(const struct accesses *a); /* for simt_observe() */

/* The rows of the last launch, by file, line and column; valid until the next one begins. */
unsigned accesses_rows(const struct accesses *a, const struct access_row **rows);
/* The class that costs most, or that most requests belong to. */
const struct access_class *accesses_worst(const struct access_row *row);
const struct access_class *accesses_typical(const struct access_row *row);
/* Fills in array, parameter, made_at, array_begin and array_bytes of a row whose space is known. */
void access_name_array(struct access_row *row, const struct launch_event *launch, uint64_t address);

#endif
