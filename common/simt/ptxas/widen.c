/* widen.c - of neighbouring stores to global memory, ptxas makes one where it knows that it may.
 *
 * The compiler stores the fields of a struct one by one. Of `struct { int a, b; double c; }` ptxas
 * makes two stores of 8 bytes, since the double tells how far the struct is aligned (aligned.h).
 * The rules were read from the code that ptxas 13.0 makes of some hundred rows of stores, for sm_90
 * (tests/fidelity/README.md):
 *
 *   - A unit is a store of 2, 4 or 8 bytes, or of a vector of 1- or 2-byte elements that is as
 * wide. A single byte is none. Two elements of 4 bytes, or four of 2, are a unit of 8 of their own.
 *   - Four units of 2 or 4 bytes that fill four times as much, aligned, become one store; else two
 *     that fill twice as much. Units of 8 bytes come in pairs alone.
 *   - They are of one kind and from one base, and follow each other with nothing between them but
 *     arithmetic and other memory than global. A store to another group of four parts them.
 *
 * The store stands where its last unit stood. Vectors of small elements are packed first, as PTX
 * has no store that mixes them with others. Those that were loaded are not, though ptxas does it:
 * see is_computed(). */
#include "ptxas/aligned.h"
#include "ptxas/passes.h"

#include <string.h>

enum { UNITS = 4, LARGEST = 16, UNIT_REGISTERS = 3 };

struct unit {
    uint32_t insn;
    struct address at;
    unsigned bytes;
    bool of_two; /* elements of its own */
};

/* Units that become one store, in the place of the last of them. */
struct wide_store {
    unsigned count;       /* 0: none ends here */
    uint32_t unit[UNITS]; /* instructions, by address */
};

struct widening {
    struct function_ir *ir; /* as it was, until all is appended */
    struct aligned aligned;
    struct unit run[UNITS];
    unsigned run_count;
    struct wide_store *wide; /* per instruction */
    bool *goes;              /* per instruction: it is part of a wider one */
    unsigned packed;         /* registers wanted */
    struct ir_insn *insns;
    uint32_t insn_count;
    unsigned insn_capacity;
};

static const struct ptx_insn *text_of(const struct widening *w, uint32_t insn)
{
    return w->ir->insns[insn].text;
}

/* --- which ------------------------------------------------------------------------------------ */

/* Was it computed, wherever it was written? What is copied from memory may be padding, and have no
 * value (SIMT_CHECK=uninitialised), and once packed the others would seem to have none. */
static bool is_computed(const struct function_ir *ir, uint32_t reg)
{
    const struct ir_reg *r = &ir->regs[reg];
    bool all = r->writer_count > 0;
    for (uint32_t k = 0; k < r->writer_count; k++) {
        const struct ptx_insn *writer = ir->insns[ir->writers[r->first_writer + k]].text;
        all &= op_table[writer->op].memory == MEMORY_NONE;
    }
    return all;
}

static bool can_be_packed(const struct widening *w, const struct ptx_operand *vector)
{
    bool all = true;
    for (unsigned k = 0; k < vector->item_count; k++) {
        const struct ptx_operand *item = &vector->items[k];
        all &= item->kind == PTX_OPERAND_REG && item->reg != PTX_NO_REG &&
               ptx_type_bytes(w->ir->regs[item->reg].type) == 2 && is_computed(w->ir, item->reg);
    }
    return all;
}

/* A store that others wait for, or that must be made as it is written. */
static bool is_strong(const struct ptx_insn *in, const struct ir_access *access)
{
    return access->is_volatile || ptx_has_modifier(in, WORD_RELAXED) ||
           ptx_has_modifier(in, WORD_RELEASE) || ptx_has_modifier(in, WORD_MMIO);
}

