/* ir.c - references and def-use lists of a function. Basic blocks are in ir_blocks.c, questions
 * about one instruction in ir_insn.c. */
#include "ir/ir.h"

#include "ir/ir_blocks.h"

/* --- references ------------------------------------------------------------------------------ */

static bool writes_first(const struct ptx_insn *in)
{
    switch (op_table[in->op].writes) {
    case WRITES_NOTHING:
        return false;
    case WRITES_IF_RED:
        return ptx_has_modifier(in, WORD_RED);
    case WRITES_IF_REGISTER:
        return in->operand_count > 0 && in->operands[0].kind != PTX_OPERAND_MEMORY;
    case WRITES_LIST:
        return in->operand_count > 0 && in->operands[0].kind == PTX_OPERAND_LIST;
    default:
        return in->operand_count > 0;
    }
}

struct ref_list {
    uint32_t *refs;
    unsigned count, capacity;
    struct arena *arena;
};

static void add_ref(struct ref_list *l, uint32_t reg)
{
    l->refs = arena_grow(l->arena, l->refs, l->count, &l->capacity, sizeof *l->refs);
    l->refs[l->count++] = reg;
}

static void add_operand(struct ref_list *l, const struct ptx_operand *o)
{
    if (o->reg != PTX_NO_REG) {
        add_ref(l, o->reg);
    }
    for (unsigned i = 0; i < o->item_count; i++) {
        add_operand(l, &o->items[i]);
    }
}

static void find_refs(struct function_ir *ir)
{
    struct ref_list l = {.arena = ir->context->keep, .capacity = 4 * ir->insn_count + 1};
    l.refs = arena_alloc(l.arena, l.capacity * sizeof *l.refs); /* most have two or three */
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        struct ir_insn *in = &ir->insns[i];
        const struct ptx_insn *text = in->text;
        bool writes = writes_first(text);
        in->refs = l.count;
        if (writes) {
            add_operand(&l, &text->operands[0]);
        }
        in->written = (uint16_t)(l.count - in->refs);
        if (text->guard != NULL) {
            add_operand(&l, text->guard);
        }
        for (unsigned k = writes ? 1 : 0; k < text->operand_count; k++) {
            add_operand(&l, &text->operands[k]);
        }
        in->read = (uint16_t)(l.count - in->refs - in->written);
    }
    ir->refs = l.refs;
}

/* Lists of all registers lie in one array each: first how long each list is, then where it starts,
 * then what is in it. */
static void find_writers_and_readers(struct function_ir *ir)
{
    uint32_t written = 0, read = 0;
    for (uint32_t r = 0; r < ir->reg_count; r++) {
        ir->regs[r].writer_count = ir->regs[r].reader_count = 0;
    }
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        struct ir_regs w = ir_written(ir, i), r = ir_read(ir, i);
        for (unsigned k = 0; k < w.count; k++) {
            ir->regs[w.reg[k]].writer_count++;
        }
        for (unsigned k = 0; k < r.count; k++) {
            ir->regs[r.reg[k]].reader_count++;
        }
    }
    for (uint32_t r = 0; r < ir->reg_count; r++) {
        struct ir_reg *reg = &ir->regs[r];
        reg->first_writer = written;
        reg->first_reader = read;
        written += reg->writer_count;
        read += reg->reader_count;
        reg->writer_count = reg->reader_count = 0;
    }
    ir->writers = arena_alloc(ir->context->keep, (written + 1) * sizeof *ir->writers);
    ir->readers = arena_alloc(ir->context->keep, (read + 1) * sizeof *ir->readers);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        struct ir_regs w = ir_written(ir, i), r = ir_read(ir, i);
        for (unsigned k = 0; k < w.count; k++) {
            struct ir_reg *reg = &ir->regs[w.reg[k]];
            ir->writers[reg->first_writer + reg->writer_count++] = i;
        }
        for (unsigned k = 0; k < r.count; k++) {
            struct ir_reg *reg = &ir->regs[r.reg[k]];
            ir->readers[reg->first_reader + reg->reader_count++] = i;
        }
    }
}

bool ir_analyse(struct function_ir *ir)
{
    find_refs(ir);
    find_writers_and_readers(ir);
    return ir_find_blocks(ir);
}

struct function_ir *ir_build(const struct ir_context *context, const struct ptx_func *func)
{
    struct arena *a = context->keep;
    struct function_ir *ir = arena_alloc(a, sizeof *ir);
    ir->context = context;
    ir->func = func;
    ir->insn_count = func->insn_count;
    ir->insns = arena_alloc(a, (ir->insn_count + 1) * sizeof *ir->insns);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        ir->insns[i].text = &func->insns[i];
    }
    ir->reg_count = func->reg_count;
    ir->regs = arena_alloc(a, (ir->reg_count + 1) * sizeof *ir->regs);
    for (uint32_t r = 0; r < ir->reg_count; r++) {
        const struct ptx_reg *reg = &func->regs[r];
        ir->regs[r] =
            (struct ir_reg){.name = reg->name, .variable = reg->variable, .type = reg->type};
    }
    ir->label_count = func->label_count;
    ir->labels = arena_alloc(a, (ir->label_count + 1) * sizeof *ir->labels);
    for (uint32_t i = 0; i < ir->label_count; i++) {
        const struct ptx_label *l = &func->labels[i];
        ir->labels[i] = (struct ir_label){l->name, l->insn, l->no_unroll};
    }
    return ir_analyse(ir) ? ir : NULL;
}

void ir_finish(struct function_ir *ir)
{
    ir->context = NULL;
    ir->label_of = (struct names){0};
    ir->reconvergence = (struct ir_reconvergence){0};
}

/* --- questions ------------------------------------------------------------------------------- */

bool ir_writes(const struct function_ir *ir, uint32_t insn, uint32_t reg)
{
    struct ir_regs w = ir_written(ir, insn);
    for (unsigned k = 0; k < w.count; k++) {
        if (w.reg[k] == reg) {
            return true;
        }
    }
    return false;
}

uint32_t ir_only_writer(const struct function_ir *ir, uint32_t reg)
{
    const struct ir_reg *r = &ir->regs[reg];
    if (r->writer_count != 1) {
        return IR_NONE;
    }
    uint32_t writer = ir->writers[r->first_writer];
    return ir->insns[writer].text->guard == NULL ? writer : IR_NONE;
}
