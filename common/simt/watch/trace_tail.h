/* trace_tail.h - the last steps of a warp in a long loop, until it is known which to keep.
 *
 * While a loop goes on, it is not known which rounds are its last: the steps wait in a ring, with
 * their values as they are. What falls out of the ring is left out of the trace; of it only the
 * words of shared memory stay that it has written. */
#ifndef SIMT_TRACE_TAIL_H
#define SIMT_TRACE_TAIL_H

#include "watch/rounds.h"
#include "watch/trace.h"

enum { TAIL_STEPS = 256, TAIL_ROUNDS = 2, TAIL_WAITING = 4, TAIL_WORDS = 4096 };

struct tail_step {
    struct trace_step step; /* whose indices mean nothing yet */
    struct trace_vector value[TRACE_REGISTERS];
    bool has_value[TRACE_REGISTERS], has_access;
    struct trace_access access;
    struct trace_vector address, written[4];
    bool has_written[4];
    struct trace_waiting waiting[TAIL_WAITING];
    bool begins_round;
    uint64_t round;
};

struct trace_tail {
    struct tail_step *ring; /* TAIL_STEPS of them */
    unsigned first, count;
    uint64_t left_out;       /* steps, */
    uint64_t first_left_out; /* the number of the first one */
    uint64_t first_round;
    uint32_t head;            /* code index of the loop */
    struct trace_word *words; /* of shared memory: what left-out steps have written there last */
    unsigned word_count;
};

/* Room for one more step, all zero; what is too old is left out. */
struct tail_step *tail_push(struct trace_tail *t, struct arena *arena, uint32_t shared_bytes);
struct tail_step *tail_newest(const struct trace_tail *t);
struct tail_step *tail_at(const struct trace_tail *t, unsigned i); /* 0: the oldest */
/* Leaves out all but the last rounds. */
void tail_trim(struct trace_tail *t);
void tail_clear(struct trace_tail *t);

#endif