static bool find_unit(const struct widening *w, uint32_t insn, const struct ir_access *access,
                      struct unit *u)
{
    const struct ptx_insn *in = text_of(w, insn);
    const unsigned element = ptx_type_bytes(access->type), bytes = element * access->elements;
    if (in->op != PTX_OP_ST || in->guard != NULL || is_strong(in, access) ||
        in->operand_count != 2 || access->space != PTX_GLOBAL || access->address == NULL ||
        (bytes != 2 && bytes != 4 && bytes != 8)) {
        return false;
    }
    const struct ptx_operand *value = &in->operands[1];
    const bool is_vector = access->elements > 1;
    if (is_vector != (value->kind == PTX_OPERAND_VECTOR) ||
        (is_vector && element < 4 && !can_be_packed(w, value))) {
        return false;
    }
    *u = (struct unit){.insn = insn, .bytes = bytes, .of_two = is_vector && bytes == 8};
    return (element < 4 || !is_vector || u->of_two) &&
           aligned_address(&w->aligned, insn, access->address, &u->at);
}

/* The aligned bytes that units of its kind can fill. */
static unsigned most_bytes(const struct unit *u)
{
    const unsigned most = UNITS * u->bytes;
    return most < LARGEST ? most : LARGEST;
}

static bool same_group(const struct unit *a, const struct unit *b)
{
    const int64_t most = most_bytes(a);
    return a->bytes == b->bytes && a->of_two == b->of_two && address_same_root(&a->at, &b->at) &&
           (a->at.offset & -most) == (b->at.offset & -most);
}

/* Is a register that the unit reads written again before `last`? */
static bool changes_before(const struct widening *w, const struct unit *u, uint32_t last)
{
    const struct ir_regs read = ir_read(w->ir, u->insn);
    for (uint32_t i = u->insn + 1; i < last; i++) {
        for (unsigned k = 0; k < read.count; k++) {
            if (ir_writes(w->ir, i, read.reg[k])) {
                return true;
            }
        }
    }
    return false;
}

/* `count` units of the run, by address from its `first` place of the group on: are they there? */
static bool make_wide(struct widening *w, const uint8_t *place, unsigned first, unsigned count)
{
    struct wide_store wide = {.count = count};
    uint32_t last = 0;
    for (unsigned k = first; k < first + count; k++) {
        if (place[k] == 0) {
            return false;
        }
        const uint32_t insn = w->run[place[k] - 1].insn;
        wide.unit[k - first] = insn;
        last = insn > last ? insn : last;
    }
    for (unsigned k = first; k < first + count; k++) {
        if (changes_before(w, &w->run[place[k] - 1], last)) {
            return false;
        }
    }
    for (unsigned k = 0; k < count; k++) {
        w->goes[wide.unit[k]] = true;
    }
    w->wide[last] = wide;
    w->packed += count * UNIT_REGISTERS;
    return true;
}

static void end_run(struct widening *w)
{
    const unsigned count = w->run_count;
    uint8_t place[UNITS] = {0}; /* 1 + index of the unit that lies there */
    w->run_count = 0;
    if (count < 2) {
        return;
    }
    const unsigned bytes = w->run[0].bytes, most = most_bytes(&w->run[0]);
    const unsigned aligned = w->run[0].at.zeros > 4 ? LARGEST : 1u << w->run[0].at.zeros;
    for (unsigned i = 0; i < count; i++) {
        place[(unsigned)(w->run[i].at.offset & (int64_t)(most - 1)) / bytes] = (uint8_t)(i + 1);
    }
    if (aligned >= most && make_wide(w, place, 0, most / bytes)) {
        return;
    }
    for (unsigned k = 0; aligned >= 2 * bytes && k + 1 < most / bytes; k += 2) {
        make_wide(w, place, k, 2);
    }
}

static bool is_stored(const struct widening *w, const struct unit *u)
{
    bool any = false;
    for (unsigned i = 0; i < w->run_count; i++) {
        any |= w->run[i].at.offset == u->at.offset;
    }
    return any;
}

static void add_unit(struct widening *w, const struct unit *u)
{
    const bool whole = (u->at.offset & (int64_t)(u->bytes - 1)) == 0;
    if (w->run_count > 0 && (!whole || !same_group(&w->run[0], u) || is_stored(w, u))) {
        end_run(w);
    }
    if (whole) {
        w->run[w->run_count++] = *u;
    }
}

/* Does the instruction, which is no unit, end a run? */
static bool disturbs(const struct ptx_insn *in, const struct ir_access *access)
{
    if (op_table[in->op].memory == MEMORY_NONE) {
        return op_is(in->op, OP_PARTS_MERGES) || ir_becomes_call(in);
    }
    return access->space == PTX_GLOBAL || access->space == PTX_GENERIC;
}

