/* trace.h - one block of a launch, recorded step by step: for pages that play it.
 *
 * A client of the machine's events. A step is a PTX instruction that a warp executed: its lanes,
 * where the warp's other lanes wait meanwhile, the value that it wrote, the access that it made.
 * Lists of 32 numbers are kept once each and named by their index.
 *
 * Of a long loop the first and the last rounds are kept (rounds.h, trace_tail.h): a gap says what
 * is left out between them. */
#ifndef SIMT_TRACE_H
#define SIMT_TRACE_H

#include "base/arena.h"
#include "machine/observer.h"

enum {
    TRACE_NOTHING = -1,
    TRACE_REGISTERS = 8 /* of an instruction: fragments of wmma have as many; others write fewer */
};

struct trace_vector {
    uint64_t lane[WARP_LANES];
};

/* Lanes of the warp that are not running: those that wait for others, and those whose turn comes.
 */
struct trace_waiting {
    lane_mask lanes;
    uint32_t pc;
    bool blocked; /* at __syncwarp() or the like, until others come; else where lanes come together
                   */
    bool ready;   /* they could run: it is not their turn */
};

struct trace_access {
    enum access_kind kind;
    enum ptx_space space;
    unsigned bytes;
    lane_mask lanes;
    int address; /* vector: as in struct access_event */
    struct site cost;
    int written[4]; /* vectors of the words that shared memory holds there afterwards; NOTHING */
};

struct trace_step {
    uint32_t pc;
    unsigned warp;
    lane_mask lanes;  /* whose guard holds */
    lane_mask active; /* that are here */
    lane_mask taken;  /* of a branch */
    int waiting;      /* first of `waiting`, or NOTHING */
    unsigned waiting_count;
    int value[TRACE_REGISTERS]; /* vectors: what the destination registers hold afterwards; NOTHING
                                 */
    int access;                 /* or NOTHING */
    uint64_t number;            /* of the block's steps, from 0: they stand in this order */
};

/* A word of shared memory as the step of a number has written it. */
struct trace_word {
    uint32_t word, value;
    uint64_t number;
    bool known;
};

/* Rounds first_round to last_round of a warp's loop, which are left out before a step. */
struct trace_gap {
    unsigned warp;
    uint64_t before;   /* the number of that step */
    uint64_t left_out; /* steps */
    uint64_t first_round, last_round;
    uint64_t first_left_out;  /* the number of the first one */
    uint32_t head;            /* code index of the loop's first instruction */
    struct trace_word *words; /* what the left-out steps have written last */
    unsigned word_count;
    bool more_words; /* than there was room for, behind these */
};

struct trace_warp;

struct trace {
    struct observer observer;
    /* what to record, set before a launch */
    bool wanted;
    uint64_t block_number;
    int only_warp;  /* -1: all of the block */
    unsigned limit; /* steps */
    /* what was recorded; valid until forgotten */
    struct arena arena;
    const struct kernel *kernel;
    struct simt_dim block_index;
    unsigned warp_count;
    unsigned played; /* the first warps, whose steps are all here; of others what they share */
    uint32_t shared_bytes;
    struct trace_step *steps;
    unsigned step_count, step_capacity;
    uint64_t steps_of_block; /* how many there were, recorded or not */
    struct trace_access *accesses;
    unsigned access_count, access_capacity;
    struct trace_waiting *waiting;
    unsigned waiting_count, waiting_capacity;
    struct trace_vector *vectors;
    unsigned vector_count, vector_capacity;
    unsigned *vector_slots, slot_count; /* hash table: index + 1, 0 empty */
    struct trace_gap *gaps;
    unsigned gap_count, gap_capacity;
    struct trace_warp *warps; /* while the block runs */
    bool cut;                 /* the limit came first */
};

void trace_init(struct trace *t);
/* Gives up what was recorded; the next launch is recorded if `wanted` is set. */
void trace_forget(struct trace *t);

/* The same with the steps of the first warps alone, and of each of them at most so many (0: all),
 * its first ones and its last; of all others, those that write shared memory. A gap without rounds
 * says how many are left out. It lives as long as the trace does. */
void trace_part(struct trace *t, unsigned warps, unsigned most_steps, struct trace *part);

/* The registers that an instruction writes, at most TRACE_REGISTERS, with their types; returns how
 * many. The code index is a step's. */
struct trace_register {
    const char *name;
    enum ptx_type type;
    uint32_t ref; /* where it lies in the warp's frame; NO_REF: nowhere */
};
unsigned trace_registers(const struct kernel *k, uint32_t pc,
                         struct trace_register out[TRACE_REGISTERS]);
/* "add.s32 %r3, %r1, %r2", with its guard; cut to size. */
void trace_text(const struct ptx_insn *in, char *text, size_t size);

#endif
