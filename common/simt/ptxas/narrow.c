/* narrow.c - of a vector load, ptxas loads only the words that are read.
 *
 * Where a program reads one field of a float4, the compiler loads four, and ptxas makes a load of
 * four bytes of it. The table was read from the code that ptxas 13.0 makes of `ld` with each subset
 * of its registers unread, for sm_90; fields are x, y, z, w:
 *
 *     one field                     that one
 *     4 bytes: xy, zw               these two
 *              xz, xw, yz, yw       two loads of one
 *              three                all four; of local or generic memory xy or zw, and the third
 *     2 bytes: xy, zw               these two
 *              xz, xw, yz, yw, more all four
 *     1 byte, or volatile           all
 *
 * A load of which nobody reads anything stays as it is, and so does one that overwrites its own
 * address, which no compiler writes. */
#include "ptxas/passes.h"

#include <string.h>

enum { FIRST_HALF = 3, SECOND_HALF = 12, MOST_PIECES = 2 };

struct narrowing {
    struct function_ir *ir; /* as it was, until all is appended */
    struct ir_insn *insns;
    uint32_t insn_count;
    unsigned insn_capacity;
};

static bool overwrites_address(const struct ptx_insn *in)
{
    bool any = false;
    for (unsigned k = 0; k < in->operands[0].item_count; k++) {
        const uint32_t reg = in->operands[0].items[k].reg;
        any |= reg != PTX_NO_REG && reg == in->operands[1].reg;
    }
    return any;
}

/* Is it a vector that the hardware could load less of? */
static bool is_candidate(const struct ptx_insn *in, const struct ir_access *a)
{
    return a->elements > 1 && !a->is_volatile && a->address != NULL &&
           ptx_type_bytes(a->type) > 1 && in->operands[0].kind == PTX_OPERAND_VECTOR &&
           in->operands[0].item_count == a->elements && !overwrites_address(in) &&
           (a->space == PTX_GLOBAL || a->space == PTX_SHARED || a->space == PTX_LOCAL ||
            a->space == PTX_GENERIC);
}

/* Bit k: somebody reads what the load puts into the k-th register of its vector. */
static unsigned fields_read(const struct function_ir *ir, const struct ptx_insn *in)
{
    unsigned mask = 0;
    for (unsigned k = 0; k < in->operands[0].item_count; k++) {
        const struct ptx_operand *o = &in->operands[0].items[k];
        const bool unread = o->kind == PTX_OPERAND_SINK ||
                            (o->reg != PTX_NO_REG && ir->regs[o->reg].reader_count == 0);
        mask |= unread ? 0u : 1u << k;
    }
    return mask;
}

/* What ptxas makes of a load of which the fields of `mask` are read: see find_pieces(). */
static unsigned divide(const struct ir_access *a, unsigned mask, unsigned piece[MOST_PIECES])
{
    const unsigned bytes = ptx_type_bytes(a->type), fields = (unsigned)__builtin_popcount(mask);
    const bool one_load = a->space == PTX_GLOBAL || a->space == PTX_SHARED;
    if (mask == 0 || fields == a->elements || (fields == 3 && (one_load || bytes < 4)) ||
        (fields == 2 && bytes < 4 && mask != FIRST_HALF && mask != SECOND_HALF)) {
        return 0;
    }
    unsigned count = 0;
    for (unsigned half = FIRST_HALF; half <= SECOND_HALF; half <<= 2) {
        if ((mask & half) == half) {
            piece[count++] = half;
            continue;
        }
        for (unsigned left = mask & half; left != 0; left &= left - 1) {
            piece[count++] = left & -left;
        }
    }
    return count;
}

/* The loads that ptxas makes of the instruction, each as a mask of fields. How many: 0, where it
 * stays as it is. */
static unsigned find_pieces(const struct function_ir *ir, uint32_t insn,
                            unsigned piece[MOST_PIECES])
{
    const struct ptx_insn *in = ir->insns[insn].text;
    if (in->op != PTX_OP_LD) {
        return 0;
    }
    const struct ir_access a = ir_access_of(in);
    return is_candidate(in, &a) ? divide(&a, fields_read(ir, in), piece) : 0;
}

static void append(struct narrowing *n, const struct ptx_insn *text)
{
    n->insns = arena_grow(n->ir->context->keep, n->insns, n->insn_count, &n->insn_capacity,
                          sizeof *n->insns);
    n->insns[n->insn_count++] = (struct ir_insn){.text = text};
}

static void append_piece(struct narrowing *n, const struct ptx_insn *whole, unsigned mask)
{
    const enum ptx_type type = ir_type_of(whole);
    struct arena *keep = n->ir->context->keep;
    const unsigned first = (unsigned)__builtin_ctz(mask);
    const unsigned fields = (unsigned)__builtin_popcount(mask);
    struct ptx_insn *in = arena_alloc(keep, sizeof *in);
    *in = *whole;
    in->operands = arena_alloc(keep, whole->operand_count * sizeof *in->operands);
    memcpy(in->operands, whole->operands, whole->operand_count * sizeof *in->operands);
    if (fields == 1) {
        in->operands[0] = whole->operands[0].items[first];
    } else {
        in->operands[0].items += first;
        in->operands[0].item_count = fields;
    }
    in->operands[1].bits += first * ptx_type_bytes(type);
    ptx_set_fields(in, whole, fields, type, keep);
    append(n, in);
}

/* The labels at `insn` come to stand where we are; *next: the first that has not been moved. */
static void move_labels(struct narrowing *n, uint32_t insn, uint32_t *next)
{
    struct function_ir *ir = n->ir;
    for (; *next < ir->label_count && ir->labels[*next].insn == insn; ++*next) {
        ir->labels[*next].insn = n->insn_count;
    }
}

bool pass_narrow(struct function_ir *ir)
{
    struct narrowing n = {.ir = ir};
    unsigned piece[MOST_PIECES];
    uint32_t first = 0, next_label = 0;
    while (first < ir->insn_count && find_pieces(ir, first, piece) == 0) {
        first++; /* most kernels have no such load */
    }
    if (first == ir->insn_count) {
        return true;
    }
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        const unsigned count = find_pieces(ir, i, piece);
        move_labels(&n, i, &next_label);
        for (unsigned k = 0; k < count; k++) {
            append_piece(&n, ir->insns[i].text, piece[k]);
        }
        if (count == 0) {
            append(&n, ir->insns[i].text);
        }
    }
    move_labels(&n, ir->insn_count, &next_label);
    ir->insns = n.insns;
    ir->insn_count = n.insn_count;
    return ir_analyse(ir);
}
