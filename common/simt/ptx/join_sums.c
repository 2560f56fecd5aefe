/* join_sums.c - which bases of addresses differ by a number? LLVM's registers are written once,
 * before they are read; so equal sums of them are equal wherever both have been computed, and a sum
 * may be replaced by what it is the sum of. A register that is written more than once (a loop's)
 * counts only within its segment. */
#include "ptx/joiner.h"

#include <stdlib.h>
#include <string.h>

/* The sum of two roots, and the register that first was that sum. */
struct sum {
    const char *a, *b, *name;
};

static int by_defined_name(const void *left, const void *right)
{
    const struct definition *a = left, *b = right;
    return (a->name > b->name) - (a->name < b->name);
}

static void note_definition(struct segment *s, const struct ptx_operand *o, unsigned insn)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        note_definition(s, &o->items[i], insn);
    }
    if (o->name != NULL && o->kind == PTX_OPERAND_REG) {
        s->definitions = arena_grow(&s->scratch, s->definitions, s->definition_count,
                                    &s->definition_capacity, sizeof *s->definitions);
        s->definitions[s->definition_count++] = (struct definition){o->name, o->name, 0, insn, 1};
    }
}

static void unite_definitions(struct segment *s)
{
    unsigned count = 1;
    qsort(s->definitions, s->definition_count, sizeof *s->definitions, by_defined_name);
    for (unsigned i = 1; i < s->definition_count; i++) {
        if (s->definitions[i].name == s->definitions[count - 1].name) {
            s->definitions[count - 1].writers++;
        } else {
            s->definitions[count++] = s->definitions[i];
        }
    }
    s->definition_count = count;
}

/* NULL unless exactly one instruction writes the register. */
static struct definition *only_definition(const struct segment *s, const char *name)
{
    const struct definition wanted = {.name = name};
    struct definition *found = NULL;
    if (s->definition_count > 0) {
        found =
            bsearch(&wanted, s->definitions, s->definition_count, sizeof wanted, by_defined_name);
    }
    return found != NULL && found->writers == 1 ? found : NULL;
}

bool join_is_written_once(const struct segment *s, const char *name)
{
    return only_definition(s, name) != NULL;
}

static bool is_sum(const struct ptx_insn *in)
{
    return in->op == PTX_OP_ADD && in->guard == NULL && in->operand_count == 3 &&
           in->operands[0].kind == PTX_OPERAND_REG && in->operands[1].kind == PTX_OPERAND_REG &&
           in->modifier_count == 1 &&
           (in->modifiers[0].type == PTX_S64 || in->modifiers[0].type == PTX_U64);
}

/* What stands for the sum of two roots, which may be a new sum. */
static const char *name_of_sum(struct sum *table, size_t size, const char *a, const char *b,
                               const char *name)
{
    const char *low = a < b ? a : b, *high = a < b ? b : a;
    uint64_t hash = ((uintptr_t)low * 31 + (uintptr_t)high) * HASH_MULTIPLIER;
    size_t at = (hash >> 32) & (size - 1);
    while (table[at].name != NULL && (table[at].a != low || table[at].b != high)) {
        at = (at + 1) & (size - 1);
    }
    if (table[at].name == NULL) {
        table[at] = (struct sum){low, high, name};
    }
    return table[at].name;
}

static void find_sums(struct segment *s)
{
    size_t size = 16;
    while (size < 2 * s->definition_count) {
        size *= 2;
    }
    struct sum *table = arena_alloc(&s->scratch, size * sizeof *table);
    for (unsigned i = 0; i < s->f->insn_count; i++) {
        const struct ptx_insn *in = &s->f->insns[i];
        struct definition *d = is_sum(in) ? only_definition(s, in->operands[0].name) : NULL;
        const struct definition *a = d != NULL ? only_definition(s, in->operands[1].name) : NULL;
        if (a == NULL) {
            continue;
        }
        if (in->operands[2].kind == PTX_OPERAND_INT) {
            d->root = a->root;
            d->offset = a->offset + (int64_t)in->operands[2].bits;
        } else if (in->operands[2].kind == PTX_OPERAND_REG) {
            const struct definition *b = only_definition(s, in->operands[2].name);
            d->root = b != NULL ? name_of_sum(table, size, a->root, b->root, d->name) : d->root;
            d->offset = b != NULL ? a->offset + b->offset : 0;
        }
    }
}

void join_find_definitions(struct segment *s)
{
    for (unsigned i = 0; i < s->f->insn_count; i++) {
        const struct ptx_insn *in = &s->f->insns[i];
        if (in->operand_count > 0) {
            note_definition(s, &in->operands[0], i);
        }
        if (in->operand_count > 1 && in->operands[0].name != NULL &&
            in->operands[0].name == in->operands[1].name) {
            note_definition(s, &in->operands[0], i); /* a step of a loop: never the same */
        }
    }
    if (s->definition_count > 0) {
        unite_definitions(s);
        find_sums(s);
    }
}

void join_follow_sums(const struct segment *s, struct access *a)
{
    const struct definition *d = a->base != NULL ? only_definition(s, a->base) : NULL;
    if (d == NULL) {
        return;
    }
    const struct ptx_insn *in = &s->f->insns[d->insn];
    if (d->root != d->name || d->offset != 0) {
        a->base = d->root;
        a->offset += d->offset;
    } else if (is_sum(in) && in->operands[2].kind == PTX_OPERAND_INT && d->insn >= s->begin &&
               d->insn < a->insn &&
               !join_is_touched(s, &in->operands[1], d->insn, a->insn, false)) {
        a->base = in->operands[1].name;
        a->offset += (int64_t)in->operands[2].bits;
    }
}
