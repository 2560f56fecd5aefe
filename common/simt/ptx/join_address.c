/* join_address.c - the addresses of a segment's accesses: which have a base in common, how they are
 * aligned, which are apart for sure. */
#include "ptx/joiner.h"

#include <stdlib.h>
#include <string.h>

/* --- names ------------------------------------------------------------------------------------ */

void join_mention(struct segment *s, const struct ptx_operand *o, unsigned insn, bool write)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        join_mention(s, &o->items[i], insn, write);
    }
    if (o->name != NULL) {
        s->mentions = arena_grow(&s->scratch, s->mentions, s->mention_count, &s->mention_capacity,
                                 sizeof *s->mentions);
        s->mentions[s->mention_count++] = (struct mention){
            .name = o->name, .insn = insn, .write = write && o->kind != PTX_OPERAND_MEMORY};
    }
}

static int by_name(const void *left, const void *right)
{
    const struct mention *a = left, *b = right;
    if (a->name != b->name) {
        return a->name < b->name ? -1 : 1;
    }
    if (a->insn != b->insn) {
        return a->insn < b->insn ? -1 : 1;
    }
    return a->write - b->write;
}

static void sort_mentions(struct segment *s)
{
    qsort(s->mentions, s->mention_count, sizeof *s->mentions, by_name);
    for (unsigned i = 1; i < s->mention_count; i++) {
        struct mention *m = &s->mentions[i];
        m->version = m->name == m[-1].name ? m[-1].version + m[-1].write : 0;
    }
}

