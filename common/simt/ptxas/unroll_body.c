/* unroll_body.c - what may stand in a loop that ptxas unrolls, and how large it may be.
 *
 * Small ifs become predicates before ptxas unrolls, so a loop with them is one block to it. What an
 * instruction costs there, and how much is too much, is documented nowhere: it was found by giving
 * ptxas 13.0 some thousand loops that differ by one instruction (tests/fidelity/README.md). */
#include "ptxas/unroll.h"

enum {
    MOST_COST = 48, /* of all instructions but the branch back */
    /* Loads of shared memory make room for more, from the sixth on. */
    ROOM_PER_SHARED_LOAD = 5,
    ROOM_BEGINS = 28,
    MOST_ROOM = 50
};

uint32_t unroll_writer(const struct function_ir *ir, const struct counted_loop *loop, uint32_t reg)
{
    uint32_t found = IR_NONE;
    for (uint32_t i = loop->first; i < loop->last; i++) {
        if (ir_writes(ir, i, reg)) {
            if (found != IR_NONE || unroll_text(ir, i)->guard != NULL) {
                return IR_NONE;
            }
            found = i;
        }
    }
    return found;
}

bool unroll_is_register(const struct ptx_operand *o, uint32_t reg)
{
    return o->kind == PTX_OPERAND_REG && !o->negated && o->reg == reg;
}

const struct ir_label *unroll_label_of(const struct function_ir *ir, const char *name)
{
    unsigned index;
    return name != NULL && names_find(&ir->label_of, name, &index) ? &ir->labels[index] : NULL;
}

/* --- ifs -------------------------------------------------------------------------------------- */

static bool stores(const struct function_ir *ir, uint32_t block)
{
    for (uint32_t i = ir->blocks[block].first; i < ir->blocks[block].end; i++) {
        if (ir_info(ir, i)->memory == MEMORY_WRITES) {
            return true;
        }
    }
    return false;
}

/* How a block of the loop ends: with a branch, under a guard or not, or by reaching a label. */
enum block_end { GOES_ON, BRANCHES, JUMPS_AHEAD, ENDS_OTHERWISE };

static enum block_end end_of(const struct function_ir *ir, uint32_t block)
{
    const uint32_t last = ir->blocks[block].end - 1;
    if (ir_op(ir, last) == PTX_OP_BRA && ir->insns[last].target != IR_NONE) {
        return unroll_text(ir, last)->guard != NULL ? BRANCHES : JUMPS_AHEAD;
    }
    return op_is(ir_op(ir, last), OP_JUMPS | OP_LEAVES) ? ENDS_OTHERWISE : GOES_ON;
}

static uint32_t target_of(const struct function_ir *ir, uint32_t block)
{
    return ir->insns[ir->blocks[block].end - 1].target;
}

static bool is_bare_jump(const struct function_ir *ir, uint32_t block)
{
    return end_of(ir, block) == JUMPS_AHEAD && ir->blocks[block].end == ir->blocks[block].first + 1;
}

/* The block behind the if that `block` ends with; IR_NONE: it is none that becomes predicates. An
 * arm is one block, and stores nothing:
 *
 *     @p bra L; arm; L:    @p bra E; arm; bra L; E: other arm; L:
 *     @p bra A; bra E; A: arm; bra L; E: other arm; L: */
static uint32_t block_behind_if(const struct function_ir *ir, uint32_t block, uint32_t end)
{
    const uint32_t turned =
        block + 1 <= end && is_bare_jump(ir, block + 1) && target_of(ir, block + 1) == block + 3;
    const uint32_t arm = block + 1 + turned, other = arm + 1, behind = arm + 2;
    if (other > end || target_of(ir, block) != (turned ? arm : other) || stores(ir, arm)) {
        return IR_NONE;
    }
    if (end_of(ir, arm) == GOES_ON && !turned) {
        return other;
    }
    const bool both = end_of(ir, arm) == JUMPS_AHEAD && behind <= end &&
                      target_of(ir, arm) == behind && end_of(ir, other) == GOES_ON &&
                      !stores(ir, other);
    return both ? behind : IR_NONE;
}

/* Is the loop one block, or blocks in a row with such ifs between them? Then `in_arm` tells whether
 * the instruction, if there is one to ask for, stands in an arm. */
