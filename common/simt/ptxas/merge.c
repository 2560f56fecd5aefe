/* merge.c - which neighbouring accesses of shared memory does ptxas merge into wider ones?
 *
 * Hardware executes machine code, where loads of 4 or 8 bytes from one base with adjacent constant
 * offsets have become 64- or 128-bit loads. The simulator executes PTX as written, but counts
 * wavefronts as the merged access costs them. The rule was found by reading the code that
 * ptxas 13.0 makes of small kernels for sm_90; tests/fidelity/README.md tells it with examples.
 *
 * Two questions are answered for every address register: by which power of two is it divisible for
 * sure (trailing zeros, to a fixed point, so that loop variables count with start and step), and to
 * which other register plus constant is it equal. */
#include "ptxas/passes.h"

#include <stdlib.h>
#include <string.h>

/* A value that is zero has all low bits zero; sums are followed this far back. */
enum { ALL_ZEROS = 64, MOST_STEPS = 64 };

/* An access that may merge: the bytes at root + offset, of a register's `version` in the block. */
struct shared_access {
    uint32_t insn, root, version;
    unsigned zeros;
    int64_t offset;
    unsigned element, words; /* bytes of an element, how many in a row */
    bool store;
};

struct merging {
    struct function_ir *ir;
    uint8_t *zeros;                /* per register: how many of its low bits are known to be zero */
    struct shared_access *pending; /* of the current run without a disturbance */
    unsigned pending_count, pending_capacity;
};

#define ABSOLUTE IR_NONE /* the root of addresses that are plain numbers */

/* --- trailing zeros ----------------------------------------------------------------------------
 */

static unsigned trailing_zeros(uint64_t bits)
{
    return bits == 0 ? ALL_ZEROS : (unsigned)__builtin_ctzll(bits);
}

static bool address_of(const struct merging *m, const char *name, uint64_t *address)
{
    const struct ir_context *c = m->ir->context;
    return c->address(c->state, name, address);
}

static unsigned zeros_of(const struct merging *m, const struct ptx_operand *o)
{
    uint64_t address;
    switch (o->kind) {
    case PTX_OPERAND_INT:
        return trailing_zeros(o->bits);
    case PTX_OPERAND_SYMBOL:
        return address_of(m, o->name, &address) ? trailing_zeros(address + o->bits) : 0;
    case PTX_OPERAND_REG:
        return o->reg != PTX_NO_REG ? m->zeros[o->reg] : 0;
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
        if (m->type == PTX_F32 || m->type == PTX_F64 || m->word == WORD_SAT ||
            (m->word == WORD_HI && op_table[in->op].zeros == ZEROS_SUM)) {
            return true;
        }
    }
    return false;
}

/* Low zero bits of what the instruction computes. */
static unsigned zeros_of_result(const struct merging *m, const struct ptx_insn *in)
{
    unsigned z[4] = {0};
    const unsigned count = in->operand_count;
    const enum op_zeros rule = op_table[in->op].zeros;
    if (rule == ZEROS_UNKNOWN || has_other_bits(in)) {
        return 0;
    }
    for (unsigned i = 1; i < count && i < 4; i++) {
        z[i] = zeros_of(m, &in->operands[i]);
    }
    switch (rule) {
    case ZEROS_SAME:
        return z[1];
    case ZEROS_FEWEST:
        return least(z[1], z[2]);
    case ZEROS_MOST:
        return z[1] > z[2] ? z[1] : z[2];
    case ZEROS_SUM:
        return least(least(z[1] + z[2], ALL_ZEROS), count > 3 ? z[3] : ALL_ZEROS);
    case ZEROS_SHIFT:
        return count != 3 ? 0
               : in->operands[2].kind == PTX_OPERAND_INT
                   ? least(z[1] + least((unsigned)in->operands[2].bits, ALL_ZEROS), ALL_ZEROS)
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

/* Zeros only ever become fewer, from "all": what remains holds for every way to get there. */
static void find_zeros(struct merging *m)
{
    const struct function_ir *ir = m->ir;
    m->zeros = arena_alloc(ir->context->scratch, ir->reg_count + 1);
    memset(m->zeros, ALL_ZEROS, ir->reg_count);
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        struct ir_regs w = ir_written(ir, i);
        for (unsigned k = 0; result_of(ir, i) == PTX_NO_REG && k < w.count; k++) {
            m->zeros[w.reg[k]] = 0;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < ir->insn_count; i++) {
            uint32_t reg = result_of(ir, i);
            if (reg == PTX_NO_REG || m->zeros[reg] == 0) {
                continue;
            }
            unsigned zeros = zeros_of_result(m, ir->insns[i].text);
            changed |= zeros < m->zeros[reg];
            m->zeros[reg] = (uint8_t)least(zeros, m->zeros[reg]);
        }
    }
}

/* Addresses wrap, as the machine's do. */
static int64_t sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

/* --- base and offset ------------------------------------------------------------------------- */

/* How often the register has been written in the block of `insn`, before it. */
static uint32_t version_at(const struct function_ir *ir, uint32_t reg, uint32_t insn)
{
    const struct ir_reg *r = &ir->regs[reg];
    const uint32_t *writers = ir->writers + r->first_writer;
    uint32_t low = 0, high = r->writer_count, version = 0;
    while (low < high) { /* behind the last writer before insn */
        uint32_t middle = low + (high - low) / 2;
        if (writers[middle] < insn) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low > 0 && ir->insns[writers[--low]].block == ir->insns[insn].block) {
        version++;
    }
    return version;
}

/* x + constant: the operand x, and what is added to it; NULL if the instruction is no such sum. */
static const struct ptx_operand *sum_with_constant(const struct merging *m,
                                                   const struct ptx_insn *in, int64_t *constant)
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
        unsigned zeros = zeros_of(m, &in->operands[1]);
        bool apart = zeros >= 32 || in->operands[2].bits >> zeros == 0;
        return apart ? &in->operands[1] : NULL;
    }
    if (in->op == PTX_OP_SUB) {
        *constant = -*constant;
    }
    return in->op == PTX_OP_ADD || in->op == PTX_OP_SUB ? &in->operands[1] : NULL;
}

