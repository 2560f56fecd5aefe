/* merge.c - which neighbouring accesses of shared memory does ptxas merge into wider ones?
 *
 * Hardware executes machine code, where loads of 4 or 8 bytes from one base with adjacent constant
 * offsets have become 64- or 128-bit loads. The simulator executes PTX as written, but counts
 * wavefronts as the merged access costs them. The rule was found by reading the code that
 * ptxas 13.0 makes of small kernels for sm_90; tests/fidelity/README.md shows it with examples.
 * Where an address lies is ir/address.h's to say.
 *
 * Loads merge over branches, too: what an arm of an `if` loads beside a word that has been loaded
 * before comes with that, for all lanes, whether the `if` becomes predicates or not. So the access
 * that pays stands in a block that dominates the others, in the same loop; and nothing disturbs
 * between them in ptxas's order of blocks: as early as what leads to them permits, and of two ways
 * first the one that is taken where a branch is not. Stores merge within a block alone. */
#include "ptxas/aligned.h"
#include "ptxas/passes.h"

#include <stdlib.h>
#include <string.h>

/* An access that may merge. */
struct shared_access {
    uint32_t insn;
    struct address at;
    uint32_t changes;        /* of the root of `at`, in the blocks before this one */
    unsigned element, words; /* bytes of an element, how many in a row */
    bool store;
};

struct merging {
    struct function_ir *ir;
    struct flow flow;
    struct aligned aligned;
    uint32_t *changes; /* per register with several writers: how often the blocks so far write it */
    struct shared_access *pending; /* of the current run without a disturbance */
    unsigned pending_count, pending_capacity;
};

/* --- groups ---------------------------------------------------------------------------------- */

static int by_address(const void *left, const void *right)
{
    const struct shared_access *a = left, *b = right;
#define ORDER(field)                                                                               \
    if (a->field != b->field) {                                                                    \
        return a->field < b->field ? -1 : 1;                                                       \
    }
    ORDER(element)
    ORDER(at.root)
    ORDER(at.version)
    ORDER(changes)
    ORDER(at.offset)
    ORDER(insn)
#undef ORDER
    return 0;
}

static int64_t line_of(int64_t offset, unsigned bytes) { return offset >> __builtin_ctz(bytes); }

static bool same_line(const struct shared_access *a, const struct shared_access *b, unsigned bytes)
{
    return a->element == b->element && a->changes == b->changes &&
           address_same_root(&a->at, &b->at) &&
           line_of(a->at.offset, bytes) == line_of(b->at.offset, bytes);
}

/* Bit k: the k-th element of the aligned line is touched by the access. */
static unsigned elements_of(const struct shared_access *a, unsigned bytes)
{
    unsigned first = (unsigned)(a->at.offset & (int64_t)(bytes - 1)) / a->element;
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
    m->ir->merges[first->insn].shift = (uint8_t)(first->at.offset & (int64_t)(wide - 1));
}

/* Accesses of one aligned line of 16 (or, when only that is known, 8) bytes, of which the first in
 * program order dominates all. */
static void merge_dominated(struct merging *m, const struct shared_access *run, unsigned count,
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

static bool dominates(const struct merging *m, const struct shared_access *above,
                      const struct shared_access *a)
{
    const uint32_t from = m->ir->insns[above->insn].block, to = m->ir->insns[a->insn].block;
    return from == to || flow_dominates(&m->flow, from, to);
}

/* Accesses of one line: parts it, in place, by what the first access of all dominates. */
static void merge_line(struct merging *m, struct shared_access *run, unsigned count, unsigned bytes)
{
    while (count > 1) {
        unsigned first = 0, below = 0;
        for (unsigned i = 1; i < count; i++) {
            first = run[i].insn < run[first].insn ? i : first;
        }
        const struct shared_access leader = run[first];
        for (unsigned i = 0; i < count; i++) {
            if (dominates(m, &leader, &run[i])) {
                const struct shared_access a = run[i];
                run[i] = run[below];
                run[below++] = a;
            }
        }
        merge_dominated(m, run, below, bytes);
        run += below;
        count -= below;
    }
}

/* The same element loaded twice is loaded once, whatever its alignment. */
static void drop_repetitions(struct merging *m, const struct shared_access *run, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        for (unsigned k = i; !run->store && k-- > 0 && run[k].at.offset == run[i].at.offset &&
                             same_line(&run[i], &run[k], 8);) {
            if (run[k].words == run[i].words && dominates(m, &run[k], &run[i])) {
                m->ir->merges[run[i].insn].silent = true;
                break;
            }
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
        unsigned bytes = p[i].at.zeros >= 4 ? 16 : 8;
        for (next = i + 1; next < count && same_line(&p[i], &p[next], bytes);) {
            next++;
        }
        if (p[i].at.zeros >= 3 && p[i].element < bytes) {
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
                                .element = element,
                                .words = access->elements,
                                .store = op_table[in->op].memory == MEMORY_WRITES};
    if (!aligned_address(&m->aligned, insn, address, &a->at)) {
        return false;
    }
    a->changes = a->at.root != ADDRESS_ABSOLUTE ? m->changes[a->at.root] : 0;
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
        return op_is(in->op, OP_PARTS_MERGES) || ir_becomes_call(in);
    }
}

/* Does a run end between these blocks, of which the second is the next one? */
static bool ends_between(const struct merging *m, uint32_t block, uint32_t next, bool run_of_stores)
{
    const struct flow *f = &m->flow;
    return run_of_stores || f->loop_of[next] != FLOW_NONE ||
           f->innermost[next] != f->innermost[block];
}

static void walk_block(struct merging *m, uint32_t block, bool stores)
{
    const struct function_ir *ir = m->ir;
    const enum op_memory wanted = stores ? MEMORY_WRITES : MEMORY_READS;
    for (uint32_t i = ir->blocks[block].first; i < ir->blocks[block].end; i++) {
        const struct ptx_insn *in = ir->insns[i].text;
        struct ir_access access = {.space = PTX_GENERIC};
        struct shared_access a;
        if (op_table[in->op].memory != MEMORY_NONE) {
            access = ir_access_of(in);
        }
        if (disturbs(in, access.space, stores)) {
            end_run(m);
        }
        if (op_table[in->op].memory == wanted && access.space == PTX_SHARED &&
            may_merge(m, i, &access, &a)) {
            m->pending = arena_grow(ir->context->scratch, m->pending, m->pending_count,
                                    &m->pending_capacity, sizeof *m->pending);
            m->pending[m->pending_count++] = a;
        }
    }
}

static void note_changes(struct merging *m, uint32_t block)
{
    for (uint32_t i = m->ir->blocks[block].first; i < m->ir->blocks[block].end; i++) {
        const struct ir_regs written = ir_written(m->ir, i);
        for (unsigned k = 0; k < written.count; k++) {
            m->changes[written.reg[k]] += m->ir->regs[written.reg[k]].writer_count > 1;
        }
    }
}

static void walk(struct merging *m, bool stores)
{
    const struct flow *f = &m->flow;
    m->changes = arena_alloc(m->ir->context->scratch, (m->ir->reg_count + 1) * sizeof *m->changes);
    for (unsigned k = 0; k < f->reached; k++) {
        if (k > 0 && ends_between(m, f->order[k - 1], f->order[k], stores)) {
            end_run(m);
        }
        walk_block(m, f->order[k], stores);
        note_changes(m, f->order[k]);
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
        m.flow = flow_of(ir->context->scratch, ir->edges, ir->block_count);
        m.aligned = aligned_find(ir, &m.flow);
        walk(&m, false);
        walk(&m, true);
    }
    return true;
}
