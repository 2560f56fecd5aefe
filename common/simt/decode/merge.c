/* merge.c - see merge.h. Two questions are answered for every address register: by which power of
 * two is it divisible for sure (trailing zeros, to a fixed point, so that loop variables count with
 * start and step), and to which other register plus constant is it equal. */
#include "decode/merge.h"

#include <stdlib.h>
#include <string.h>

enum { ALL_ZEROS = 64, MOST_STEPS = 64 };

/* One register: by whom it is written, and how many of its low bits are known to be zero. */
struct value {
    unsigned writers, writer; /* how many instructions write it, and the last of them */
    unsigned zeros;
};

/* An access that may merge: the bytes at root + offset, of a register's `version` in the block. */
struct access {
    unsigned insn, root, version, zeros;
    int64_t offset;
    unsigned element, words; /* bytes of an element, how many in a row */
    bool store;
};

struct merging {
    struct decoder *d;
    const struct ptx_func *f;
    struct names ids;
    struct value *values;
    unsigned value_count, value_capacity;
    struct merge *merges;
    struct access *pending; /* of the current run without a disturbance */
    unsigned pending_count, pending_capacity;
};

#define ABSOLUTE 0u /* the root of addresses that are plain numbers */

/* --- registers ------------------------------------------------------------------------------- */

static unsigned id_of(struct merging *m, const char *name)
{
    unsigned id;
    if (names_find(&m->ids, name, &id)) {
        return id;
    }
    m->values = arena_grow(&m->d->scratch, m->values, m->value_count, &m->value_capacity,
                           sizeof *m->values);
    m->values[m->value_count] = (struct value){.zeros = ALL_ZEROS};
    names_add(&m->ids, name, m->value_count);
    return m->value_count++;
}

/* Holds until the next name is met: the table moves when it grows. */
static struct value *value_of(struct merging *m, const char *name)
{
    unsigned id = id_of(m, name); /* first: this is what may move the table */
    return &m->values[id];
}

static unsigned trailing_zeros(uint64_t bits)
{
    return bits == 0 ? ALL_ZEROS : (unsigned)__builtin_ctzll(bits);
}

static bool is_plain_register(const struct merging *m, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG && register_type(m->d, o) != PTX_NO_TYPE;
}

static unsigned zeros_of(struct merging *m, const struct ptx_operand *o)
{
    uint64_t address;
    switch (o->kind) {
    case PTX_OPERAND_INT:
        return trailing_zeros(o->bits);
    case PTX_OPERAND_SYMBOL:
        return symbol_address(m->d, o->name, &address) ? trailing_zeros(address + o->bits) : 0;
    case PTX_OPERAND_REG:
        return is_plain_register(m, o) ? value_of(m, o->name)->zeros : 0;
    default:
        return 0;
    }
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Low zero bits of what the instruction computes. */
static unsigned zeros_of_result(struct merging *m, const struct ptx_insn *in)
{
    unsigned z[4] = {0};
    for (unsigned i = 1; i < in->operand_count && i < 4; i++) {
        z[i] = zeros_of(m, &in->operands[i]);
    }
    switch (in->op) {
    case PTX_OP_MOV:
    case PTX_OP_NEG:
    case PTX_OP_CVTA:
        return z[1];
    case PTX_OP_CVT:
        return ptx_has_modifier(in, "f32") || ptx_has_modifier(in, "f64") ||
                       ptx_has_modifier(in, "sat")
                   ? 0
                   : z[1];
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
    case PTX_OP_SELP:
        return least(z[1], z[2]);
    case PTX_OP_AND:
        return z[1] > z[2] ? z[1] : z[2];
    case PTX_OP_MUL:
        return ptx_has_modifier(in, "hi") ? 0 : least(z[1] + z[2], ALL_ZEROS);
    case PTX_OP_MAD:
        return ptx_has_modifier(in, "hi") ? 0 : least(least(z[1] + z[2], ALL_ZEROS), z[3]);
    case PTX_OP_SHL:
        return in->operand_count != 3 ? 0
               : in->operands[2].kind == PTX_OPERAND_INT
                   ? least(z[1] + (unsigned)least((unsigned)in->operands[2].bits, ALL_ZEROS),
                           ALL_ZEROS)
                   : z[1];
    default:
        return 0;
    }
}

/* The register that an instruction writes, if it is one; vectors and pairs are visited apart. */
static const struct ptx_operand *written(const struct ptx_insn *in)
{
    bool writes = in->operand_count > 0 && in->operands[0].kind == PTX_OPERAND_REG &&
                  in->op != PTX_OP_BAR && in->op != PTX_OP_BARRIER && in->op != PTX_OP_CALL;
    return writes ? &in->operands[0] : NULL;
}

static void note_writer(struct merging *m, const struct ptx_operand *o, unsigned insn, bool known)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        note_writer(m, &o->items[i], insn, false);
    }
    if (is_plain_register(m, o)) {
        struct value *v = value_of(m, o->name);
        v->writers++;
        v->writer = insn;
        v->zeros = known ? v->zeros : 0;
    }
}

