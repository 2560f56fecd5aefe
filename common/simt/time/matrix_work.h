/* matrix_work.h - what the machine makes of one matrix instruction of PTX, and how long that takes.
 *
 * Most are one or two instructions of the tensor cores. FP8, 4-bit integers and the exclusive or of
 * bits are sequences on compute capability 9.0, as the machine code that ptxas 13.0 makes shows.
 */
#ifndef SIMT_MATRIX_WORK_H
#define SIMT_MATRIX_WORK_H

#include "machine/warp.h"
#include "time/costs.h"

struct matrix_work {
    struct cost beside;       /* instructions of other pipes, for each one of PTX */
    double instructions;      /* of the tensor core */
    double tensor_cycles;     /* in which it is busy */
    double latency;           /* cycles until the result can be used */
    double shared_wavefronts; /* that the operands of a warp's share of a wgmma take */
    bool asynchronous;        /* wgmma: waited for by its group */
    bool is_call;             /* a sequence in a subroutine */
};

/* Is the instruction at this code index a product of matrices? Then *work says what it takes. */
bool matrix_work_of(const struct kernel *k, uint32_t pc, struct matrix_work *work);

#endif