/* Follows constants added in registers, as long as nothing was overwritten meanwhile. A register
 * whose only writer comes later in the block holds what the round before has left in it. */
static void find_root(const struct merging *m, uint32_t reg, uint32_t insn, struct shared_access *a)
{
    const struct function_ir *ir = m->ir;
    for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
        const struct ir_reg *r = &ir->regs[reg];
        int64_t constant = 0;
        if (r->writer_count != 1) {
            break;
        }
        const uint32_t writer = ir->writers[r->first_writer];
        const struct ptx_operand *from = sum_with_constant(m, ir->insns[writer].text, &constant);
        uint64_t address;
        if (from != NULL && from->kind == PTX_OPERAND_SYMBOL && writer < insn &&
            address_of(m, from->name, &address)) {
            a->root = ABSOLUTE;
            a->zeros = ALL_ZEROS;
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
    a->zeros = m->zeros[reg];
    a->version = ir->regs[reg].writer_count > 1 ? version_at(ir, reg, insn) : 0;
}

/* --- groups ---------------------------------------------------------------------------------- */

static int by_address(const void *left, const void *right)
{
    const struct shared_access *a = left, *b = right;
#define ORDER(field)                                                                               \
    if (a->field != b->field) {                                                                    \
        return a->field < b->field ? -1 : 1;                                                       \
    }
    ORDER(element)
    ORDER(root)
    ORDER(version)
    ORDER(offset)
    ORDER(insn)
#undef ORDER
    return 0;
}

static int64_t line_of(int64_t offset, unsigned bytes) { return offset >> __builtin_ctz(bytes); }

static bool same_line(const struct shared_access *a, const struct shared_access *b, unsigned bytes)
{
    return a->element == b->element && a->root == b->root && a->version == b->version &&
           line_of(a->offset, bytes) == line_of(b->offset, bytes);
}

/* Bit k: the k-th element of the aligned line is touched by the access. */
static unsigned elements_of(const struct shared_access *a, unsigned bytes)
{
    unsigned first = (unsigned)(a->offset & (int64_t)(bytes - 1)) / a->element;
    return ((1u << a->words) - 1) << first;
}

/* The first access in program order pays for `bytes`, the others for nothing. */
static void merge_run(struct merging *m, const struct shared_access *run, unsigned count,
                      unsigned bytes, unsigned mask)
{
    const struct shared_access *first = NULL;
    unsigned members = 0;
    for (unsigned i = 0; i < count; i++) {
        if (elements_of(&run[i], bytes) & mask) {
            first = first == NULL || run[i].insn < first->insn ? &run[i] : first;
            members++;
        }
    }
    if (members < 2) {
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        if (elements_of(&run[i], bytes) & mask) {
            m->ir->merges[run[i].insn].silent = &run[i] != first;
        }
    }
    unsigned wide = (unsigned)__builtin_popcount(mask) > 8 / first->element ? bytes : 8;
    m->ir->merges[first->insn].bytes = (uint8_t)wide;
    m->ir->merges[first->insn].shift = (uint8_t)(first->offset & (int64_t)(wide - 1));
}

/* Accesses of one aligned line of 16 (or, when only that is known, 8) bytes. */
static void merge_line(struct merging *m, const struct shared_access *run, unsigned count,
                       unsigned bytes)
{
    unsigned per_line = bytes / run->element, mask = 0;
    for (unsigned i = 0; i < count; i++) {
        mask |= elements_of(&run[i], bytes);
    }
    unsigned all = (1u << per_line) - 1;
    bool three = !run->store && per_line == 4 && __builtin_popcount(mask & all) == 3;
    if (mask == all || three) {
        merge_run(m, run, count, bytes, all);
    } else if (per_line == 4) {
        for (unsigned half = 3; half <= 12; half *= 4) {
            if ((mask & half) == half) {
                merge_run(m, run, count, bytes, half);
            }
        }
    }
}

/* The same element loaded twice is loaded once, whatever its alignment. */
static void drop_repetitions(struct merging *m, const struct shared_access *run, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        if (!run->store && run[i].offset == run[i - 1].offset && run[i].words == run[i - 1].words &&
            same_line(&run[i], &run[i - 1], 8)) {
            m->ir->merges[run[i].insn].silent = true;
        }
    }
}

