/* fuse.c - see fuse.h. The machine has sums of three numbers (IADD3), any function of three words
 * (LOP3), products with a sum (IMAD, also of 64 bits), shifts with a sum (LEA), and constants in
 * the addresses of loads and stores: what PTX says in two instructions is one there. */
#include "time/fuse.h"

/* USES: more than a product has as an index. DEEPEST: sums of sums that are looked at. */
enum { USES = 8, DEEPEST = 8 };

static const struct ptx_insn *text(const struct function_ir *ir, uint32_t insn)
{
    return ir->insns[insn].text;
}

static bool is_reg(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG && o->reg != PTX_NO_REG;
}

static bool is_int(const struct ptx_operand *o) { return o->kind == PTX_OPERAND_INT; }

static bool is_sum(const struct ptx_insn *in)
{
    return (in->op == PTX_OP_ADD || in->op == PTX_OP_SUB) && !ptx_is_real(ir_type_of(in)) &&
           in->operand_count == 3;
}

static bool is_logic(const struct ptx_insn *in)
{
    return op_is(in->op, OP_BITWISE) && ir_type_of(in) != PTX_PRED;
}

static bool is_wide(const struct ptx_insn *in) { return ptx_type_bytes(ir_type_of(in)) == 8; }

static bool is_product(const struct ptx_insn *in)
{
    return in->op == PTX_OP_MUL && !ptx_is_real(ir_type_of(in)) && !ptx_has_modifier(in, WORD_HI);
}

/* c << 2, or c * 4 made wide: a LEA or an IMAD.WIDE does it, and a sum with it. */
static bool is_scaling(const struct ptx_insn *in)
{
    return (in->op == PTX_OP_SHL && is_int(&in->operands[2])) || is_product(in);
}

/* The one register that it writes, whatever happens; else IR_NONE. */
static uint32_t result_of(const struct function_ir *ir, uint32_t insn)
{
    const struct ir_regs w = ir_written(ir, insn);
    return w.count == 1 && text(ir, insn)->guard == NULL ? w.reg[0] : IR_NONE;
}

static bool reads(const struct function_ir *ir, uint32_t insn, uint32_t reg)
{
    const struct ir_regs r = ir_read(ir, insn);
    for (unsigned i = 0; i < r.count; i++) {
        if (r.reg[i] == reg) {
            return true;
        }
    }
    return false;
}

/* Who reads what an instruction computes. A register may be written again: loops that were unrolled
 * use theirs several times. */
struct uses {
    uint32_t reg;          /* IR_NONE: it is unknown */
    uint32_t reader[USES]; /* in its block; */
    unsigned count;        /* USES: or more */
    bool elsewhere;        /* and behind it */
};

static struct uses uses_of_only_value(const struct function_ir *ir, uint32_t insn, uint32_t reg)
{
    const struct ir_reg *r = &ir->regs[reg];
    struct uses u = {.reg = reg};
    for (uint32_t i = 0; i < r->reader_count && u.count < USES; i++) {
        const uint32_t reader = ir->readers[r->first_reader + i];
        u.elsewhere |= ir->insns[reader].block != ir->insns[insn].block || reader < insn;
        if (u.count == 0 || u.reader[u.count - 1] != reader) { /* it may read it twice */
            u.reader[u.count++] = reader;
        }
    }
    u.elsewhere |= u.count == USES;
    return u;
}

static struct uses uses_of(const struct function_ir *ir, uint32_t insn)
{
    struct uses u = {.reg = result_of(ir, insn)};
    if (u.reg == IR_NONE) {
        return u;
    }
    if (ir->regs[u.reg].writer_count == 1) { /* the usual case, in kernels of any length */
        return uses_of_only_value(ir, insn, u.reg);
    }
    const uint32_t end = ir->blocks[ir->insns[insn].block].end;
    for (uint32_t i = insn + 1; i < end && u.count < USES; i++) {
        if (reads(ir, i, u.reg)) {
            u.reader[u.count++] = i;
        }
        if (ir_writes(ir, i, u.reg) && text(ir, i)->guard == NULL) {
            return u;
        }
    }
    u.elsewhere = true;
    return u;
}

