/* advice.c - see advice.h. */
#include "watch/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECTOR = 32,            /* bytes */
    BANKS = 32,             /* of 4 bytes */
    LONG_STEP = 256,        /* bytes between neighbours: a row of a matrix rather than a struct */
    MANY_ON_ONE = 4,        /* lanes of one atomic that update the same word */
    CONSTANT_BYTES = 65536, /* what __constant__ memory holds */
    MANY_READS = 64,        /* of each word of a table, by all warps together */
    FEW_LANES = 24,         /* fewer on average: lanes have gone other ways */
    MANY_ROUNDS = 8,        /* of a loop: fewer are the ragged end of an array */
    MANY_COSTS = 6          /* different ones among the requests of an access */
};

/* The lanes of one request in their order. */
struct lanes {
    unsigned count;
    uint64_t address[WARP_LANES];
    int64_t step;    /* bytes from lane to lane, where it is always the same */
    bool regular;    /* it is */
    unsigned piece;  /* else: so many lanes have one step, as the rows of a narrow block; 0: no */
    unsigned run;    /* shortest piece of lanes side by side, but for the last one */
    unsigned on_one; /* lanes on the address that most share */
    bool gaps;       /* regular counted from lane number to lane number: some between are idle */
};

/* The largest number of lanes, a power of two, that `step` holds for in each piece of so many. */
static unsigned pieces_of(struct lanes *l)
{
    for (unsigned piece = WARP_LANES / 2; piece >= 4; piece /= 2) {
        const int64_t step = (int64_t)(l->address[1] - l->address[0]);
        bool same = l->count % piece == 0 && l->count > piece;
        for (unsigned i = 1; i < l->count && same; i++) {
            same = i % piece == 0 || (int64_t)(l->address[i] - l->address[i - 1]) == step;
        }
        if (same) {
            l->step = step;
            return piece;
        }
    }
    return 0;
}

/* Idle lanes between: the address goes on with the number of the lane all the same. */
static void look_across_gaps(struct lanes *l, const struct access_sample *s)
{
    const unsigned first = first_lane(s->lanes),
                   last = WARP_LANES - 1 - (unsigned)__builtin_clz(s->lanes);
    const int64_t whole = (int64_t)(s->address[last] - s->address[first]);
    const int64_t lanes = (int64_t)last - first;
    bool even = lanes > 0 && whole % lanes == 0;
    for (lane_mask left = s->lanes; left != 0 && even; left &= left - 1) {
        const unsigned i = first_lane(left);
        even = (int64_t)(s->address[i] - s->address[first]) == whole / lanes * (int64_t)(i - first);
    }
    if (even) {
        l->regular = l->gaps = true;
        l->step = whole / lanes;
    }
}

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
    if (!l.regular) {
        look_across_gaps(&l, s);
    }
    l.piece = l.regular || l.count < 2 ? 0 : pieces_of(&l);
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

/* --- global memory ---------------------------------------------------------------------------- */

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

/* Side by side, but for lanes that are idle: these sectors are fetched for a part of them. */
static void advise_gaps(const struct access_row *row, const struct lanes *l, const char *array,
                        char *text, size_t size)
{
    char name[80];
    snprintf(
        text, size,
        "%u lanes %s neighbouring elements%s with gaps between them, where lanes are idle: let "
        "neighbouring threads do what is left, or gather the work first",
        l->count, verb(row), of(array, name, sizeof name));
}

/* The same access has requests of all costs, for different lanes each time. */
static bool lanes_part(const struct access_row *row)
{
    return row->lanes < FEW_LANES * row->requests && row->class_count >= MANY_COSTS;
}

static void advise_parting(const struct access_row *row, const char *array, char *text, size_t size)
{
    char name[80];
    snprintf(text, size,
             "%.1f lanes at a time %s%s, others another time: loops of different lengths, or a "
             "condition on the data? sort the work so that neighbours do the same, or give a long "
             "loop to a whole warp",
             (double)row->lanes / (double)row->requests, verb(row), of(array, name, sizeof name));
}

/* Not dear by its sectors: a request that could be wider, or need not be one at all. */
static void advise_cheap(const struct access_row *row, const struct lanes *l, const char *array,
                         char *text, size_t size)
{
    char name[80];
    const uint64_t words = (row->uniform_high - row->uniform_low) / row->bytes + 1;
    of(array, name, sizeof name);
    if (row->bytes == 1 && l->regular && l->step == 1 && l->count == WARP_LANES) {
        snprintf(text, size,
                 "one byte a lane%s, 32 bytes a request: let a thread take four neighbours "
                 "(uchar4), for a quarter of the requests",
                 name);
    } else if (row->kind == ACCESS_LOAD && row->uniform == row->requests && words > 1 &&
               words * row->bytes <= CONSTANT_BYTES && row->requests >= MANY_READS * words) {
        snprintf(text, size,
                 "all lanes read one word%s at a time, and all warps the same %llu words: put them "
                 "into constant memory (__constant__)",
                 name, (unsigned long long)words);
    }
}

