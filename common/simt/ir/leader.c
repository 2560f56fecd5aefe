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
    uint32_t moved; /* registers of one value and one such number differ by what a launch knows */
};

struct last {
    uint32_t insn, moved;
};

/* Is a register the same in all lanes, and each time it is read? */
enum steadiness { UNSTEADY, STEADY_IN_BLOCK, STEADY_IN_LAUNCH };

struct leading {
    const struct function_ir *ir;
    uint8_t *steady; /* per register: enum steadiness */
    struct held *held;
    struct last *last; /* value -> the last access through it, in this block */
    uint32_t values, capacity;
    uint32_t moves; /* by a distance that differs from block to block */
    uint32_t go_on; /* instructions before it: the warp may have waited since */
};

/* --- the same in all lanes -------------------------------------------------------------------- */

static const bool special_is_steady[PTX_SPECIAL_COUNT] = {
#define SPECIAL(id, text, slot, uniform) [PTX_SPECIAL_##id] = uniform,
#include "ptx/ptx_specials.def"
#undef SPECIAL
};

static enum steadiness steadiness_of_special(enum ptx_special special)
{
    switch (special) {
    case PTX_SPECIAL_NTID_X:
    case PTX_SPECIAL_NTID_Y:
    case PTX_SPECIAL_NTID_Z:
    case PTX_SPECIAL_NCTAID_X:
    case PTX_SPECIAL_NCTAID_Y:
    case PTX_SPECIAL_NCTAID_Z:
        return STEADY_IN_LAUNCH;
    default:
        return special_is_steady[special] ? STEADY_IN_BLOCK : UNSTEADY;
    }
}

static enum steadiness steadiness_of(const struct leading *l, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPERAND_INT:
    case PTX_OPERAND_SYMBOL: /* where a variable or a parameter lies */
        return STEADY_IN_LAUNCH;
    case PTX_OPERAND_SPECIAL:
        return steadiness_of_special(o->special);
    case PTX_OPERAND_REG:
        return o->reg != PTX_NO_REG ? (enum steadiness)l->steady[o->reg] : UNSTEADY;
    default:
        return UNSTEADY;
    }
}

static bool is_steady(const struct leading *l, const struct ptx_operand *o)
{
    return steadiness_of(l, o) != UNSTEADY;
}

/* A kernel's parameter that all lanes load from one place. */
static enum steadiness loads_parameter(const struct leading *l, const struct ptx_insn *in)
{
    const struct ir_access a = ir_access_of(in);
    const bool known =
        l->ir->func->is_entry && in->op == PTX_OP_LD && a.space == PTX_PARAM && a.address != NULL;
    if (!known) {
        return UNSTEADY;
    }
    return a.address->reg == PTX_NO_REG ? STEADY_IN_LAUNCH
                                        : (enum steadiness)l->steady[a.address->reg];
}

static enum steadiness computes_steady(const struct leading *l, const struct ptx_insn *in)
{
    enum steadiness least = STEADY_IN_LAUNCH;
    if (op_table[in->op].class == CLASS_MEMORY) {
        return loads_parameter(l, in);
    }
    for (unsigned k = 1; k < in->operand_count; k++) {
        const enum steadiness own = steadiness_of(l, &in->operands[k]);
        least = own < least ? own : least;
    }
    return op_is(in->op, OP_PURE) && in->guard == NULL ? least : UNSTEADY;
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
        if (alone) {
            l->steady[w.reg[0]] = (uint8_t)computes_steady(l, ir->insns[i].text);
        }
    }
}

/* --- values ----------------------------------------------------------------------------------- */

static uint32_t new_value(struct leading *l)
{
    l->last =
        arena_grow(l->ir->context->scratch, l->last, l->values, &l->capacity, sizeof *l->last);
    l->last[l->values] = (struct last){IR_NONE, 0};
    return l->values++;
}

static struct held held_in(struct leading *l, uint32_t reg, uint32_t block)
{
    if (l->held[reg].block != block + 1) {
        l->held[reg] = (struct held){block + 1, new_value(l), 0};
    }
    return l->held[reg];
}

static bool is_whole_number(enum ptx_type type, enum ptx_type reg)
{
    return type != PTX_F32 && type != PTX_F64 && ptx_type_bytes(type) == ptx_type_bytes(reg) &&
           ptx_type_bytes(type) >= 4;
}

/* A copy of a register, or one plus or minus what is the same in all lanes: that register;
 * PTX_NO_REG: something else. *by: how steady the distance is. */
static uint32_t moved_register(const struct leading *l, const struct ptx_insn *in, uint32_t result,
                               enum steadiness *by)
{
    const struct ptx_operand *o = in->operands;
    const bool plain = in->modifier_count == 1 && in->guard == NULL;
    *by = STEADY_IN_LAUNCH;
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
        *by = steadiness_of(l, &o[2]);
        return o[1].reg;
    }
    const bool turned = in->op == PTX_OP_ADD && o[2].kind == PTX_OPERAND_REG;
    *by = steadiness_of(l, &o[1]);
    return turned && *by != UNSTEADY ? o[2].reg : PTX_NO_REG;
}

static void note_results(struct leading *l, uint32_t insn, uint32_t block)
{
    const struct ir_regs w = ir_written(l->ir, insn);
    enum steadiness by;
    const uint32_t from =
        w.count == 1 ? moved_register(l, l->ir->insns[insn].text, w.reg[0], &by) : PTX_NO_REG;
    if (from != PTX_NO_REG) {
        struct held moved = held_in(l, from, block);
        moved.moved = by == STEADY_IN_LAUNCH ? moved.moved : ++l->moves;
        l->held[w.reg[0]] = moved;
        return;
    }
    for (unsigned k = 0; k < w.count; k++) {
        l->held[w.reg[k]] = (struct held){block + 1, new_value(l), 0};
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

static struct ir_leader follow(struct leading *l, uint32_t insn, uint32_t block)
{
    const struct ir_access a = ir_access_of(l->ir->insns[insn].text);
    const struct held held = held_in(l, a.address->reg, block);
    const struct last before = l->last[held.value];
    l->last[held.value] = (struct last){insn, held.moved};
    return before.insn != IR_NONE && before.insn >= l->go_on
               ? (struct ir_leader){before.insn, before.moved == held.moved}
               : (struct ir_leader){IR_NONE, false};
}

const struct ir_leader *leader_find(const struct function_ir *ir)
{
    struct arena *scratch = ir->context->scratch;
    struct leading l = {.ir = ir};
    struct ir_leader *leader = arena_alloc(scratch, (ir->insn_count + 1) * sizeof *leader);
    find_steady(&l);
    l.held = arena_alloc(scratch, (ir->reg_count + 1) * sizeof *l.held);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        const struct ptx_insn *in = ir->insns[i].text;
        const uint32_t block = ir->insns[i].block;
        leader[i] = takes_part(in) ? follow(&l, i, block) : (struct ir_leader){IR_NONE, false};
        if (!goes_on(in)) {
            l.go_on = i + 1;
        }
        note_results(&l, i, block);
    }
    return leader;
}
