/* leader.c - which access to memory lies as an earlier one of its basic block does, moved by one
 * distance for all lanes?
 *
 *     ld.global.f32 %f1, [%rd1];        leads
 *     ld.global.f32 %f2, [%rd1+4];      follows: the same register
 *     add.s64       %rd2, %rd1, %rd9;   %rd9 comes from a parameter, so it is the same in all lanes
 *     ld.global.f32 %f3, [%rd2];        follows, too
 *
 * The machine then has to look at the 32 addresses of the leader alone: of 8 loads in the inner
 * loop of a naive matrix product (unrolled four times) 2 lead, of 32 in the tiled one's, 2.
 *
 * Within a block the lanes do not change. But a warp that waits lets others go on, whose addresses
 * are others: so nothing that may wait stands between leader and follower. A value that is the same
 * in all lanes has one writer and is computed from constants, parameters and numbers of the block
 * alone: it is the same whenever a lane has computed it. */
#include "ir/leader.h"

/* What a register holds at some point of a block: the value of that number, plus what is the same
 * in all lanes. */
struct held {
    uint32_t block; /* 1 + the block that this is about */
    uint32_t value;
};

struct leading {
    const struct function_ir *ir;
    bool *steady; /* per register: the same in all lanes, and each time it is read */
    struct held *held;
    uint32_t *last; /* value -> the last access through it, in this block */
    uint32_t values, capacity;
    uint32_t go_on; /* instructions before it: the warp may have waited since */
};

/* --- the same in all lanes -------------------------------------------------------------------- */

static const bool special_is_steady[PTX_SPECIAL_COUNT] = {
#define SPECIAL(id, text, slot, uniform) [PTX_SPECIAL_##id] = uniform,
#include "ptx/ptx_specials.def"
#undef SPECIAL
};

static bool is_steady(const struct leading *l, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPERAND_INT:
    case PTX_OPERAND_SYMBOL: /* where a variable or a parameter lies */
        return true;
    case PTX_OPERAND_SPECIAL:
        return special_is_steady[o->special];
    case PTX_OPERAND_REG:
        return o->reg != PTX_NO_REG && l->steady[o->reg];
    default:
        return false;
    }
}

/* A kernel's parameter that all lanes load from one place. */
static bool loads_parameter(const struct leading *l, const struct ptx_insn *in)
{
    const struct ir_access a = ir_access_of(in);
    return l->ir->func->is_entry && in->op == PTX_OP_LD && a.space == PTX_PARAM &&
           a.address != NULL && (a.address->reg == PTX_NO_REG || l->steady[a.address->reg]);
}

static bool computes_steady(const struct leading *l, const struct ptx_insn *in)
{
    if (op_table[in->op].class == CLASS_MEMORY) {
        return loads_parameter(l, in);
    }
    for (unsigned k = 1; k < in->operand_count; k++) {
        if (!is_steady(l, &in->operands[k])) {
            return false;
        }
    }
    return op_is(in->op, OP_PURE) && in->guard == NULL;
}

/* In the order of the text, which computes most values before it uses them; the others are not
 * found, which costs nothing but time. */
static void find_steady(struct leading *l)
{
    const struct function_ir *ir = l->ir;
    l->steady = arena_alloc(ir->context->scratch, (ir->reg_count + 1) * sizeof *l->steady);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        const struct ir_regs w = ir_written(ir, i);
        const bool alone = w.count == 1 && ir->regs[w.reg[0]].writer_count == 1;
        if (alone && computes_steady(l, ir->insns[i].text)) {
            l->steady[w.reg[0]] = true;
        }
    }
}

/* --- values ----------------------------------------------------------------------------------- */

static uint32_t new_value(struct leading *l)
{
    l->last =
        arena_grow(l->ir->context->scratch, l->last, l->values, &l->capacity, sizeof *l->last);
    l->last[l->values] = IR_NONE;
    return l->values++;
}

static uint32_t value_in(struct leading *l, uint32_t reg, uint32_t block)
{
    if (l->held[reg].block != block + 1) {
        l->held[reg] = (struct held){block + 1, new_value(l)};
    }
    return l->held[reg].value;
}

