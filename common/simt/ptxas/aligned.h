/* aligned.h - how far is an address aligned, as ptxas knows it? See aligned.c; for passes that
 * imitate how ptxas merges accesses. */
#ifndef SIMT_ALIGNED_H
#define SIMT_ALIGNED_H

#include "ir/address.h"

/* What the accesses of a function tell of the registers that their addresses come from. */
struct aligned {
    const struct function_ir *ir;
    const struct flow *flow;
    const uint8_t *zeros; /* per register: address_find_zeros() */
    struct aligned_root *roots;
    unsigned count, capacity;
};

/* It lives in scratch. */
struct aligned aligned_find(const struct function_ir *ir, const struct flow *flow);
/* Where the address operand of the instruction leads to; .zeros: of its root, with what the
 * accesses tell that are executed whenever this one is. false: a variable that has no address. */
bool aligned_address(const struct aligned *a, uint32_t insn, const struct ptx_operand *operand,
                     struct address *at);

#endif
