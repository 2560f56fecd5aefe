/* kept.h - what is known of a kernel from launch to launch: which of its loads are hoisted or
 * carried, what its instructions cost, and the chain of its last launch. For the estimator, one
 * launch at a time.
 *
 * All of it follows from the kernel's text, but for the chain: that one is found anew unless
 * everything that it depends on is what it was. */
#ifndef SIMT_KEPT_H
#define SIMT_KEPT_H

#include "decode/kernel.h"
#include "time/chain.h"

enum { KEPT_KERNELS = 64 };

/* What was asked about memory while a chain was found, and what the answer was. */
struct kept_answer {
    uint32_t pc;
    const struct ptx_insn *in;
    struct chain_wait wait;
};

struct kept_chain {
    struct site *sites; /* of the launch; NULL: no chain is known */
    double warps, warps_a_block;
    struct kept_answer *answers; /* in the order of the questions */
    unsigned answer_count, answer_room;
    struct chain chain;
};

struct kept_kernel {
    uint64_t serial;          /* of the kernel; 0: nothing is known */
    bool *hoisted, *carried;  /* per code index: hoist.h, carried.h */
    bool takes_tasks;         /* from a counter, until there are none: carried_takes_tasks() */
    struct insn_cost **costs; /* per function and instruction: fuse.h; NULL: the text is long */
    unsigned func_count;
    struct kept_chain chain;
};

struct kept_kernels {
    struct kept_kernel of[KEPT_KERNELS]; /* by serial number */
};

/* What is known of this kernel; found now, unless one of its last launches did. */
struct kept_kernel *kept_find(struct kept_kernels *all, const struct kernel *k);
void kept_free(struct kept_kernels *all);
void kept_chain_free(struct kept_chain *chain);

/* chain_of() with these arguments. `rates` are the same in all calls for one kernel; NULL: nothing
 * is kept. */
struct chain kept_chain_of(struct kept_chain *kept, const struct kernel *k,
                           const struct site *sites, double warps, double warps_a_block,
                           const struct gpu_rates *rates, chain_latency latency, void *state);

#endif