static void end_run(struct merging *m)
{
    struct shared_access *p = m->pending;
    unsigned count = m->pending_count;
    m->pending_count = 0;
    if (count < 2) {
        return;
    }
    qsort(p, count, sizeof *p, by_address);
    drop_repetitions(m, p, count);
    for (unsigned i = 0, next; i < count; i = next) {
        unsigned bytes = p[i].zeros >= 4 ? 16 : 8;
        for (next = i + 1; next < count && same_line(&p[i], &p[next], bytes);) {
            next++;
        }
        if (p[i].zeros >= 3 && p[i].element < bytes) {
            merge_line(m, p + i, next - i, bytes);
        }
    }
}

/* --- blocks ---------------------------------------------------------------------------------- */

static bool may_merge(struct merging *m, uint32_t insn, const struct ir_access *access,
                      struct shared_access *a)
{
    const struct ptx_insn *in = m->ir->insns[insn].text;
    const unsigned element = ptx_type_bytes(access->type);
    const struct ptx_operand *address = access->address;
    if (in->operand_count != 2 || in->guard != NULL || access->is_volatile || address == NULL ||
        (element != 4 && element != 8)) {
        return false;
    }
    *a = (struct shared_access){.insn = insn,
                                .root = ABSOLUTE,
                                .zeros = ALL_ZEROS,
                                .offset = (int64_t)address->bits,
                                .element = element,
                                .words = access->elements,
                                .store = op_table[in->op].memory == MEMORY_WRITES};
    uint64_t symbol = 0;
    if (address->reg != PTX_NO_REG) {
        find_root(m, address->reg, insn, a);
    } else if (address->name != NULL && !address_of(m, address->name, &symbol)) {
        return false;
    }
    a->offset = sum(a->offset, (int64_t)symbol);
    return true;
}

/* Does the instruction end a run of loads (or of stores)? */
static bool disturbs(const struct ptx_insn *in, enum ptx_space space, bool run_of_stores)
{
    bool shared = space == PTX_SHARED || space == PTX_GENERIC;
    switch (op_table[in->op].memory) {
    case MEMORY_READS:
        return run_of_stores && shared;
    case MEMORY_WRITES:
        return space == PTX_GENERIC || (space == PTX_SHARED && !run_of_stores);
    case MEMORY_UPDATES:
        return shared;
    default:
        return op_is(in->op, OP_PARTS_MERGES);
    }
}

static void walk(struct merging *m, bool stores)
{
    const struct function_ir *ir = m->ir;
    const enum op_memory wanted = stores ? MEMORY_WRITES : MEMORY_READS;
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        const struct ptx_insn *in = ir->insns[i].text;
        struct ir_access access = {.space = PTX_GENERIC};
        struct shared_access a;
        if (op_table[in->op].memory != MEMORY_NONE) {
            access = ir_access_of(in);
        }
        if (i == ir->blocks[ir->insns[i].block].first || disturbs(in, access.space, stores)) {
            end_run(m);
        }
        if (op_table[in->op].memory == wanted && access.space == PTX_SHARED &&
            may_merge(m, i, &access, &a)) {
            m->pending = arena_grow(ir->context->scratch, m->pending, m->pending_count,
                                    &m->pending_capacity, sizeof *m->pending);
            m->pending[m->pending_count++] = a;
        }
    }
    end_run(m);
}

bool pass_merge(struct function_ir *ir)
{
    struct merging m = {.ir = ir};
    bool any = false;
    for (uint32_t i = 0; i < ir->insn_count && !any; i++) { /* most kernels have no shared memory */
        any = ir_info(ir, i)->class == CLASS_MEMORY &&
              ir_access_of(ir->insns[i].text).space == PTX_SHARED;
    }
    if (any) {
        ir->merges = arena_alloc(ir->context->keep, (ir->insn_count + 1) * sizeof *ir->merges);
        find_zeros(&m);
        walk(&m, false);
        walk(&m, true);
    }
    return true;
}
