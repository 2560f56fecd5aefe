/* address.c - see address.h. */
#include "ir/address.h"

#include <string.h>

enum { MOST_STEPS = 64 }; /* sums are followed this far back */

/* --- trailing zeros --------------------------------------------------------------------------- */

static unsigned trailing_zeros(uint64_t bits)
{
    return bits == 0 ? ADDRESS_ALL_ZEROS : (unsigned)__builtin_ctzll(bits);
}

static bool address_of(const struct function_ir *ir, const char *name, uint64_t *address)
{
    const struct ir_context *c = ir->context;
    return c->address(c->state, name, address);
}

static unsigned zeros_of(const struct function_ir *ir, const uint8_t *zeros,
                         const struct ptx_operand *o)
{
    uint64_t address;
    switch (o->kind) {
    case PTX_OPERAND_INT:
        return trailing_zeros(o->bits);
    case PTX_OPERAND_SYMBOL:
        return address_of(ir, o->name, &address) ? trailing_zeros(address + o->bits) : 0;
    case PTX_OPERAND_REG:
        return o->reg != PTX_NO_REG ? zeros[o->reg] : 0;
    default:
        return 0;
    }
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* What the rule of ptx_ops.def says of floats, of the upper half of a product, and of results that
 * are clamped, would be wrong. */
static bool has_other_bits(const struct ptx_insn *in)
{
    for (unsigned i = 0; i < in->modifier_count; i++) {
        const struct ptx_modifier *m = &in->modifiers[i];
        if (ptx_is_float(m->type) || m->word == WORD_SAT ||
            (m->word == WORD_HI && op_table[in->op].zeros == ZEROS_SUM)) {
            return true;
        }
    }
    return false;
}

/* What is known so far, and of the walk through the code the last writer of each register. */
struct search {
    const struct function_ir *ir;
    uint8_t *of_register;  /* whoever has written it */
    uint8_t *of_result;    /* of each instruction */
    uint32_t *last_writer; /* of each register, up to here; IR_NONE: there was none */
};

/* A source of an instruction. Where its register was written before in the block, it has that value
 * and no other: a loop counter that is still 0 has all low bits zero, although the loop adds 1 to
 * it later. */
static unsigned zeros_read(const struct search *s, uint32_t insn, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_REG && o->reg != PTX_NO_REG) {
        const uint32_t writer = s->last_writer[o->reg];
        const uint32_t first = s->ir->blocks[s->ir->insns[insn].block].first;
        if (writer != IR_NONE && writer >= first && writer < insn &&
            s->ir->insns[writer].text->guard == NULL) {
            return s->of_result[writer];
        }
    }
    return zeros_of(s->ir, s->of_register, o);
}

/* Low zero bits of what the instruction computes. */
static unsigned zeros_of_result(const struct search *s, uint32_t insn)
{
    unsigned z[4] = {0};
    const struct ptx_insn *in = s->ir->insns[insn].text;
    const unsigned count = in->operand_count;
    const enum op_zeros rule = op_table[in->op].zeros;
    if (rule == ZEROS_UNKNOWN || has_other_bits(in)) {
        return 0;
    }
    for (unsigned i = 1; i < count && i < 4; i++) {
        z[i] = zeros_read(s, insn, &in->operands[i]);
    }
    switch (rule) {
    case ZEROS_SAME:
        return z[1];
    case ZEROS_FEWEST:
        return least(z[1], z[2]);
    case ZEROS_MOST:
        return z[1] > z[2] ? z[1] : z[2];
    case ZEROS_SUM:
        return least(least(z[1] + z[2], ADDRESS_ALL_ZEROS), count > 3 ? z[3] : ADDRESS_ALL_ZEROS);
    case ZEROS_SHIFT:
        return count != 3 ? 0
               : in->operands[2].kind == PTX_OPERAND_INT
                   ? least(z[1] + least((unsigned)in->operands[2].bits, ADDRESS_ALL_ZEROS),
                           ADDRESS_ALL_ZEROS)
                   : z[1];
    default:
        return 0;
    }
}

/* The register that is an instruction's whole result; PTX_NO_REG: none, or several. */
static uint32_t result_of(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = ir->insns[insn].text;
    return ir->insns[insn].written == 1 && in->operands[0].kind == PTX_OPERAND_REG
               ? in->operands[0].reg
               : PTX_NO_REG;
}

/* One walk through the code. false: it found nothing new. */
static bool fewer_zeros(struct search *s)
{
    bool changed = false;
    for (uint32_t i = 0; i < s->ir->insn_count; i++) {
        const struct ir_regs written = ir_written(s->ir, i);
        const uint32_t reg = result_of(s->ir, i);
        const unsigned found = reg == PTX_NO_REG ? 0 : zeros_of_result(s, i);
        s->of_result[i] = (uint8_t)found;
        for (unsigned k = 0; k < written.count; k++) {
            uint8_t *known = &s->of_register[written.reg[k]];
            changed |= found < *known;
            *known = (uint8_t)least(found, *known);
            s->last_writer[written.reg[k]] = i;
        }
    }
    return changed;
}

