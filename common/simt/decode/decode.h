/* decode.h - struct ptx_module -> struct kernel: names become slots, labels become code indices.
 *
 * decode.c lays out functions and variables, decode_block.c basic blocks, decode_operand.c
 * operands, decode_emit.c constants and code; decode_ops.c holds the table of opcodes, its
 * neighbours one family each. An instruction that the simulator does not execute, with every
 * modifier it carries, is rejected here: nothing is guessed. */
#ifndef SIMT_DECODE_H
#define SIMT_DECODE_H

#include "base/err.h"
#include "decode/kernel.h"

/* What the decoder asks of the layers above: where module variables live, what handlers exist. */
struct decode_world {
    void *state;
    /* Address of a .global or .const variable of the module; false if there is none. */
    bool (*variable)(void *state, const char *name, uint64_t *address);
    const struct handler *(*handler)(const char *name); /* NULL: no such handler */
    exec_fn guarded;
    unsigned gpu; /* 90: the compute capability is 9.0; 0: none */
    bool plain;   /* leave out the passes that imitate ptxas (SIMT_PASSES=none) */
    unsigned (*find_native)(const char *name); /* NO_REF: no such function */
    unsigned (*param_bytes_of)(unsigned native, unsigned i);
    unsigned (*result_bytes_of)(unsigned native);
};

/* Decodes the entry function of that name. NULL with *e set (code SIMT_NOT_FOUND or
 * SIMT_NOT_SUPPORTED of simt.h); the message names instruction, kernel and source line. */
struct kernel *decode_kernel(const struct ptx_module *m, const char *name,
                             const struct decode_world *world, struct err *e);
void kernel_free(struct kernel *k);

#endif
