/* observed_kernel.h - the copy of a kernel's code that observers hear of; what exec_observed.c and
 * observed_repeat.c share. */
#ifndef SIMT_OBSERVED_KERNEL_H
#define SIMT_OBSERVED_KERNEL_H

#include "exec/exec.h"
#include "exec/observed_strays.h"

struct observed_kernel {
    struct kernel kernel; /* first: a warp knows only this */
    unsigned wants;
    bool *steps;                       /* are they reported now? */
    exec_fn *run;                      /* what the instructions ran before */
    uint8_t *event;                    /* enum handler_event, and FIRST_OF_INSN */
    struct strays own_strays, *strays; /* shared by the copies for several workers */
};

enum { FIRST_OF_INSN = 0x80 }; /* the first code entry of its PTX instruction */

static inline const struct observed_kernel *observed_copy_of(const struct kernel *k)
{
    return (const struct observed_kernel *)(const void *)k;
}

/* All its lanes are active ones, and it touches global memory, or the own block's or lanes'. */
static inline bool observed_is_simple(const struct insn *in)
{
    return in->guard == NO_REF && (in->flags & (INSN_ROWS | INSN_CLUSTER)) == 0;
}

/* What runs a load or store whose repeats need not be reported one by one. */
exec_fn observed_repeat_reporter(const struct observed_kernel *o, uint32_t pc);

#endif