/* The only instruction that reads what this one computes, in the same block; else IR_NONE. */
static uint32_t only_reader(const struct function_ir *ir, uint32_t insn)
{
    const struct uses u = uses_of(ir, insn);
    return u.reg != IR_NONE && u.count == 1 && !u.elsewhere ? u.reader[0] : IR_NONE;
}

/* Is `reg` but an address there? */
static bool addresses(const struct function_ir *ir, uint32_t insn, uint32_t reg)
{
    if (ir_info(ir, insn)->class != CLASS_MEMORY) {
        return false;
    }
    const struct ptx_operand *address = ir_access_of(text(ir, insn)).address;
    unsigned times = 0;
    const struct ir_regs r = ir_read(ir, insn);
    for (unsigned i = 0; i < r.count; i++) {
        times += r.reg[i] == reg;
    }
    return address != NULL && address->reg == reg && times == 1;
}

static bool is_constant_sum(const struct ptx_insn *in)
{
    return is_sum(in) && is_int(&in->operands[2]);
}

/* A constant added to an address, which loads and stores add themselves. */
static bool becomes_offset(const struct function_ir *ir, uint32_t insn)
{
    if (!is_constant_sum(text(ir, insn))) {
        return false;
    }
    const struct uses u = uses_of(ir, insn);
    for (unsigned i = 0; i < u.count; i++) {
        if (!addresses(ir, u.reader[i], u.reg)) {
            return false;
        }
    }
    return u.count > 0 && !u.elsewhere;
}

/* Are all that read it sums of 64 bits, which take the product in? */
static bool becomes_wide_sums(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = text(ir, insn);
    if (!is_product(in) || !ptx_has_modifier(in, WORD_WIDE)) {
        return false;
    }
    const struct uses u = uses_of(ir, insn);
    for (unsigned i = 0; i < u.count; i++) {
        const struct ptx_insn *reader = text(ir, u.reader[i]);
        if (!is_sum(reader) || !is_wide(reader) || is_int(&reader->operands[2])) {
            return false;
        }
    }
    return u.count > 0 && !u.elsewhere;
}

/* Who has written it in this block, before `insn`; IR_NONE: nobody, or not for certain. */
static uint32_t writer_of(const struct function_ir *ir, uint32_t insn, const struct ptx_operand *o)
{
    if (!is_reg(o)) {
        return IR_NONE;
    }
    const struct ir_reg *r = &ir->regs[o->reg];
    const uint32_t block = ir->insns[insn].block;
    if (r->writer_count == 1) {
        const uint32_t only = ir->writers[r->first_writer];
        return only < insn && ir->insns[only].block == block && text(ir, only)->guard == NULL
                   ? only
                   : IR_NONE;
    }
    for (uint32_t i = insn; i-- > ir->blocks[block].first;) {
        if (ir_writes(ir, i, o->reg)) {
            return text(ir, i)->guard == NULL ? i : IR_NONE;
        }
    }
    return IR_NONE;
}

static bool is_taken_in(const struct function_ir *ir, uint32_t insn, unsigned depth);

/* Has it three operands already, since it does the work of one that writes one of them? */
static bool is_full(const struct function_ir *ir, uint32_t insn, unsigned depth)
{
    const struct ptx_insn *in = text(ir, insn);
    for (unsigned k = 1; k < in->operand_count && depth < DEEPEST; k++) {
        const uint32_t writer = writer_of(ir, insn, &in->operands[k]);
        if (writer != IR_NONE && only_reader(ir, writer) == insn &&
            is_taken_in(ir, writer, depth + 1)) {
            return true;
        }
    }
    return false;
}