/* Zeros only ever become fewer, from "all": what remains holds for every way to get there. */
static void find_zeros(struct merging *m)
{
    for (unsigned i = 0; i < m->f->insn_count; i++) {
        const struct ptx_insn *in = &m->f->insns[i];
        if (written(in) != NULL) {
            note_writer(m, &in->operands[0], i, true);
        } else if (in->operand_count > 0 && in->op != PTX_OP_ST && in->op != PTX_OP_RED) {
            note_writer(m, &in->operands[0], i, false);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < m->f->insn_count; i++) {
            const struct ptx_operand *o = written(&m->f->insns[i]);
            if (o == NULL || !is_plain_register(m, o)) {
                continue;
            }
            unsigned zeros = zeros_of_result(m, &m->f->insns[i]);
            struct value *v = value_of(m, o->name);
            changed |= zeros < v->zeros;
            v->zeros = least(zeros, v->zeros);
        }
    }
}

/* --- base and offset ------------------------------------------------------------------------- */

/* How often the register has been written in the block of `insn`, before it. */
static unsigned version_at(const struct merging *m, const char *name, unsigned insn)
{
    unsigned version = 0;
    for (unsigned i = insn; i-- > 0 && m->d->block_of[i] == m->d->block_of[insn];) {
        const struct ptx_operand *o = written(&m->f->insns[i]);
        version += o != NULL && strcmp(o->name, name) == 0;
    }
    return version;
}

/* x + constant: the register x, and what is added to it; NULL if the instruction is no such sum. */
static const struct ptx_operand *sum_with_constant(struct merging *m, const struct ptx_insn *in,
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
static void find_root(struct merging *m, const char *name, unsigned insn, struct access *a)
{
    for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
        const struct value v = *value_of(m, name);
        int64_t constant = 0;
        const struct ptx_operand *from =
            v.writers == 1 ? sum_with_constant(m, &m->f->insns[v.writer], &constant) : NULL;
        uint64_t address;
        if (from != NULL && from->kind == PTX_OPERAND_SYMBOL && v.writer < insn &&
            symbol_address(m->d, from->name, &address)) {
            a->root = ABSOLUTE;
            a->zeros = ALL_ZEROS;
            a->offset += (int64_t)(address + from->bits) + constant;
            return;
        }
        bool same_block = m->d->block_of[v.writer] == m->d->block_of[insn];
        if (from == NULL || (same_block && v.writer >= insn) || !is_plain_register(m, from) ||
            (value_of(m, from->name)->writers > 1 && !same_block)) {
            break;
        }
        a->offset += constant;
        insn = same_block ? v.writer : insn;
        name = from->name;
    }
    a->root = id_of(m, name);
    const struct value v = m->values[a->root];
    a->zeros = v.zeros;
    a->version = v.writers > 1 ? version_at(m, name, insn) : 0;
}

/* --- groups ---------------------------------------------------------------------------------- */

static int by_place(const void *left, const void *right)
{
    const struct access *a = left, *b = right;
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

static bool same_line(const struct access *a, const struct access *b, unsigned bytes)
{
    return a->element == b->element && a->root == b->root && a->version == b->version &&
           line_of(a->offset, bytes) == line_of(b->offset, bytes);
}

/* Bit k: the k-th element of the aligned line is touched by the access. */
static unsigned elements_of(const struct access *a, unsigned bytes)
{
    unsigned first = (unsigned)(a->offset & (int64_t)(bytes - 1)) / a->element;
    return ((1u << a->words) - 1) << first;
}

/* The first access in program order pays for `bytes`, the others for nothing. */
static void merge_run(struct merging *m, const struct access *run, unsigned count, unsigned bytes,
                      unsigned mask)
{
    const struct access *first = NULL;
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
            m->merges[run[i].insn].silent = &run[i] != first;
        }
    }
    unsigned wide = (unsigned)__builtin_popcount(mask) > 8 / first->element ? bytes : 8;
    m->merges[first->insn].bytes = (uint8_t)wide;
    m->merges[first->insn].shift = (uint8_t)(first->offset & (int64_t)(wide - 1));
}

/* Accesses of one aligned line of 16 (or, when only that is known, 8) bytes. */
static void merge_line(struct merging *m, const struct access *run, unsigned count, unsigned bytes)
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
static void drop_repetitions(struct merging *m, const struct access *run, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        if (!run->store && run[i].offset == run[i - 1].offset && run[i].words == run[i - 1].words &&
            same_line(&run[i], &run[i - 1], 8)) {
            m->merges[run[i].insn].silent = true;
        }
    }
}

