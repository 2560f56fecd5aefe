/* narrow.c - of a vector load, ptxas loads what somebody reads.
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

/* Is it a vector of memory that the hardware could load less of? */
static bool is_candidate(const struct ptx_insn *in, const struct ir_access *a)
{
    return in->op == PTX_OP_LD && a->elements > 1 && !a->is_volatile && a->address != NULL &&
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

/* The loads that ptxas makes, each as a mask of fields; how many: 0, where it leaves the load as it
 * is. */
static unsigned find_pieces(const struct ir_access *a, unsigned mask, unsigned piece[MOST_PIECES])
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

static void append(struct narrowing *n, const struct ptx_insn *text)
{
    n->insns = arena_grow(n->ir->context->keep, n->insns, n->insn_count, &n->insn_capacity,
                          sizeof *n->insns);
    n->insns[n->insn_count++] = (struct ir_insn){.text = text};
}

/* The words behind the dots, with v2 in place of v4, or without a width. */
static void set_width(struct arena *keep, struct ptx_insn *in, unsigned fields)
{
    struct ptx_modifier *words = arena_alloc(keep, in->modifier_count * sizeof *words);
    unsigned count = 0;
    for (unsigned i = 0; i < in->modifier_count; i++) {
        const enum ptx_word word = in->modifiers[i].word;
        if (word != WORD_V2 && word != WORD_V4) {
            words[count++] = in->modifiers[i];
        } else if (fields == 2) {
            words[count++] = (struct ptx_modifier){WORD_V2, PTX_NO_TYPE, ptx_word_text(WORD_V2)};
        }
    }
    in->modifiers = words;
    in->modifier_count = count;
}

static void append_piece(struct narrowing *n, const struct ptx_insn *whole, unsigned bytes,
                         unsigned mask)
{
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
    in->operands[1].bits += first * bytes;
    set_width(keep, in, fields);
    append(n, in);
}

/* Labels that stand at `insn` or behind it, from *next on, come to stand where we are. */
static void move_labels(struct narrowing *n, uint32_t insn, uint32_t *next)
{
    struct function_ir *ir = n->ir;
    for (; *next < ir->label_count && ir->labels[*next].insn == insn; ++*next) {
        ir->labels[*next].insn = n->insn_count;
    }
}

static bool narrows(const struct function_ir *ir, uint32_t insn)
{
    unsigned piece[MOST_PIECES];
    const struct ptx_insn *in = ir->insns[insn].text;
    const struct ir_access a = ir_access_of(in);
    return is_candidate(in, &a) && find_pieces(&a, fields_read(ir, in), piece) > 0;
}

bool pass_narrow(struct function_ir *ir)
{
    struct narrowing n = {.ir = ir};
    uint32_t first = 0, next_label = 0;
    while (first < ir->insn_count && !narrows(ir, first)) { /* most kernels have no such load */
        first++;
    }
    if (first == ir->insn_count) {
        return true;
    }
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        unsigned piece[MOST_PIECES], count = 0;
        const struct ptx_insn *in = ir->insns[i].text;
        const struct ir_access a = ir_access_of(in);
        move_labels(&n, i, &next_label);
        if (is_candidate(in, &a)) {
            count = find_pieces(&a, fields_read(ir, in), piece);
        }
        for (unsigned k = 0; k < count; k++) {
            append_piece(&n, in, ptx_type_bytes(a.type), piece[k]);
        }
        if (count == 0) {
            append(&n, in);
        }
    }
    move_labels(&n, ir->insn_count, &next_label);
    ir->insns = n.insns;
    ir->insn_count = n.insn_count;
    return ir_analyse(ir);
}
