/* sm_state.h - the simulated SM of sm_view.c and sm_memory.c; for them alone. */
#ifndef SIMT_SM_STATE_H
#define SIMT_SM_STATE_H

#include "time/in_flight.h"
#include "time/sm_view.h"
#include "time/stretch.h"

enum { SCHEDULERS = 4 };

/* A value of a warp: when it can be read, who makes it, and what waiting for it is called. */
struct value {
    double ready;
    uint32_t pc;
    enum stall stall;
};

struct sm_block {
    unsigned number, live, arrived;
    double ends; /* the last of its warps so far */
};

/* A place of the SM for a warp. */
struct slot {
    struct sm_block *block; /* NULL: nobody is there */
    const struct stretch *at;
    unsigned op;
    uint32_t number;   /* of the warp: decides which rare ways it takes */
    unsigned *visited; /* per stretch */
    struct value *values;
    double since;  /* the end of its last state */
    double stored; /* when the last of its stores is done */
    struct in_flight in_flight;
    double free;     /* when it may go on behind its last instruction, */
    enum stall held; /* what holds it until then, */
    uint32_t held_by;
    double ready; /* when its next instruction has all it reads; NEVER: at a barrier */
    enum stall stall;
    uint32_t cause;
};

struct sm_pipes {
    double issue, alu, fma, fp64, xu, tensor;
};

struct sm {
    struct scheduler s;
    const struct sm_view_input *in;
    struct sm_view *out;
    struct slot *slots;
    struct sm_block *blocks;
    struct sm_pipes pipes[SCHEDULERS];
    double l1, l2, dram, atomics, next_block;
    unsigned begun, issues;
    uint32_t warps; /* begun */
};

/* When the pipes take the instruction; *stall: what it waits for until then. */
double sm_when_free(const struct sm *sm, const struct sm_pipes *p, const struct op *op,
                    enum stall *stall);
void sm_use_pipes(const struct sm *sm, struct sm_pipes *p, const struct op *op, double now);
/* A request to memory: returns when what it asks for is there. */
double sm_use_memory(struct sm *sm, const struct slot *w, const struct op *op, double now);
/* threadIdx and the like: they come as slowly as shared memory. */
bool sm_reads_special(const struct op *op);
/* What waiting for its result is called. */
enum stall sm_stall_of(const struct op *op);
/* From 0 to 1, the same for the same two numbers. */
double sm_share_of(uint32_t a, uint32_t b);

#endif
