/* protocol.h - what the judge and a learner's program in its box say to each other.
 *
 * Two pipes, frames of a head and bytes. The judge asks: call this function, tell this variable.
 * While a function runs, the program asks the judge for everything that concerns the GPU, for the
 * GPU (simulated or not), its memory and the kernels belong to the judge. The program's answers are
 * claims: the judge verifies them, and nothing that it says is a verdict. */
#ifndef JUDGE_BOXED_PROTOCOL_H
#define JUDGE_BOXED_PROTOCOL_H

#include <stdint.h>

enum {
    BOX_READS = 3,  /* the program's end of the judge's pipe */
    BOX_WRITES = 4, /* and of its own */
    BOX_ARGUMENTS = 8,
    BOX_PARAMETERS = 64, /* of a kernel */
    BOX_NAME = 480
};
#define BOX_MOST_BYTES (UINT32_C(1) << 28) /* of a frame */

enum box_frame_kind {
    BOX_READY,    /* program: its initialisers have run */
    BOX_CALL,     /* judge: struct box_call, then each array's bytes */
    BOX_TABULATE, /* judge: struct box_call, `rounds` rows of `count` values */
    BOX_READ,     /* judge: struct box_variable */
    BOX_RESULT,   /* program: the value (or values), then the arrays that are not const */
    BOX_MISSING,  /* program: there is no such function or variable, or it has another size */
    BOX_REQUEST,  /* program: struct box_request, then bytes */
    BOX_REPLY     /* judge: struct box_reply, then bytes */
};

struct box_frame {
    uint32_t kind, bytes; /* bytes: behind this head */
};

struct box_argument {
    uint64_t value; /* of a pointer to an array: how many bytes it has */
    uint32_t array, constant;
};

struct box_call {
    char symbol[BOX_NAME];
    uint32_t count, rounds;
    struct box_argument arguments[BOX_ARGUMENTS];
};

struct box_variable {
    char symbol[BOX_NAME];
    uint64_t bytes;
};

/* What the program asks of the GPU. */
enum box_request_kind {
#define REQUEST(name) BOX_##name,
#include "common/judge/boxed/requests.def"
#undef REQUEST
    BOX_REQUEST_KINDS
};

struct box_request {
    uint32_t what, unused;
    uint64_t site; /* where in the program the call stands */
    uint64_t a[8];
};

struct box_reply {
    int32_t code; /* a cudaError_t */
    uint32_t unused;
    uint64_t out[2];
};

/* a kernel's parameters, in bytes each */
struct box_layout {
    uint32_t count, bytes[BOX_PARAMETERS];
};

/* BOX_LAUNCH: behind it the kernel's name and zero, then its parameters one after the other */
struct box_launch {
    uint32_t grid[3], block[3];
    uint64_t shared_bytes, stream, cooperative;
};

#endif