static bool find_wide(struct widening *w)
{
    const struct function_ir *ir = w->ir;
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        const struct ptx_insn *in = text_of(w, i);
        struct ir_access access = {.space = PTX_GENERIC};
        struct unit u;
        if (op_table[in->op].memory != MEMORY_NONE) {
            access = ir_access_of(in);
        }
        if (i == ir->blocks[ir->insns[i].block].first) {
            end_run(w);
        }
        if (op_table[in->op].memory == MEMORY_WRITES && find_unit(w, i, &access, &u)) {
            add_unit(w, &u);
        } else if (disturbs(in, &access)) {
            end_run(w);
        }
    }
    end_run(w);
    return w->packed > 0;
}

/* --- the new code ----------------------------------------------------------------------------- */

static struct arena *keep_of(const struct widening *w) { return w->ir->context->keep; }

static void append(struct widening *w, const struct ptx_insn *text)
{
    w->insns = arena_grow(keep_of(w), w->insns, w->insn_count, &w->insn_capacity, sizeof *w->insns);
    w->insns[w->insn_count++] = (struct ir_insn){.text = text};
}

static struct ptx_operand new_register(struct widening *w, enum ptx_type type)
{
    struct function_ir *ir = w->ir;
    const char *name = "%packed";
    ir->regs[ir->reg_count] = (struct ir_reg){.name = name, .type = type};
    return (struct ptx_operand){.kind = PTX_OPERAND_REG, .reg = ir->reg_count++, .name = name};
}

/* OP.WORD.TYPE to, a, b, c: as many operands as there are */
static void append_new(struct widening *w, const struct ptx_insn *like, enum ptx_op op,
                       enum ptx_word word, enum ptx_type type, const struct ptx_operand *operands,
                       unsigned count)
{
    struct ptx_insn *in = arena_alloc(keep_of(w), sizeof *in);
    struct ptx_modifier *m = arena_alloc(keep_of(w), 2 * sizeof *m);
    *in = (struct ptx_insn){.op = op,
                            .op_name = op_table[op].text,
                            .modifiers = m,
                            .operand_count = count,
                            .loc = like->loc,
                            .text_line = like->text_line};
    if (word != WORD_OTHER) {
        m[in->modifier_count++] = (struct ptx_modifier){word, PTX_NO_TYPE, ptx_word_text(word)};
    }
    m[in->modifier_count++] = (struct ptx_modifier){WORD_OTHER, type, ptx_type_name(type)};
    in->operands = arena_alloc(keep_of(w), (count + 1) * sizeof *in->operands);
    memcpy(in->operands, operands, count * sizeof *in->operands);
    append(w, in);
}

static struct ptx_operand integer(uint64_t bits)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_INT, .reg = PTX_NO_REG, .bits = bits};
}

/* and.b16 low, a, 255; mad.lo.u16 to, b, 256, low: of two bytes, one register */
static struct ptx_operand join_bytes(struct widening *w, const struct ptx_insn *like,
                                     const struct ptx_operand *bytes)
{
    const struct ptx_operand to = new_register(w, PTX_B16);
    const struct ptx_operand low[] = {to, bytes[0], integer(0xff)};
    const struct ptx_operand both[] = {to, bytes[1], integer(0x100), to};
    append_new(w, like, PTX_OP_AND, WORD_OTHER, PTX_B16, low, ARRAY_LENGTH(low));
    append_new(w, like, PTX_OP_MAD, WORD_LO, PTX_U16, both, ARRAY_LENGTH(both));
    return to;
}

/* mov.b32 to, {a, b} */
static struct ptx_operand join_halves(struct widening *w, const struct ptx_insn *like,
                                      const struct ptx_operand *halves)
{
    struct ptx_operand operands[] = {new_register(w, PTX_B32),
                                     {.kind = PTX_OPERAND_VECTOR, .reg = PTX_NO_REG}};
    operands[1].items = arena_alloc(keep_of(w), 2 * sizeof *operands);
    operands[1].item_count = 2;
    memcpy(operands[1].items, halves, 2 * sizeof *halves);
    append_new(w, like, PTX_OP_MOV, WORD_OTHER, PTX_B32, operands, ARRAY_LENGTH(operands));
    return operands[0];
}