/* Zeros only ever become fewer, from "all": what remains holds for every way to get there. */
const uint8_t *address_find_zeros(const struct function_ir *ir)
{
    struct arena *scratch = ir->context->scratch;
    struct search s = {.ir = ir,
                       .of_register = arena_alloc(scratch, ir->reg_count + 1),
                       .of_result = arena_alloc(scratch, ir->insn_count + 1),
                       .last_writer = arena_alloc(scratch, (ir->reg_count + 1) * sizeof(uint32_t))};
    memset(s.of_register, ADDRESS_ALL_ZEROS, ir->reg_count);
    memset(s.last_writer, 0xff, ir->reg_count * sizeof(uint32_t));
    while (fewer_zeros(&s)) {
    }
    return s.of_register;
}

/* Addresses wrap, as the machine's do. */
static int64_t sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

/* --- base and offset ------------------------------------------------------------------------- */

/* How many of the register's writers stand before `insn` in the text. */
static uint32_t version_at(const struct function_ir *ir, uint32_t reg, uint32_t insn)
{
    const uint32_t *writers = ir->writers + ir->regs[reg].first_writer;
    uint32_t low = 0, high = ir->regs[reg].writer_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (writers[middle] < insn) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* x + constant: the operand x, and what is added to it; NULL if the instruction is no such sum. */
static const struct ptx_operand *sum_with_constant(const struct function_ir *ir,
                                                   const uint8_t *zeros, const struct ptx_insn *in,
                                                   int64_t *constant)
{
    if (in->guard != NULL) {
        return NULL;
    }
    if (in->op == PTX_OP_MOV && in->operand_count == 2) {
        *constant = 0;
        return &in->operands[1];
    }
    if (in->operand_count != 3 || in->operands[2].kind != PTX_OPERAND_INT) {
        return NULL;
    }
    *constant = (int64_t)in->operands[2].bits;
    if (in->op == PTX_OP_OR) { /* a sum, if no bit is in both */
        const unsigned low = zeros_of(ir, zeros, &in->operands[1]);
        bool apart = low >= 32 || in->operands[2].bits >> low == 0;
        return apart ? &in->operands[1] : NULL;
    }
    if (in->op == PTX_OP_SUB) {
        *constant = -*constant;
    }
    return in->op == PTX_OP_ADD || in->op == PTX_OP_SUB ? &in->operands[1] : NULL;
}

/* Follows constants added in registers, as long as nothing was overwritten meanwhile. A register
 * whose only writer comes later in the block holds what the round before has left in it. */
static void find_root(const struct function_ir *ir, const uint8_t *zeros, uint32_t reg,
                      uint32_t insn, struct address *a)
{
    for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
        const struct ir_reg *r = &ir->regs[reg];
        int64_t constant = 0;
        if (r->writer_count != 1) {
            break;
        }
        const uint32_t writer = ir->writers[r->first_writer];
        const struct ptx_operand *from =
            sum_with_constant(ir, zeros, ir->insns[writer].text, &constant);
        uint64_t address;
        if (from != NULL && from->kind == PTX_OPERAND_SYMBOL && writer < insn &&
            address_of(ir, from->name, &address)) {
            a->root = ADDRESS_ABSOLUTE;
            a->zeros = ADDRESS_ALL_ZEROS;
            a->offset = sum(a->offset, sum((int64_t)(address + from->bits), constant));
            return;
        }
        bool same_block = ir->insns[writer].block == ir->insns[insn].block;
        if (from == NULL || (same_block && writer >= insn) || from->kind != PTX_OPERAND_REG ||
            from->reg == PTX_NO_REG || (ir->regs[from->reg].writer_count > 1 && !same_block)) {
            break;
        }
        a->offset = sum(a->offset, constant);
        insn = same_block ? writer : insn;
        reg = from->reg;
    }
    a->root = reg;
    a->zeros = zeros[reg];
    a->version = ir->regs[reg].writer_count > 1 ? version_at(ir, reg, insn) : 0;
}

bool address_find(const struct function_ir *ir, const uint8_t *zeros, uint32_t insn,
                  const struct ptx_operand *operand, struct address *at)
{
    uint64_t symbol = 0;
    *at = (struct address){
        .root = ADDRESS_ABSOLUTE, .zeros = ADDRESS_ALL_ZEROS, .offset = (int64_t)operand->bits};
    if (operand->reg != PTX_NO_REG) {
        find_root(ir, zeros, operand->reg, insn, at);
    } else if (operand->name != NULL && !address_of(ir, operand->name, &symbol)) {
        return false;
    }
    at->offset = sum(at->offset, (int64_t)symbol);
    return true;
}