/* Index of the first mention of the name at instruction `from` or behind it. */
static unsigned first_mention(const struct segment *s, const char *name, unsigned from)
{
    unsigned low = 0, high = s->mention_count;
    const struct mention wanted = {.name = name, .insn = from};
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (by_name(&s->mentions[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Writes of the name in the segment, before the instruction. */
static unsigned version_at(const struct segment *s, const char *name, unsigned insn)
{
    unsigned at = first_mention(s, name, insn);
    if (at < s->mention_count && s->mentions[at].name == name) {
        return s->mentions[at].version;
    }
    const struct mention *last = at > 0 ? &s->mentions[at - 1] : NULL;
    return last != NULL && last->name == name ? last->version + last->write : 0;
}

bool join_is_touched(const struct segment *s, const struct ptx_operand *o, unsigned from,
                     unsigned to, bool reads)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        if (join_is_touched(s, &o->items[i], from, to, reads)) {
            return true;
        }
    }
    for (unsigned i = o->name != NULL ? first_mention(s, o->name, from) : s->mention_count;
         i < s->mention_count && s->mentions[i].name == o->name && s->mentions[i].insn < to; i++) {
        if (reads || s->mentions[i].write) {
            return true;
        }
    }
    return false;
}

/* --- addresses -------------------------------------------------------------------------------- */

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_base(const struct access *a, const struct access *b)
{
    int order = compare((int64_t)(uintptr_t)a->base, (int64_t)(uintptr_t)b->base);
    return order != 0 ? order : compare(a->version, b->version);
}

int join_by_kind(const struct access *a, const struct access *b)
{
    int order = by_base(a, b);
    order = order != 0 ? order : compare(a->store, b->store);
    return order != 0 ? order : compare(a->space, b->space);
}

static int by_place(const struct access *a, const struct access *b)
{
    int order = join_by_kind(a, b);
    order = order != 0 ? order : compare(a->offset, b->offset);
    return order != 0 ? order : compare(a->insn, b->insn);
}

static int by_place_of_index(const void *left, const void *right, void *accesses)
{
    const struct access *all = accesses;
    return by_place(&all[*(const unsigned *)left], &all[*(const unsigned *)right]);
}

struct access *join_nth(const struct segment *s, unsigned i) { return &s->accesses[s->order[i]]; }

static const struct ptx_loc *loc_of(const struct segment *s, const struct access *a)
{
    return s->f->insns[a->insn].loc;
}

static bool same_copy(const struct segment *s, const struct access *a, const struct access *b)
{
    const struct ptx_loc *x = loc_of(s, a), *y = loc_of(s, b);
    return x->is_copy && y->is_copy && x->file == y->file && x->line == y->line &&
           x->column == y->column;
}

/* A copy says how its first byte is aligned. It has become accesses without a gap, of 8 bytes each,
 * whose length is a multiple of 16; where a piece has been optimised away, nothing is known. */
static void align_copies(struct segment *s)
{
    for (unsigned i = 0, next; i < s->access_count; i = next) {
        const struct access *first = join_nth(s, i), *last = first;
        for (next = i + 1; next < s->access_count && join_by_kind(first, join_nth(s, next)) == 0 &&
                           same_copy(s, first, join_nth(s, next)) &&
                           join_nth(s, next)->element == first->element &&
                           join_nth(s, next)->offset <= last->offset + 8;
             next++) {
            last = join_nth(s, next);
        }
        const struct ptx_loc *loc = loc_of(s, first);
        bool whole = loc->is_copy && loc->align == JOIN_LINE_BYTES && first->element == 8 &&
                     (last->offset + 8 - first->offset) % JOIN_LINE_BYTES == 0;
        for (unsigned k = i; k < next && whole; k++) {
            join_nth(s, k)->align = (join_nth(s, k)->offset - first->offset) % JOIN_LINE_BYTES == 0
                                        ? JOIN_LINE_BYTES
                                        : 0;
        }
    }
}

static unsigned modulo(int64_t value, unsigned modulus) { return (unsigned)value & (modulus - 1); }

/* What accesses tell of their common base. If they contradict each other, nobody is believed. */
static void find_residues(struct segment *s)
{
    for (unsigned i = 0, next; i < s->access_count; i = next) {
        const struct access *best = join_nth(s, i);
        for (next = i; next < s->access_count && by_base(join_nth(s, i), join_nth(s, next)) == 0;
             next++) {
            best = join_nth(s, next)->align > best->align ? join_nth(s, next) : best;
        }
        unsigned modulus = best->align, residue = modulus > 0 ? modulo(-best->offset, modulus) : 0;
        bool agree = true;
        for (unsigned k = i; k < next; k++) {
            const struct access *a = join_nth(s, k);
            agree &= a->align == 0 || modulo(residue + a->offset, a->align) == 0;
        }
        for (unsigned k = i; k < next; k++) {
            join_nth(s, k)->modulus = agree ? modulus : 0;
            join_nth(s, k)->residue = residue;
            join_nth(s, k)->align = agree ? join_nth(s, k)->align : 0;
        }
    }
}

bool join_are_apart(const struct segment *s, const struct access *a, const struct access *b)
{
    int64_t a_bytes = a->element * a->words, b_bytes = b->element * b->words;
    if (a->space != b->space && a->space != PTX_GENERIC && b->space != PTX_GENERIC) {
        return true;
    }
    if (by_base(a, b) == 0) {
        return a->offset + a_bytes <= b->offset || b->offset + b_bytes <= a->offset;
    }
    if (a->read_only || b->read_only || same_copy(s, a, b)) { /* memcpy's arrays do not overlap */
        return true;
    }
    unsigned modulus = a->modulus < b->modulus ? a->modulus : b->modulus;
    if (modulus == 0) {
        return false;
    }
    int64_t a_at = modulo(a->residue + a->offset, modulus),
            b_at = modulo(b->residue + b->offset, modulus);
    return a_at + a_bytes <= modulus && b_at + b_bytes <= modulus &&
           (a_at + a_bytes <= b_at || b_at + b_bytes <= a_at);
}

void join_find_addresses(struct segment *s)
{
    sort_mentions(s);
    s->order = arena_alloc(&s->scratch, s->access_count * sizeof *s->order);
    for (unsigned i = 0; i < s->access_count; i++) {
        struct access *a = &s->accesses[i];
        join_follow_sums(s, a);
        bool changes = a->base != NULL && !join_is_written_once(s, a->base);
        a->version = changes ? version_at(s, a->base, a->insn) : 0;
        s->order[i] = i;
    }
    qsort_r(s->order, s->access_count, sizeof *s->order, by_place_of_index, s->accesses);
    align_copies(s);
    find_residues(s);
}