static bool is_row_of_ifs(const struct function_ir *ir, const struct counted_loop *loop,
                          uint32_t insn, bool *in_arm)
{
    const uint32_t end = ir->insns[loop->last].block;
    *in_arm = false;
    for (uint32_t b = ir->insns[loop->first].block; b != end;) {
        uint32_t next = b + 1;
        if (end_of(ir, b) == BRANCHES) {
            next = block_behind_if(ir, b, end);
            *in_arm |=
                next != IR_NONE && insn >= ir->blocks[b].end && insn < ir->blocks[next].first;
        } else if (end_of(ir, b) != GOES_ON) {
            next = IR_NONE;
        }
        if (next == IR_NONE) {
            return false;
        }
        b = next;
    }
    return true;
}

bool unroll_is_in_arm(const struct function_ir *ir, const struct counted_loop *loop, uint32_t insn)
{
    bool in_arm;
    return is_row_of_ifs(ir, loop, insn, &in_arm) && in_arm;
}

/* --- what stands in it ------------------------------------------------------------------------ */

/* What is left as it is: code that becomes several basic blocks, waits for other lanes, stores to
 * other memory than global, or loads from other than that, constants, and shared. */
static bool may_be_repeated(const struct ptx_insn *in)
{
    if (op_table[in->op].memory != MEMORY_NONE) {
        enum ptx_space space = ir_access_of(in).space;
        bool loads = op_table[in->op].memory == MEMORY_READS;
        if (space != PTX_GLOBAL && !(loads && (space == PTX_SHARED || space == PTX_CONST))) {
            return false;
        }
    }
    bool fast = ptx_has_modifier(in, WORD_APPROX) || ptx_has_modifier(in, WORD_FULL);
    return op_is(in->op, OP_REPEATS) || (fast && op_is(in->op, OP_REPEATS_APPROX));
}

/* Does the register begin as a sum with an unsigned index, widened? */
static bool begins_at_unsigned(const struct function_ir *ir, uint32_t reg, uint32_t before)
{
    enum { STEPS = 4 };
    for (unsigned steps = 0; steps < STEPS && reg != PTX_NO_REG; steps++) {
        const struct ir_reg *r = &ir->regs[reg];
        const uint32_t writer = r->writer_count > 0 ? ir->writers[r->first_writer] : IR_NONE;
        if (writer >= before) { /* none, too */
            return false;
        }
        const struct ptx_insn *in = unroll_text(ir, writer);
        if (in->op == PTX_OP_MUL) {
            return ptx_has_modifier(in, WORD_WIDE) && ir_type_of(in) == PTX_U32;
        }
        if (in->op != PTX_OP_ADD || in->operand_count != 3) {
            return false;
        }
        const bool by_number = in->operands[2].kind == PTX_OPERAND_INT;
        reg = in->operands[by_number ? 1 : 2].reg;
    }
    return false;
}

/* Is the address a register that the loop leaves alone, or only adds numbers to? LLVM proves that
 * an unsigned index stays below its bound, and advances a pointer; nvcc widens the index in each
 * round. Whose code it is, the alignment tells, which LLVM's alone has. */
static bool is_direct(const struct function_ir *ir, const struct counted_loop *loop, uint32_t insn)
{
    const struct ptx_operand *address = ir_access_of(unroll_text(ir, insn)).address;
    if (address == NULL || address->reg == PTX_NO_REG) {
        return address != NULL;
    }
    if (unroll_text(ir, insn)->loc->align > 0 &&
        begins_at_unsigned(ir, address->reg, loop->first)) {
        return false;
    }
    const struct ir_reg *r = &ir->regs[address->reg];
    for (uint32_t w = 0; w < r->writer_count; w++) {
        const uint32_t writer = ir->writers[r->first_writer + w];
        const struct ptx_insn *in = unroll_text(ir, writer);
        if (writer >= loop->first && writer < loop->last &&
            (in->op != PTX_OP_ADD || !unroll_is_register(&in->operands[1], address->reg) ||
             in->operands[2].kind != PTX_OPERAND_INT)) {
            return false;
        }
    }
    return true;
}

/* A loop that stores is unrolled only if all of its addresses are direct. */
static bool stores_are_direct(const struct function_ir *ir, const struct counted_loop *loop)
{
    bool writes = false, direct = true;
    for (uint32_t i = loop->first; i < loop->last; i++) {
        if (ir_info(ir, i)->class == CLASS_MEMORY) {
            writes |= ir_info(ir, i)->memory == MEMORY_WRITES;
            direct &= is_direct(ir, loop, i);
        }
    }
    return direct || !writes;
}

/* --- what it costs ---------------------------------------------------------------------------- */

/* Does the register hold a number, the same in all rounds? */
static bool is_number(const struct function_ir *ir, const struct ptx_operand *o)
{
    const uint32_t writer = o->kind == PTX_OPERAND_REG ? ir_only_writer(ir, o->reg) : IR_NONE;
    return writer != IR_NONE && ir_op(ir, writer) == PTX_OP_MOV &&
           unroll_text(ir, writer)->operands[1].kind != PTX_OPERAND_REG;
}

