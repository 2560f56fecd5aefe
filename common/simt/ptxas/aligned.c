/* aligned.c - how far is an address aligned, as ptxas knows it?
 *
 * An access of 8 bytes is aligned to 8 bytes, or the program has a fault. So where a struct's
 * double is stored at [r+8], ptxas knows of r what no arithmetic tells, and makes one store of the
 * two integers at [r] and [r+4]. It believes accesses of the same block, and of blocks that come
 * before it on every way; loads and stores, volatile ones, too, but no atomics, and none under a
 * guard. Found with ptxas 13.0 for sm_90 (tests/fidelity/README.md). */
#include "ptxas/aligned.h"

#include <stdlib.h>

/* An access that tells more of its root than the arithmetic does. */
struct aligned_root {
    uint32_t root, version, block;
    unsigned zeros; /* low bits of the root that are zero */
};

static int by_root(const void *left, const void *right)
{
    const struct aligned_root *a = left, *b = right;
    if (a->root != b->root) {
        return a->root < b->root ? -1 : 1;
    }
    return a->version < b->version ? -1 : a->version > b->version;
}

static int by_root_and_block(const void *left, const void *right)
{
    const struct aligned_root *a = left, *b = right;
    const int order = by_root(a, b);
    if (order != 0 || a->block == b->block) {
        return order != 0 ? order : (a->zeros < b->zeros) - (a->zeros > b->zeros);
    }
    return a->block < b->block ? -1 : 1;
}

/* Of each root and block, what tells most. */
static void sort(struct aligned *a)
{
    unsigned kept = 0;
    if (a->count == 0) {
        return;
    }
    qsort(a->roots, a->count, sizeof *a->roots, by_root_and_block);
    for (unsigned i = 0; i < a->count; i++) {
        const struct aligned_root *last = &a->roots[kept == 0 ? 0 : kept - 1];
        if (kept == 0 || by_root(last, &a->roots[i]) != 0 || last->block != a->roots[i].block) {
            a->roots[kept++] = a->roots[i];
        }
    }
    a->count = kept;
}

/* root + offset is a multiple of the access's bytes: how many low bits of the root are zero? */
static unsigned zeros_told(unsigned bytes, int64_t offset)
{
    return (unsigned)__builtin_ctzll((uint64_t)bytes | (uint64_t)offset);
}

static void note_access(struct aligned *a, uint32_t insn)
{
    const struct ptx_insn *in = a->ir->insns[insn].text;
    const enum op_memory memory = op_table[in->op].memory;
    struct address at;
    if ((memory != MEMORY_READS && memory != MEMORY_WRITES) || in->guard != NULL) {
        return;
    }
    const struct ir_access access = ir_access_of(in);
    const unsigned bytes = ptx_type_bytes(access.type) * access.elements;
    if (access.address == NULL || access.address->reg == PTX_NO_REG || bytes == 0 ||
        (bytes & (bytes - 1)) != 0 || !address_find(a->ir, a->zeros, insn, access.address, &at) ||
        at.root == ADDRESS_ABSOLUTE) {
        return;
    }
    const unsigned told = zeros_told(bytes, at.offset);
    if (told > at.zeros) {
        a->roots =
            arena_grow(a->ir->context->scratch, a->roots, a->count, &a->capacity, sizeof *a->roots);
        a->roots[a->count++] =
            (struct aligned_root){at.root, at.version, a->ir->insns[insn].block, told};
    }
}

struct aligned aligned_find(const struct function_ir *ir, const struct flow *flow)
{
    struct aligned a = {.ir = ir, .flow = flow, .zeros = address_find_zeros(ir)};
    for (uint32_t i = 0; i < ir->insn_count; i++) {
        if (flow->number[ir->insns[i].block] != FLOW_NONE) {
            note_access(&a, i);
        }
    }
    sort(&a);
    return a;
}

/* The first entry that does not stand before `key`. */
static unsigned first_of(const struct aligned *a, const struct aligned_root *key)
{
    unsigned low = 0, high = a->count;
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        if (by_root(&a->roots[middle], key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool aligned_address(const struct aligned *a, uint32_t insn, const struct ptx_operand *operand,
                     struct address *at)
{
    const uint32_t block = a->ir->insns[insn].block;
    if (!address_find(a->ir, a->zeros, insn, operand, at)) {
        return false;
    }
    const struct aligned_root key = {at->root, at->version, 0, 0};
    for (unsigned i = first_of(a, &key); i < a->count && by_root(&a->roots[i], &key) == 0; i++) {
        const struct aligned_root *r = &a->roots[i];
        if (r->zeros > at->zeros && a->flow->number[block] != FLOW_NONE &&
            flow_dominates(a->flow, r->block, block)) {
            at->zeros = r->zeros;
        }
    }
    return true;
}
