/* sample.c - see sample.h. */
#include "machine/sample.h"
#include "base/room.h"

#include "ir/ops.h"

#include <stdlib.h>
#include <string.h>

/* Classes of a grid; blocks of each, if it has so many; of the budget a sample takes one of: */
enum { CLASSES = 27, LEAST = 4, SHARE = 40, WARPS_A_TENSOR_CYCLE = 16 };

/* --- may it be sampled? ----------------------------------------------------------------------- */

static bool is_shared(const struct ptx_insn *in)
{
    return ptx_has_modifier(in, WORD_SHARED) || ptx_has_modifier(in, WORD_SHARED_CTA);
}

/* What no other block hears of: barriers in shared memory and what is ordered for the cluster,
 * which is the block itself (a grid of clusters is rejected before); and fences that only put a
 * thread's copies and products behind its own stores. */
static bool stays_in_block(const struct ptx_insn *in)
{
    const bool orders = ptx_has_modifier(in, WORD_RELEASE) || ptx_has_modifier(in, WORD_ACQUIRE);
    return ptx_has_modifier(in, WORD_CTA) || ptx_has_modifier(in, WORD_CLUSTER) ||
           in->op == PTX_OP_MBARRIER || (ptx_has_modifier(in, WORD_PROXY) && !orders);
}

/* What others wait for, or that tells them: then a block that is left out would be missed. */
static const char *talks(const struct ptx_insn *in)
{
    const struct op_info *info = &op_table[in->op];
    if (info->memory == MEMORY_UPDATES) {
        return is_shared(in) ? NULL : "an atomic on global memory";
    }
    if (info->class == CLASS_BARRIER && !op_is(in->op, OP_CONVERGENT)) { /* not bar.sync */
        return stays_in_block(in) ? NULL : "a fence for other blocks";
    }
    bool waits = ptx_has_modifier(in, WORD_VOLATILE) || ptx_has_modifier(in, WORD_ACQUIRE) ||
                 ptx_has_modifier(in, WORD_RELAXED);
    return info->memory == MEMORY_READS && waits && !is_shared(in)
               ? "a load that waits for other blocks"
               : NULL;
}

const char *sample_rejection(const struct kernel *k, const struct simt_launch *launch,
                             unsigned *line)
{
    *line = 0;
    if (launch->cooperative) {
        return "a cooperative grid";
    }
    if (launch->cluster.x != 0) {
        return "a grid of clusters";
    }
    for (unsigned pc = 0; pc < k->code_count; pc++) {
        const char *why = k->origin[pc] != NULL ? talks(k->origin[pc]) : NULL;
        if (why != NULL) {
            *line = ptx_user_line(k->module, k->origin[pc]->loc)->line;
            return why;
        }
    }
    return NULL;
}

/* --- classes of blocks ------------------------------------------------------------------------ */

struct class_range { /* of block indices along one dimension: first, inner, last */
    uint32_t from, count;
};

static struct class_range range_of(uint32_t extent, unsigned which)
{
    const uint32_t inner = extent > 2 ? extent - 2 : 0;
    return which == 0   ? (struct class_range){0, 1}
           : which == 1 ? (struct class_range){1, inner}
                        : (struct class_range){extent - 1, extent > 1};
}

struct class_of_blocks {
    struct class_range x, y, z;
    uint64_t size;
};

static struct class_of_blocks class_number(const struct simt_launch *l, unsigned number)
{
    struct class_of_blocks c = {range_of(l->grid.x, number % 3),
                                range_of(l->grid.y, number / 3 % 3),
                                range_of(l->grid.z, number / 9), 0};
    c.size = (uint64_t)c.x.count * c.y.count * c.z.count;
    return c;
}

/* Block `index` of the class, as a number in the grid. */
static uint64_t block_of(const struct simt_launch *l, const struct class_of_blocks *c,
                         uint64_t index)
{
    const uint64_t x = c->x.from + index % c->x.count;
    const uint64_t y = c->y.from + index / c->x.count % c->y.count;
    const uint64_t z = c->z.from + index / c->x.count / c->y.count;
    return x + l->grid.x * (y + (uint64_t)l->grid.y * z);
}