/* Does its one reader do this one's work, too? Of two that it could do, the one in front. */
static bool is_taken_in(const struct function_ir *ir, uint32_t insn, unsigned depth)
{
    const uint32_t reader = only_reader(ir, insn);
    const struct ptx_insn *in = text(ir, insn);
    if (reader == IR_NONE) {
        return false;
    }
    const struct ptx_insn *by = text(ir, reader);
    const bool sum = is_sum(by) && !is_wide(by) && (is_sum(in) || is_scaling(in)) && !is_wide(in);
    const bool logic = is_logic(by) && is_logic(in) && is_wide(in) == is_wide(by);
    if ((!sum && !logic) || is_full(ir, insn, depth)) {
        return false;
    }
    for (unsigned k = 1; k < by->operand_count; k++) {
        const uint32_t writer = writer_of(ir, reader, &by->operands[k]);
        if (writer == insn) {
            return true;
        }
        if (writer != IR_NONE && only_reader(ir, writer) == reader) {
            const struct ptx_insn *other = text(ir, writer);
            if (logic ? is_logic(other) : is_sum(other) || is_scaling(other)) {
                return false; /* that one is */
            }
        }
    }
    return false;
}

/* A sum of 64 bits one of whose parts is a product that it takes in: an IMAD.WIDE. */
static bool takes_product(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = text(ir, insn);
    for (unsigned k = 1; is_sum(in) && is_wide(in) && k < 3; k++) {
        const uint32_t writer = writer_of(ir, insn, &in->operands[k]);
        if (writer != IR_NONE && becomes_wide_sums(ir, writer)) {
            return true;
        }
    }
    return false;
}

/* A product all of whose readers are sums that ptxas joins with it: FFMA does both. */
static bool is_joined(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = text(ir, insn);
    if (in->op != PTX_OP_MUL || !ptx_is_real(ir_type_of(in))) {
        return false;
    }
    const struct uses u = uses_of(ir, insn);
    for (unsigned i = 0; i < u.count; i++) {
        if (ir->insns[u.reader[i]].product_before != u.reader[i] - insn) {
            return false;
        }
    }
    return u.count > 0 && !u.elsewhere;
}

static bool is_unsigned_word(enum ptx_type type)
{
    return ptx_type_bytes(type) <= 4 && ptx_type_name(type)[0] != 's';
}

/* Is the upper half of what it reads 0? */
static bool is_narrow(const struct function_ir *ir, const struct ptx_operand *o, unsigned depth)
{
    if (is_int(o)) {
        return o->bits >> 32 == 0;
    }
    if (!is_reg(o) || ir->regs[o->reg].writer_count != 1 || depth == DEEPEST) {
        return false;
    }
    const uint32_t writer = ir->writers[ir->regs[o->reg].first_writer];
    const struct ptx_insn *by = text(ir, writer);
    if (op_table[by->op].cost == COST_CONVERT) { /* cvt.u64.u32 */
        return is_unsigned_word(by->modifiers[by->modifier_count - 1].type);
    }
    if (op_table[by->op].memory == MEMORY_READS) {
        return is_unsigned_word(ir_type_of(by));
    }
    if (op_table[by->op].cost == COST_SHIFT_RIGHT) {
        return is_int(&by->operands[2]) && by->operands[2].bits >= 32 &&
               ptx_type_name(ir_type_of(by))[0] != 's';
    }
    const bool bitwise = is_logic(by) && by->operand_count == 3;
    const bool first = bitwise && is_narrow(ir, &by->operands[1], depth + 1);
    const bool second = bitwise && is_narrow(ir, &by->operands[2], depth + 1);
    return by->op == PTX_OP_AND ? first || second : first && second;
}

/* A product of 64 bits of numbers that have 32: IMAD.WIDE, not four products; and the upper half
 * alone, which is the upper register (multiply_256 has 3.8 instructions a product and its sum). */
static bool is_narrow_product(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = text(ir, insn);
    return is_product(in) && is_wide(in) && !ptx_has_modifier(in, WORD_WIDE) &&
           is_narrow(ir, &in->operands[1], 0) && is_narrow(ir, &in->operands[2], 0);
}

static bool is_upper_half(const struct ptx_insn *in)
{
    return in->op == PTX_OP_SHR && is_wide(in) && is_int(&in->operands[2]) &&
           in->operands[2].bits == 32;
}

