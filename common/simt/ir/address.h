/* address.h - where an address comes from, as far as the text tells: the only place that knows.
 *
 * Three questions: by which power of two is a register divisible for sure (its low bits that are
 * zero, to a fixed point, so that loop variables count with start and step); to which other
 * register plus constant is it equal; and which registers and variables went into it. */
#ifndef SIMT_ADDRESS_H
#define SIMT_ADDRESS_H

#include "ir/ir.h"

/* A value that is zero has all low bits zero. */
enum { ADDRESS_ALL_ZEROS = 64 };
#define ADDRESS_ABSOLUTE IR_NONE /* the root of addresses that are plain numbers */

/* root + offset, of the root's `version`: how many of its writers stand before, in the text. Two
 * addresses of one version are equal within a block, and where one block of a loop dominates the
 * other. */
struct address {
    uint32_t root, version;
    unsigned zeros; /* low bits of the root that are zero */
    int64_t offset;
};

/* Per register: how many of its low bits are zero, however one gets there. Lives in scratch. */
const uint8_t *address_find_zeros(const struct function_ir *ir);
/* The address operand of an instruction. false: a variable that has no address. */
bool address_find(const struct function_ir *ir, const uint8_t *zeros, uint32_t insn,
                  const struct ptx_operand *operand, struct address *at);

static inline bool address_same_root(const struct address *a, const struct address *b)
{
    return a->root == b->root && a->version == b->version;
}

/* Work that makes an address of an address; what memory or another lane gives is of no origin that
 * the text tells. */
static inline bool address_passes_through(enum ptx_op op)
{
    const enum op_class class = op_table[op].class;
    return class == CLASS_ARITHMETIC || class == CLASS_PRODUCT || class == CLASS_MOVE ||
           class == CLASS_CONVERSION || class == CLASS_LOGIC || class == CLASS_COMPARISON;
}

#endif