static void end_run(struct merging *m)
{
    struct access *p = m->pending;
    unsigned count = m->pending_count;
    m->pending_count = 0;
    if (count < 2) {
        return;
    }
    qsort(p, count, sizeof *p, by_place);
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

static enum ptx_space space_of(const struct ptx_insn *in)
{
    return ptx_has_modifier(in, "shared") || ptx_has_modifier(in, "shared::cta") ? PTX_SHARED
           : ptx_has_modifier(in, "global")                                      ? PTX_GLOBAL
           : ptx_has_modifier(in, "local")                                       ? PTX_LOCAL
           : ptx_has_modifier(in, "const")                                       ? PTX_CONST
           : ptx_has_modifier(in, "param") || ptx_has_modifier(in, "param::func") ||
                   ptx_has_modifier(in, "param::entry")
               ? PTX_PARAM
               : PTX_GENERIC;
}

static bool may_merge(struct merging *m, unsigned insn, struct access *a)
{
    const struct ptx_insn *in = &m->f->insns[insn];
    bool store = in->op == PTX_OP_ST;
    if (in->operand_count != 2) {
        return false;
    }
    const struct ptx_operand *address = &in->operands[store ? 0 : 1];
    unsigned element = 0;
    for (unsigned i = 0; i < in->modifier_count; i++) {
        enum ptx_type type = ptx_type_from_name(in->modifiers[i]);
        element = type != PTX_NO_TYPE ? ptx_type_bytes(type) : element;
    }
    if (in->guard != NULL || ptx_has_modifier(in, "volatile") || (element != 4 && element != 8) ||
        address->kind != PTX_OPERAND_MEMORY) {
        return false;
    }
    *a = (struct access){.insn = insn,
                         .offset = (int64_t)address->bits,
                         .element = element,
                         .words = ptx_has_modifier(in, "v2")   ? 2
                                  : ptx_has_modifier(in, "v4") ? 4
                                                               : 1,
                         .store = store};
    struct ptx_operand base = {.kind = PTX_OPERAND_REG, .name = address->name};
    uint64_t symbol;
    if (address->name != NULL && is_plain_register(m, &base)) {
        find_root(m, address->name, insn, a);
    } else if (address->name == NULL || symbol_address(m->d, address->name, &symbol)) {
        a->offset += address->name != NULL ? (int64_t)symbol : 0;
        a->zeros = ALL_ZEROS;
    } else {
        return false;
    }
    return true;
}

/* Does the instruction end a run of loads (or of stores)? */
static bool disturbs(const struct ptx_insn *in, bool run_of_stores)
{
    enum ptx_space space = space_of(in);
    switch (in->op) {
    case PTX_OP_LD:
        return run_of_stores && (space == PTX_SHARED || space == PTX_GENERIC);
    case PTX_OP_ST:
        return space == PTX_GENERIC || (space == PTX_SHARED && !run_of_stores);
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return space == PTX_SHARED || space == PTX_GENERIC;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
    case PTX_OP_FENCE:
    case PTX_OP_MEMBAR:
    case PTX_OP_CP:
    case PTX_OP_CALL:
        return true;
    default:
        return false;
    }
}

static void walk(struct merging *m, bool stores)
{
    for (unsigned i = 0; i < m->f->insn_count; i++) {
        const struct ptx_insn *in = &m->f->insns[i];
        struct access a;
        if ((i > 0 && m->d->block_of[i] != m->d->block_of[i - 1]) || disturbs(in, stores)) {
            end_run(m);
        }
        if (in->op == (stores ? PTX_OP_ST : PTX_OP_LD) && space_of(in) == PTX_SHARED &&
            may_merge(m, i, &a)) {
            m->pending = arena_grow(&m->d->scratch, m->pending, m->pending_count,
                                    &m->pending_capacity, sizeof *m->pending);
            m->pending[m->pending_count++] = a;
        }
    }
    end_run(m);
}

struct merge *find_merges(struct decoder *d)
{
    struct merging m = {.d = d, .f = d->f, .ids = {.arena = &d->scratch}};
    m.merges = arena_alloc(&d->scratch, (d->f->insn_count + 1) * sizeof *m.merges);
    for (unsigned i = 0; i < d->f->insn_count; i++) {
        if (space_of(&d->f->insns[i]) == PTX_SHARED) { /* most kernels have no shared memory */
            id_of(&m, "");                             /* ABSOLUTE */
            find_zeros(&m);
            walk(&m, false);
            walk(&m, true);
            break;
        }
    }
    return m.merges;
}