static bool is_whole_number(enum ptx_type type, enum ptx_type reg)
{
    return type != PTX_F32 && type != PTX_F64 && ptx_type_bytes(type) == ptx_type_bytes(reg) &&
           ptx_type_bytes(type) >= 4;
}

/* A copy of a register, or one plus or minus what is the same in all lanes: that register;
 * PTX_NO_REG: something else. */
static uint32_t moved_register(const struct leading *l, const struct ptx_insn *in, uint32_t result)
{
    const struct ptx_operand *o = in->operands;
    const bool plain = in->modifier_count == 1 && in->guard == NULL;
    if (!plain || !is_whole_number(ir_type_of(in), l->ir->regs[result].type)) {
        return PTX_NO_REG;
    }
    if (in->op == PTX_OP_MOV && in->operand_count == 2 && o[1].kind == PTX_OPERAND_REG) {
        return o[1].reg;
    }
    if ((in->op != PTX_OP_ADD && in->op != PTX_OP_SUB) || in->operand_count != 3) {
        return PTX_NO_REG;
    }
    if (o[1].kind == PTX_OPERAND_REG && is_steady(l, &o[2])) {
        return o[1].reg;
    }
    const bool turned = in->op == PTX_OP_ADD && o[2].kind == PTX_OPERAND_REG;
    return turned && is_steady(l, &o[1]) ? o[2].reg : PTX_NO_REG;
}

static void note_results(struct leading *l, uint32_t insn, uint32_t block)
{
    const struct ir_regs w = ir_written(l->ir, insn);
    const uint32_t from =
        w.count == 1 ? moved_register(l, l->ir->insns[insn].text, w.reg[0]) : PTX_NO_REG;
    const uint32_t value = from != PTX_NO_REG ? value_in(l, from, block) : IR_NONE;
    for (unsigned k = 0; k < w.count; k++) {
        l->held[w.reg[k]] = (struct held){block + 1, value != IR_NONE ? value : new_value(l)};
    }
}

/* --- accesses --------------------------------------------------------------------------------- */

/* Addresses of 32 bits wrap, but not within so few bytes of one that lies in the memory. */
static bool is_near(const struct ptx_operand *address)
{
    const int64_t bytes = (int64_t)address->bits;
    return bytes > -(1 << 30) && bytes < 1 << 30;
}

static bool takes_part(const struct ptx_insn *in)
{
    if (in->op != PTX_OP_LD && in->op != PTX_OP_ST) {
        return false;
    }
    const struct ir_access a = ir_access_of(in);
    return (a.space == PTX_GLOBAL || a.space == PTX_SHARED || a.space == PTX_LOCAL) &&
           in->guard == NULL && !a.is_volatile && a.address != NULL &&
           a.address->reg != PTX_NO_REG && is_near(a.address);
}

/* Work within a lane: no other warp, and no other lanes of this one, go on meanwhile. */
static bool goes_on(const struct ptx_insn *in)
{
    const enum ptx_op op = in->op;
    return op == PTX_OP_LD || op == PTX_OP_ST || op_is(op, OP_PURE);
}

static uint32_t follow(struct leading *l, uint32_t insn, uint32_t block)
{
    const struct ir_access a = ir_access_of(l->ir->insns[insn].text);
    const uint32_t value = value_in(l, a.address->reg, block);
    const uint32_t before = l->last[value];
    l->last[value] = insn;
    return before != IR_NONE && before >= l->go_on ? before : IR_NONE;
}

const uint32_t *leader_find(const struct function_ir *ir)
{
    struct arena *scratch = ir->context->scratch;
    struct leading l = {.ir = ir};
    uint32_t *leader = arena_alloc(scratch, (ir->insn_count + 1) * sizeof *leader);
    find_steady(&l);
    l.held = arena_alloc(scratch, (ir->reg_count + 1) * sizeof *l.held);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        const struct ptx_insn *in = ir->insns[i].text;
        const uint32_t block = ir->insns[i].block;
        leader[i] = takes_part(in) ? follow(&l, i, block) : IR_NONE;
        if (!goes_on(in)) {
            l.go_on = i + 1;
        }
        note_results(&l, i, block);
    }
    return leader;
}