static int by_number(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static bool lies_in(const struct class_range *r, uint64_t index)
{
    return index >= r->from && index - r->from < r->count;
}

static bool is_of_class(const struct simt_launch *l, const struct class_of_blocks *c,
                        uint64_t block)
{
    return lies_in(&c->x, block % l->grid.x) && lies_in(&c->y, block / l->grid.x % l->grid.y) &&
           lies_in(&c->z, block / l->grid.x / l->grid.y);
}

/* Blocks that the first SM would hold in the middle of the launch, two waves of them: what they
 * share in its L1 is seen. At most `most`. */
static uint64_t choose_of_sm(const struct simt_launch *l, const struct class_of_blocks *c,
                             const struct grid_settings *g, uint64_t most, uint64_t *list)
{
    const uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    const uint64_t rounds = (blocks + g->sm_count - 1) / g->sm_count;
    const uint64_t resident = g->resident / g->sm_count > 0 ? g->resident / g->sm_count : 1;
    const uint64_t wanted = 2 * resident < most ? 2 * resident : most;
    const uint64_t from = rounds > wanted ? (rounds - wanted) / 2 : 0;
    uint64_t chosen = 0;
    for (uint64_t r = from; r < rounds && r < from + wanted; r++) {
        const uint64_t block = r * g->sm_count;
        if (is_of_class(l, c, block)) {
            list[chosen++] = block;
        }
    }
    return chosen;
}

static uint64_t without_twins(uint64_t *list, uint64_t count)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (kept == 0 || list[kept - 1] != list[i]) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

/* `wanted` blocks of the class: those of one SM, and runs of neighbours, so that what neighbours
 * share is seen, spread over the class. Returns how many. */
static uint64_t choose(const struct simt_launch *l, const struct class_of_blocks *c,
                       const struct grid_settings *g, uint64_t wanted, uint64_t *list)
{
    const uint64_t all = wanted < c->size ? wanted : c->size;
    uint64_t chosen = all < c->size ? choose_of_sm(l, c, g, all / 2, list) : 0;
    const uint64_t count = all - chosen, of_sm = chosen;
    const uint64_t runs = count < 4 ? count : 4, each = runs > 0 ? count / runs : 0;
    for (uint64_t r = 0; r < runs; r++) {
        const uint64_t first = r * (c->size / runs);
        const uint64_t length = r + 1 < runs ? each : count - (chosen - of_sm);
        for (uint64_t i = 0; i < length; i++) {
            list[chosen++] = block_of(l, c, (first + i) % c->size);
        }
    }
    qsort(list, chosen, sizeof *list, by_number);
    return without_twins(list, chosen);
}

/* --- running ---------------------------------------------------------------------------------- */

struct sampler {
    struct grid_pool *pool;
    const struct kernel *k;
    const struct simt_launch *launch;
    struct grid_settings settings;
    struct site *own; /* of one class */
    uint64_t *list;
    uint64_t probed;    /* a block that has run, */
    struct site *first; /* and what it counted */
    struct err *e;
};

/* Matrix instructions count as the warp instructions that would multiply as much: a tensor core
 * does 512 products of 16-bit numbers in a cycle, 16 warps' worth; of FP64, one warp's at most. */
static uint64_t instructions_of(const struct sampler *s)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < s->k->site_count; i++) {
        const struct site_info *info = &s->k->sites[i];
        const bool multiplies = info->kind == SITE_HMMA || info->kind == SITE_IMMA;
        sum += info->kind == SITE_BLOCK ? s->own[i].a * info->count : 0;
        sum += multiplies ? s->own[i].c * WARPS_A_TENSOR_CYCLE : 0;
    }
    return sum;
}

static bool run_list(struct sampler *s, uint64_t count)
{
    s->settings.blocks = s->list;
    s->settings.block_count = count;
    memset(s->own, 0, s->k->site_count * sizeof *s->own);
    const bool good = grid_run(s->pool, s->k, s->launch, &s->settings, s->own, s->e);
    s->settings.started_before += count;
    return good;
}

static uint64_t scaled(uint64_t value, uint64_t size, uint64_t ran, bool *exact)
{
    const unsigned __int128 product = (unsigned __int128)value * size;
    *exact = *exact && product % ran == 0;
    return (uint64_t)((product + ran / 2) / ran);
}

