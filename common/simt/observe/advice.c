/* advice.c - see advice.h. */
#include "observe/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECTOR = 32,     /* bytes */
    BANKS = 32,      /* of 4 bytes */
    LONG_STEP = 256, /* bytes between neighbours: a row of a matrix rather than a struct */
    MANY_ON_ONE = 4  /* lanes of one atomic that update the same word */
};

/* The lanes of one request in their order. */
struct lanes {
    unsigned count;
    uint64_t address[WARP_LANES];
    int64_t step;    /* bytes from lane to lane, where it is always the same */
    bool regular;    /* it is */
    unsigned run;    /* shortest piece of lanes side by side, but for the last one */
    unsigned on_one; /* lanes on the address that most share */
};

static struct lanes look(const struct access_sample *s, unsigned bytes)
{
    struct lanes l = {.regular = true, .run = WARP_LANES};
    unsigned run = 1;
    for (lane_mask left = s->lanes; left != 0; left &= left - 1) {
        l.address[l.count++] = s->address[first_lane(left)];
    }
    for (unsigned i = 1; i < l.count; i++) {
        int64_t step = (int64_t)(l.address[i] - l.address[i - 1]);
        l.step = i == 1 ? step : l.step;
        l.regular = l.regular && step == l.step;
        if (step == (int64_t)bytes) {
            run++;
        } else {
            l.run = run < l.run ? run : l.run;
            run = 1;
        }
    }
    l.run = run < l.run && l.run == WARP_LANES ? run : l.run;
    for (unsigned i = 0; i < l.count; i++) {
        unsigned same = 0;
        for (unsigned k = 0; k < l.count; k++) {
            same += l.address[k] == l.address[i];
        }
        l.on_one = same > l.on_one ? same : l.on_one;
    }
    return l;
}

static const char *verb(const struct access_row *row)
{
    return row->kind == ACCESS_STORE ? "write" : "read";
}

/* " of name", or nothing. */
static const char *of(const char *array, char *text, size_t size)
{
    snprintf(text, size, array[0] != '\0' ? " of %s" : "%s", array);
    return text;
}

/* --- global memory ------------------------------------------------------------------------------
 */

static void advise_stride(const struct access_row *row, const struct lanes *l, const char *array,
                          char *text, size_t size)
{
    char name[80];
    uint64_t apart = (uint64_t)llabs((long long)l->step);
    if (apart >= LONG_STEP) {
        snprintf(text, size,
                 "neighbouring threads %s a column%s, %llu bytes apart: let threadIdx.x run along "
                 "the row, or go through a tile in shared memory",
                 verb(row), of(array, name, sizeof name), (unsigned long long)apart);
    } else {
        snprintf(text, size,
                 "lanes are %llu bytes apart%s%s, %u of %u bytes used: a stride, a chunk for each "
                 "thread, or an array of structs? let neighbours take neighbouring elements",
                 (unsigned long long)apart, array[0] != '\0' ? " in " : "", array, row->bytes,
                 apart < SECTOR ? (unsigned)apart : SECTOR);
    }
}

static void advise_edge(const struct access_row *row, const struct lanes *l, const char *array,
                        char *text, size_t size)
{
    unsigned behind = (unsigned)(l->address[0] % SECTOR);
    (void)row;
    snprintf(
        text, size,
        "the lanes are side by side, but begin %u bytes behind a sector's edge%s%s: one sector "
        "more a request; begin at a multiple of 32 bytes (pad the rows, or shift the index)",
        behind, array[0] != '\0' ? " of " : "", array);
}

static void advise_global(const struct access_row *row, const struct lanes *l, const char *array,
                          char *text, size_t size)
{
    char name[80];
    if (l->regular && llabs((long long)l->step) > (long long)row->bytes) {
        advise_stride(row, l, array, text, size);
    } else if (l->regular && l->step == (int64_t)row->bytes && l->address[0] % SECTOR != 0) {
        advise_edge(row, l, array, text, size);
    } else if (l->run > 1 && l->run * row->bytes < SECTOR) {
        snprintf(
            text, size,
            "only %u neighbouring lanes %s neighbouring elements%s, %u of a sector's 32 bytes: "
            "make the block wider in x",
            l->run, verb(row), of(array, name, sizeof name), l->run * row->bytes);
    } else if (l->run > 1) {
        snprintf(text, size,
                 "pieces of %u lanes%s do not begin at a sector's edge: pad the rows to a multiple "
                 "of 32 bytes",
                 l->run, of(array, name, sizeof name));
    } else {
        snprintf(text, size,
                 "the lanes' addresses%s are scattered over %u sectors: sort the indices, or bring "
                 "the data into shared memory first",
                 of(array, name, sizeof name), access_worst(row)->cost);
    }
}

