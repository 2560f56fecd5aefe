/* join_address.c - the addresses of a segment's accesses: which have a base in common, how they are
 * aligned, which are apart for sure. */
#include "ptx/joiner.h"

#include <stdlib.h>

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

/* What accesses tell of their common base. If they contradict each other, none of them is believed.
 */
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
    join_sort_mentions(s);
    s->order = arena_alloc(&s->scratch, s->access_count * sizeof *s->order);
    for (unsigned i = 0; i < s->access_count; i++) {
        struct access *a = &s->accesses[i];
        join_follow_sums(s, a);
        bool changes = a->base != NULL && !join_is_written_once(s, a->base);
        a->version = changes ? join_version_at(s, a->base, a->insn) : 0;
        s->order[i] = i;
    }
    qsort_r(s->order, s->access_count, sizeof *s->order, by_place_of_index, s->accesses);
    align_copies(s);
    find_residues(s);
}
