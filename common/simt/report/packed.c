/* packed.c - see packed.h. */
#include "report/packed.h"

enum { ROUNDS = 3, MOST_TYPES = 4 };

struct packing {
    const struct function_ir *ir;
    enum ptx_type *types; /* by register */
    bool *contradicted;
};

/* The type of a register of so many bytes that an instruction of this type uses; PTX_NO_TYPE: it
 * says nothing. */
static enum ptx_type as_register(enum ptx_type type, unsigned bytes)
{
    switch (type) {
    case PTX_F16:
    case PTX_F16X2:
        return bytes == 2 && type == PTX_F16 ? PTX_F16 : bytes == 4 ? PTX_F16X2 : PTX_NO_TYPE;
    case PTX_BF16:
    case PTX_BF16X2:
        return bytes == 2 && type == PTX_BF16 ? PTX_BF16 : bytes == 4 ? PTX_BF16X2 : PTX_NO_TYPE;
    case PTX_TF32:
        return bytes == 4 ? PTX_TF32 : PTX_NO_TYPE;
    default:
        return PTX_NO_TYPE;
    }
}

static bool is_declared_as_bits(const struct packing *p, uint32_t reg)
{
    const enum ptx_type t = p->ir->regs[reg].type;
    return t == PTX_B16 || t == PTX_B32 || t == PTX_U16 || t == PTX_U32 || t == PTX_S16 ||
           t == PTX_S32;
}

static void give(struct packing *p, uint32_t reg, enum ptx_type type)
{
    const unsigned bytes = ptx_type_bytes(p->ir->regs[reg].type);
    const enum ptx_type meant = as_register(type, bytes);
    if (meant == PTX_NO_TYPE || !is_declared_as_bits(p, reg)) {
        return;
    }
    const bool first = p->types[reg] == p->ir->regs[reg].type;
    p->contradicted[reg] |= !first && p->types[reg] != meant;
    p->types[reg] = meant;
}

static void give_operand(struct packing *p, const struct ptx_operand *o, enum ptx_type type)
{
    if (o->kind == PTX_OPERAND_REG && o->reg != PTX_NO_REG) {
        give(p, o->reg, type);
    }
    for (unsigned i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->item_count; i++) {
        give_operand(p, &o->items[i], type);
    }
}

/* A product of matrices names the types of its four operands, a conversion those of two; others
 * have one, which the modifiers name last. */
static void read_instruction(struct packing *p, const struct ptx_insn *in)
{
    enum ptx_type types[MOST_TYPES] = {PTX_NO_TYPE, PTX_NO_TYPE, PTX_NO_TYPE, PTX_NO_TYPE};
    unsigned count = 0;
    for (unsigned i = 0; i < in->modifier_count; i++) {
        if (in->modifiers[i].type != PTX_NO_TYPE && count < MOST_TYPES) {
            types[count++] = in->modifiers[i].type;
        }
    }
    const bool each = in->op == PTX_OP_CVT || (in->op == PTX_OP_MMA && count == MOST_TYPES);
    for (unsigned i = 0; i < in->operand_count && count > 0; i++) {
        const enum ptx_type type = !each ? types[count - 1] : i < count ? types[i] : PTX_NO_TYPE;
        give_operand(p, &in->operands[i], type);
    }
}

/* `mov.b32 %r1, {%rs1, %rs2};` and the way back, and copies. */
static void pass_on(struct packing *p, const struct ptx_operand *a, const struct ptx_operand *b)
{
    const bool from_register = b->kind == PTX_OPERAND_REG && b->reg != PTX_NO_REG;
    if (a->kind == PTX_OPERAND_REG && a->reg != PTX_NO_REG && from_register) {
        give(p, a->reg, p->types[b->reg]);
    } else if (a->kind == PTX_OPERAND_VECTOR && a->item_count == 2 && from_register) {
        const enum ptx_type whole = p->types[b->reg];
        give_operand(p, a, whole == PTX_F16X2 ? PTX_F16 : whole == PTX_BF16X2 ? PTX_BF16 : whole);
    } else if (b->kind == PTX_OPERAND_VECTOR && b->item_count == 2 && a->kind == PTX_OPERAND_REG &&
               a->reg != PTX_NO_REG && b->items[0].kind == PTX_OPERAND_REG &&
               b->items[0].reg != PTX_NO_REG) {
        give(p, a->reg, p->types[b->items[0].reg]);
    }
}

const enum ptx_type *packed_types(const struct function_ir *ir, struct arena *arena)
{
    struct packing p = {.ir = ir};
    p.types = arena_alloc(arena, (ir->reg_count + 1) * sizeof *p.types);
    p.contradicted = arena_alloc(arena, (ir->reg_count + 1) * sizeof *p.contradicted);
    for (uint32_t r = 0; r < ir->reg_count; r++) {
        p.types[r] = ir->regs[r].type;
        p.contradicted[r] = false;
    }
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        read_instruction(&p, ir->insns[i].text);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < ir->insn_count; i++) {
            const struct ptx_insn *in = ir->insns[i].text;
            if (in->op == PTX_OP_MOV && in->operand_count == 2) {
                pass_on(&p, &in->operands[0], &in->operands[1]);
                pass_on(&p, &in->operands[1], &in->operands[0]);
            }
        }
    }
    for (uint32_t r = 0; r < ir->reg_count; r++) {
        p.types[r] = p.contradicted[r] ? ir->regs[r].type : p.types[r];
    }
    return p.types;
}