/* A product of integers that only a sum reads is one instruction with it; but that takes one number
 * at most, and products of integers have one as a rule. Floats are joined later than this. */
static bool is_part_of_sum(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = unroll_text(ir, insn);
    const struct ir_regs w = ir_written(ir, insn);
    if (in->op != PTX_OP_MUL || w.count != 1 || ir->regs[w.reg[0]].reader_count != 1 ||
        ptx_type_bytes(ir->regs[w.reg[0]].type) != 4 || ptx_is_float(ir_type_of(in)) ||
        ptx_has_modifier(in, WORD_HI)) {
        return false;
    }
    const uint32_t reader = ir->readers[ir->regs[w.reg[0]].first_reader];
    const struct ptx_insn *sum = unroll_text(ir, reader);
    return (sum->op == PTX_OP_ADD || sum->op == PTX_OP_SUB) && !is_number(ir, &sum->operands[1]) &&
           !is_number(ir, &sum->operands[2]);
}

/* A distance from a register is added first, and a narrow value made a whole register after. */
static unsigned cost_of_access(const struct ptx_insn *in)
{
    const struct ir_access a = ir_access_of(in);
    const bool narrow = a.type != PTX_NO_TYPE && ptx_type_bytes(a.type) < 4;
    const bool adds = a.address != NULL && a.address->reg != PTX_NO_REG && a.address->bits != 0;
    return 1 + adds + (narrow && op_table[in->op].memory == MEMORY_READS);
}

/* Without .ftz, numbers that are very small are scaled before and after. */
static unsigned cost_of_scaled(const struct ptx_insn *in)
{
    const bool fast = ptx_has_modifier(in, WORD_FTZ);
    if (in->op == PTX_OP_DIV && ptx_has_modifier(in, WORD_FULL)) {
        return fast ? 7 : 11;
    }
    if (in->op == PTX_OP_DIV) {
        return fast ? 2 : 6;
    }
    const unsigned slow = in->op == PTX_OP_RCP ? 7 : 6;
    return fast ? 1 : slow;
}

static unsigned cost_of(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = unroll_text(ir, insn);
    const struct op_info *info = ir_info(ir, insn);
    const bool is_sign = in->op == PTX_OP_NEG || in->op == PTX_OP_ABS;
    unsigned cost = 1;
    if (info->class == CLASS_MOVE || (is_sign && ptx_is_float(ir_type_of(in))) ||
        is_part_of_sum(ir, insn) ||
        (in->op == PTX_OP_BRA && is_bare_jump(ir, ir->insns[insn].block))) {
        cost = 0; /* part of what reads it */
    } else if (info->class == CLASS_MEMORY) {
        cost = cost_of_access(in);
    } else if (op_is(in->op, OP_SCALES)) {
        cost = cost_of_scaled(in);
    } else if (in->op == PTX_OP_MAD && ptx_has_modifier(in, WORD_WIDE)) {
        cost = 4;
    }
    return cost + (in->guard != NULL && in->op != PTX_OP_BRA);
}

bool unroll_body_may_be_repeated(const struct function_ir *ir, const struct counted_loop *loop)
{
    unsigned accesses = 0, cost = 0, room = 0;
    bool in_arm;
    if (!is_row_of_ifs(ir, loop, IR_NONE, &in_arm)) {
        return false;
    }
    for (uint32_t i = loop->first; i < loop->last; i++) {
        const struct ptx_insn *in = unroll_text(ir, i);
        if (in->op != PTX_OP_BRA && !may_be_repeated(in)) {
            return false;
        }
        if (ir_info(ir, i)->class == CLASS_MEMORY) {
            accesses++;
            room += ir_access_of(in).space == PTX_SHARED ? ROOM_PER_SHARED_LOAD : 0;
        }
        cost += cost_of(ir, i);
    }
    room = room < ROOM_BEGINS ? 0 : room - ROOM_BEGINS;
    return accesses > 0 && cost <= MOST_COST + (room < MOST_ROOM ? room : MOST_ROOM) &&
           stores_are_direct(ir, loop);
}

bool unroll_fours_fit(const struct function_ir *ir, const struct counted_loop *loop)
{
    enum { ROUNDS = 4, OF_COUNTER = 2 }; /* its step and its comparison, once for all four */
    unsigned cost = 0;
    for (uint32_t i = loop->first; i < loop->last; i++) {
        cost += cost_of(ir, i);
    }
    return ROUNDS * cost <= MOST_COST + (ROUNDS - 1) * OF_COUNTER;
}