static void advise_global(const struct access_row *row, const struct lanes *l, const char *array,
                          char *text, size_t size)
{
    char name[80];
    if (l->piece > 0 && llabs((long long)l->step) > (long long)row->bytes) {
        advise_stride(row, l, array, text, size);
    } else if (l->piece >= 8 && l->step == 0) {
        text[0] = '\0'; /* a word for each row of the block: what a product's left matrix has */
    } else if (lanes_part(row)) {
        advise_parting(row, array, text, size);
    } else if (l->regular && llabs((long long)l->step) > (long long)row->bytes) {
        advise_stride(row, l, array, text, size);
    } else if (l->gaps) {
        advise_gaps(row, l, array, text, size);
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
                 of(array, name, sizeof name), accesses_worst(row)->cost);
    }
}

static void advise_atomic(const struct access_row *row, const struct lanes *l, const char *array,
                          char *text, size_t size)
{
    const char *all = l->on_one == l->count && l->count > 1 ? "all " : "";
    const char *of_it = array[0] != '\0' ? " of " : "";
    const char *cure =
        row->space == PTX_SHARED
            ? "reduce in the warp first, or keep several copies and add them up"
            : "reduce in the warp or the block first, or keep a copy in shared memory";
    snprintf(text, size, "%s%u lanes update one word%s%s, one after the other: %s", all, l->on_one,
             of_it, array, cure);
}

/* --- shared memory ---------------------------------------------------------------------------- */

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
                 accesses_worst(row)->cost, name);
    }
}

/* --- lanes that idle -------------------------------------------------------------------------- */

/* The active lanes are every second, fourth, ... one: a condition on threadIdx.x % n. 0: they are
 * not. */
static unsigned every(lane_mask lanes)
{
    for (unsigned n = 2; n <= 16 && first_lane(lanes) < n; n *= 2) {
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

/* More than a tenth of the requests cost no more than the least: in a loop over a[i + k], those
 * that are where they should be. (Where a warp comes once, they are other rows of a matrix.) */
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
    return row->space == PTX_GLOBAL && l->regular && !l->gaps && l->step == (int64_t)row->bytes;
}

/* The same lanes idle at an access before this one: the condition is one, so it is reported once.
 */
static bool is_told_before(const struct access_row *rows, unsigned index, unsigned idle)
{
    for (unsigned i = 0; i < index; i++) {
        if (every(accesses_typical(&rows[i])->sample.lanes) == idle) {
            return true;
        }
    }
    return false;
}

static bool is_first_local(const struct access_row *rows, unsigned index)
{
    for (unsigned i = 0; i < index; i++) {
        if (rows[i].space == PTX_LOCAL) {
            return false;
        }
    }
    return true;
}

const char *advice_for(const struct access_row *rows, unsigned count, unsigned index,
                       const char *array, char *text, size_t size)
{
    const struct access_row *row = &rows[index];
    const struct access_sample *worst = &accesses_worst(row)->sample;
    const struct lanes l = look(worst, row->bytes);
    const unsigned idle = every(accesses_typical(row)->sample.lanes);
    const bool excess = is_excess(row->cost, row->least);
    text[0] = '\0';
    if (row->kind == ACCESS_ATOMIC || row->kind == ACCESS_REDUCTION) {
        if (l.on_one >= MANY_ON_ONE) {
            advise_atomic(row, &l, array, text, size);
        }
    } else if (row->space == PTX_GLOBAL && excess) {
        bool neighbours = row->least_once || (row->repeated && some_are_aligned(row)) ||
                          has_aligned_twin(rows, count, row);
        if (!only_misses_the_edge(row, &l) || !neighbours) {
            advise_global(row, &l, array, text, size);
        }
    } else if (row->space == PTX_GLOBAL) {
        advise_cheap(row, &l, array, text, size);
    } else if (row->space == PTX_SHARED && excess) {
        advise_banks(row, &l, array, text, size);
    } else if (row->space == PTX_LOCAL && is_first_local(rows, index)) {
        snprintf(text, size,
                 "an array of each thread lies in local memory, which is DRAM behind caches: its "
                 "index is not known to the compiler; unroll the loops that use it, or keep it in "
                 "shared memory");
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

/* Lanes leave at different rounds, those that stay are few, and it is not the end of an array, at
 * which lanes part once for each warp that comes. */
static bool rounds_differ(const struct branch_row *loop)
{
    const bool few = 4 * loop->lanes < 3 * loop->most * loop->executed;
    const bool often = loop->divergent >= 2 * loop->ends;
    return loop->back && few && loop->divergent > 0 &&
           (often || loop->executed >= MANY_ROUNDS * loop->ends);
}

const char *advice_for_loop(const struct branch_row *loop, const struct access_row *rows,
                            unsigned count, char *text, size_t size)
{
    bool reported = false;
    for (unsigned i = 0; i < count; i++) {
        const struct access_row *row = &rows[i];
        reported |= row->space == PTX_GLOBAL && is_excess(row->cost, row->least) && lanes_part(row);
    }
    text[0] = '\0';
    if (!reported && rounds_differ(loop)) {
        snprintf(text, size,
                 "the lanes run different numbers of rounds: on average %.1f of %u lanes do one, "
                 "the others wait; sort the work so that neighbours have equally much, or give a "
                 "long loop to a whole warp",
                 (double)loop->lanes / (double)loop->executed, loop->most);
    }
    return text;
}