static void add_scaled(const struct sampler *s, uint64_t size, uint64_t ran, struct site *sites,
                       bool *exact)
{
    for (unsigned i = 0; i < s->k->site_count; i++) {
        sites[i].a += scaled(s->own[i].a, size, ran, exact);
        sites[i].b += scaled(s->own[i].b, size, ran, exact);
        sites[i].c += scaled(s->own[i].c, size, ran, exact);
    }
}

/* What one block in the middle executes: what all of them might cost. No block runs twice, since it
 * may add to what it finds. */
static bool probe(struct sampler *s, uint64_t blocks, struct site *sites, uint64_t *instructions)
{
    s->list[0] = s->probed = blocks / 2;
    const bool good = run_list(s, 1);
    *instructions = instructions_of(s);
    memcpy(sites, s->own, s->k->site_count * sizeof *sites);
    memcpy(s->first, s->own, s->k->site_count * sizeof *sites);
    return good;
}

static bool run_rest(struct sampler *s, uint64_t blocks, struct site *sites)
{
    bool exact = true;
    uint64_t count = 0;
    for (uint64_t i = 0; i < blocks; i++) {
        s->list[count] = i;
        count += i != s->probed;
    }
    const bool good = count == 0 || run_list(s, count);
    if (count > 0) {
        add_scaled(s, 1, 1, sites, &exact);
    }
    return good;
}

static uint64_t without(uint64_t *list, uint64_t count, uint64_t number)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        list[kept] = list[i];
        kept += list[i] != number;
    }
    return kept;
}

/* The blocks of the list, none of them if there are none, and the probed one if it is of the class:
 * what they count together. */
static bool run_with_probed(struct sampler *s, uint64_t count, bool with_probed)
{
    memset(s->own, 0, s->k->site_count * sizeof *s->own);
    if (count > 0 && !run_list(s, count)) {
        return false;
    }
    for (unsigned i = 0; with_probed && i < s->k->site_count; i++) {
        s->own[i].a += s->first[i].a;
        s->own[i].b += s->first[i].b;
        s->own[i].c += s->first[i].c;
    }
    return true;
}

static bool run_classes(struct sampler *s, uint64_t blocks, uint64_t wanted, struct site *sites,
                        struct sample_result *r)
{
    for (unsigned number = 0; number < CLASSES; number++) {
        const struct class_of_blocks c = class_number(s->launch, number);
        if (c.size == 0) {
            continue;
        }
        const uint64_t share = wanted * c.size / blocks;
        const bool with_probed = is_of_class(s->launch, &c, s->probed);
        uint64_t count =
            choose(s->launch, &c, &s->settings, share > LEAST ? share : LEAST, s->list);
        count = without(s->list, count, s->probed);
        if (!run_with_probed(s, count, with_probed)) {
            return false;
        }
        count += with_probed;
        add_scaled(s, c.size, count, sites, &r->exact);
        r->executed += count;
    }
    return true;
}

bool sample_run(struct grid_pool *pool, const struct kernel *k, const struct simt_launch *launch,
                const struct grid_settings *settings, uint64_t budget, struct site *sites,
                struct sample_result *result, struct err *e)
{
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    uint64_t a_block = 1;
    struct sampler s = {pool, k, launch, *settings, NULL, NULL, 0, NULL, e};
    *result = (struct sample_result){blocks, 0, true};
    s.own = room_new(k->site_count + 1u, sizeof *s.own);
    s.first = room_new(k->site_count + 1u, sizeof *s.first);
    s.list = room_raw(blocks + 1, sizeof *s.list);
    bool good = probe(&s, blocks, sites, &a_block);
    if (good && a_block * blocks <= budget) {
        result->executed = blocks;
        good = run_rest(&s, blocks, sites);
    } else if (good) {
        memset(sites, 0, k->site_count * sizeof *sites);
        good = run_classes(&s, blocks, budget / SHARE / (a_block > 0 ? a_block : 1), sites, result);
    }
    free(s.own);
    free(s.first);
    free(s.list);
    return good;
}