static void advise_atomic(const struct access_row *row, const struct lanes *l, const char *array,
                          char *text, size_t size)
{
    snprintf(text, size, "%s%u lanes update one word%s%s, one after the other: %s",
             l->on_one == l->count && l->count > 1 ? "all " : "", l->on_one,
             array[0] != '\0' ? " of " : "", array,
             row->space == PTX_SHARED
                 ? "reduce in the warp first, or keep several copies and add them up"
                 : "reduce in the warp or the block first, or keep a copy in shared memory");
}

/* --- shared memory ------------------------------------------------------------------------------
 */

static void advise_banks(const struct access_row *row, const struct lanes *l, const char *array,
                         char *text, size_t size)
{
    char name[80];
    uint64_t words = (uint64_t)llabs((long long)l->step) / 4;
    of(array, name, sizeof name);
    if (l->regular && words > 0 && words % BANKS == 0) {
        snprintf(text, size,
                 "the lanes go down a column%s, %llu words apart, all in one bank: pad each row by "
                 "one element",
                 name, (unsigned long long)words);
    } else if (l->regular && words > row->bytes / 4u) {
        snprintf(
            text, size,
            "the lanes are %llu words apart%s and share banks: use neighbouring words, or an odd "
            "distance",
            (unsigned long long)words, name);
    } else {
        snprintf(text, size,
                 "%u passes for one request%s: different words of one bank; pad the rows by one "
                 "element, or swizzle the index",
                 access_worst(row)->cost, name);
    }
}

/* --- lanes that idle -----------------------------------------------------------------------------
 */

/* The active lanes are every second, fourth, ... one: a condition on threadIdx.x % n. 0: they are
 * not. */
static unsigned every(lane_mask lanes)
{
    for (unsigned n = 2; n <= 16; n *= 2) {
        lane_mask mask = 0;
        for (unsigned i = first_lane(lanes); i < WARP_LANES; i += n) {
            mask |= 1u << i;
        }
        if (mask == lanes) {
            return n;
        }
    }
    return 0;
}

/* A tenth more than the least is not worth a word: the last rows of a matrix do that. */
static bool is_excess(uint64_t cost, uint64_t least) { return 10 * cost > 11 * least; }

/* Another access of the same array is where it should be: this one is its neighbour, as in a
 * stencil, and finds most of its sectors in the cache. */
static bool has_aligned_twin(const struct access_row *rows, unsigned count,
                             const struct access_row *row)
{
    for (unsigned i = 0; i < count; i++) {
        const struct access_row *r = &rows[i];
        bool same = r->space == row->space && r->array_begin == row->array_begin &&
                    r->parameter == row->parameter && r->kind == row->kind;
        if (r != row && same && r->requests > 0 && !is_excess(r->cost, r->least)) {
            return true;
        }
    }
    return false;
}

/* More than a tenth of the requests cost no more than the least: of an expression like a[i - 1] +
 * a[i], whose accesses a compiler gives one place in the source, those that are where they should
 * be. */
static bool some_are_aligned(const struct access_row *row)
{
    uint64_t aligned = 0;
    for (unsigned i = 0; i < row->class_count; i++) {
        const struct access_class *c = &row->classes[i];
        aligned += c->cost * row->requests <= row->least ? c->requests : 0;
    }
    return 10 * aligned > row->requests;
}

/* Nothing but the beginning is wrong: lanes side by side, one sector more than the least. */
static bool only_misses_the_edge(const struct access_row *row, const struct lanes *l)
{
    return row->space == PTX_GLOBAL && l->regular && l->step == (int64_t)row->bytes;
}

/* The same lanes idle at an access before this one: the condition is one, so it is told once. */
static bool is_told_before(const struct access_row *rows, unsigned index, unsigned idle)
{
    for (unsigned i = 0; i < index; i++) {
        if (every(access_typical(&rows[i])->sample.lanes) == idle) {
            return true;
        }
    }
    return false;
}

const char *advice_for(const struct access_row *rows, unsigned count, unsigned index,
                       const char *array, char *text, size_t size)
{
    const struct access_row *row = &rows[index];
    const struct access_sample *worst = &access_worst(row)->sample;
    const struct lanes l = look(worst, row->bytes);
    const unsigned idle = every(access_typical(row)->sample.lanes);
    const bool excess = is_excess(row->cost, row->least);
    text[0] = '\0';
    if (row->kind == ACCESS_ATOMIC || row->kind == ACCESS_REDUCTION) {
        if (l.on_one >= MANY_ON_ONE) {
            advise_atomic(row, &l, array, text, size);
        }
    } else if (row->space == PTX_GLOBAL && excess) {
        bool neighbours = some_are_aligned(row) || has_aligned_twin(rows, count, row);
        if (!only_misses_the_edge(row, &l) || !neighbours) {
            advise_global(row, &l, array, text, size);
        }
    } else if (row->space == PTX_SHARED && excess) {
        advise_banks(row, &l, array, text, size);
    }
    if (text[0] == '\0' && idle != 0 && !is_told_before(rows, index, idle)) {
        snprintf(
            text, size,
            "one lane in %u works: a condition on threadIdx.x %% %u? let the first threads do it, "
            "side by side",
            idle, idle);
    }
    return text;
}