/* What a unit stores, as one value, or two of 4 bytes: how many. */
static unsigned values_of(struct widening *w, uint32_t insn, struct ptx_operand *value)
{
    const struct ptx_insn *in = text_of(w, insn);
    const struct ir_access access = ir_access_of(in);
    const struct ptx_operand *item = in->operands[1].items;
    struct ptx_operand halves[2];
    if (access.elements == 1) {
        value[0] = in->operands[1];
        return 1;
    }
    switch (ptx_type_bytes(access.type)) {
    case 1:
        halves[0] = join_bytes(w, in, item);
        if (access.elements == 4) {
            halves[1] = join_bytes(w, in, item + 2);
        }
        value[0] = access.elements == 4 ? join_halves(w, in, halves) : halves[0];
        return 1;
    case 2:
        value[0] = join_halves(w, in, item);
        if (access.elements == 4) {
            value[1] = join_halves(w, in, item + 2);
        }
        return access.elements / 2;
    default:
        memcpy(value, item, 2 * sizeof *item);
        return 2;
    }
}

static void append_wide(struct widening *w, uint32_t insn)
{
    const struct wide_store *wide = &w->wide[insn];
    const struct ptx_insn *lowest = text_of(w, wide->unit[0]), *last = text_of(w, insn);
    const struct ir_access access = ir_access_of(lowest);
    const unsigned bytes = ptx_type_bytes(access.type) * access.elements;
    struct ptx_operand value[UNITS];
    struct ptx_insn *in = arena_alloc(keep_of(w), sizeof *in);
    unsigned count = 0;
    for (unsigned k = 0; k < wide->count; k++) {
        count += values_of(w, wide->unit[k], value + count);
    }
    const unsigned element = wide->count * bytes / count;
    const enum ptx_type wider = element == 4 ? PTX_B32 : PTX_B64;
    *in = *last;
    in->operands = arena_alloc(keep_of(w), 3 * sizeof *in->operands);
    in->operands[0] = lowest->operands[0];
    in->operands[1] =
        (struct ptx_operand){.kind = PTX_OPERAND_VECTOR, .reg = PTX_NO_REG, .item_count = count};
    in->operands[1].items = arena_alloc(keep_of(w), count * sizeof *value);
    memcpy(in->operands[1].items, value, count * sizeof *value);
    ptx_set_fields(in, last, count, element == 2 ? PTX_B16 : wider, keep_of(w));
    append(w, in);
}

static void make_room_for_registers(struct widening *w)
{
    struct function_ir *ir = w->ir;
    struct ir_reg *regs = arena_alloc(keep_of(w), (ir->reg_count + w->packed) * sizeof *regs);
    memcpy(regs, ir->regs, ir->reg_count * sizeof *regs);
    ir->regs = regs;
}

bool pass_widen(struct function_ir *ir)
{
    struct arena *scratch = ir->context->scratch;
    const struct flow flow = flow_of(scratch, ir->edges, ir->block_count);
    struct widening w = {.ir = ir, .aligned = aligned_find(ir, &flow)};
    uint32_t next_label = 0;
    w.wide = arena_alloc(scratch, (ir->insn_count + 1) * sizeof *w.wide);
    w.goes = arena_alloc(scratch, (ir->insn_count + 1) * sizeof *w.goes);
    if (!find_wide(&w)) {
        return true;
    }
    make_room_for_registers(&w);
    for (uint32_t i = 0; i <= ir->insn_count; i++) {
        for (; next_label < ir->label_count && ir->labels[next_label].insn == i; next_label++) {
            ir->labels[next_label].insn = w.insn_count;
        }
        if (i == ir->insn_count) {
            break;
        }
        if (w.wide[i].count > 0) {
            append_wide(&w, i);
        } else if (!w.goes[i]) {
            append(&w, ir->insns[i].text);
        }
    }
    ir->insns = w.insns;
    ir->insn_count = w.insn_count;
    return ir_analyse(ir);
}