/* Rows of a fragment whose stride is a constant: it stands in the loads (convolve_wmma). */
static bool has_constant_rows(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = text(ir, insn);
    if (in->op != PTX_OP_WMMA || cost_has_text(in, "mma") || in->operand_count < 3) {
        return false;
    }
    const struct ptx_operand *stride = &in->operands[in->operand_count - 1];
    const uint32_t writer = is_reg(stride) && ir->regs[stride->reg].writer_count == 1
                                ? ir->writers[ir->regs[stride->reg].first_writer]
                                : IR_NONE;
    return is_int(stride) || (writer != IR_NONE && text(ir, writer)->op == PTX_OP_MOV &&
                              is_int(&text(ir, writer)->operands[1]));
}

/* A copy into a register that others write, too, cannot be left out: ways come together there. */
static bool is_needed_copy(const struct function_ir *ir, uint32_t insn)
{
    const struct ir_regs w = ir_written(ir, insn);
    return text(ir, insn)->op == PTX_OP_MOV && w.count == 1 && ir->regs[w.reg[0]].writer_count > 2;
}

/* add c, c, 4 in front of another one: only the last is left of them, the others are constants in
 * addresses. And a comparison that nobody looks at before the next one. */
static bool is_superseded(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = text(ir, insn);
    const uint32_t reg = result_of(ir, insn);
    const bool steps =
        is_constant_sum(in) && is_reg(&in->operands[1]) && in->operands[1].reg == reg;
    if (reg == IR_NONE || ir->regs[reg].writer_count == 1 || !(steps || in->op == PTX_OP_SETP)) {
        return false;
    }
    for (uint32_t i = insn + 1; i < ir->blocks[ir->insns[insn].block].end; i++) {
        if (ir_writes(ir, i, reg)) {
            const struct ptx_insn *next = text(ir, i);
            return next->op == in->op && next->guard == NULL && (!steps || is_constant_sum(next));
        }
        if (!steps && reads(ir, i, reg)) {
            return false;
        }
    }
    return false;
}

/* Parameters and special registers are read by instructions of their own (LDC, S2R). */
static double reads_of_launch(const struct ptx_insn *in)
{
    if (in->op == PTX_OP_LD && ptx_has_modifier(in, WORD_PARAM)) {
        return 0.7; /* others are operands */
    }
    return in->op == PTX_OP_MOV && in->operand_count == 2 &&
           in->operands[1].kind == PTX_OPERAND_SPECIAL;
}

/* Other constants are operands, or come by way of uniform registers. */
bool fuse_loads_constant(const struct function_ir *ir, uint32_t insn)
{
    const struct ptx_insn *in = text(ir, insn);
    if (op_table[in->op].memory != MEMORY_READS || !ptx_has_modifier(in, WORD_CONST)) {
        return false;
    }
    const struct ptx_operand *address = ir_access_of(in).address;
    return address != NULL && address->reg != PTX_NO_REG && ir->uniform != NULL &&
           !ir->uniform[address->reg];
}

/* What a warp does to add up and let one lane go: ballot, first lane, count, product. */
static const struct cost added_up = {.alu = 3, .xu = 1, .other = 2};

struct insn_cost fuse_cost(const struct function_ir *ir, uint32_t insn)
{
    struct insn_cost c = cost_of(text(ir, insn));
    if (becomes_offset(ir, insn) || becomes_wide_sums(ir, insn) || is_taken_in(ir, insn, 0) ||
        is_superseded(ir, insn) || is_joined(ir, insn) || is_upper_half(text(ir, insn))) {
        c.likely = (struct cost){.fma = 0};
        c.chain = 0;
    } else if (is_narrow_product(ir, insn)) {
        c.likely = (struct cost){.fma = 1, .alu = 1};
        c.wait = WAIT_FMA;
        c.chain = 1;
    } else if (takes_product(ir, insn)) {
        c.likely = (struct cost){.fma = 1};
        c.wait = WAIT_FMA;
        c.chain = 1;
    } else if (has_constant_rows(ir, insn)) {
        c.likely.alu = 0;
    } else if (is_needed_copy(ir, insn)) {
        c.likely = (struct cost){.either = 0.6};
    }
    c.likely.lsu += fuse_loads_constant(ir, insn);
    c.likely.other += reads_of_launch(text(ir, insn));
    if (ir->insns[insn].atomic & (ATOMIC_ADDED_UP | ATOMIC_ADDED_IF_FULL)) {
        cost_add(&c.likely, &added_up, 1);
    }
    return c;
}
