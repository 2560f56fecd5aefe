/* arithmetic.c - warps of a block and of a boundary, by arithmetic (see arithmetic.h). */
#include "step04_divergence/harness/arithmetic.h"

unsigned shape_threads(struct shape s) { return s.x * s.y * s.z; }

unsigned shape_warps(struct shape s) { return (shape_threads(s) + WARP - 1) / WARP; }

struct thread shape_thread(struct shape s, unsigned number)
{
    const struct thread t = {number % s.x, number / s.x % s.y, number / (s.x * s.y)};
    return t;
}

uint32_t shape_lanes(struct shape s, unsigned warp)
{
    const unsigned left = shape_threads(s) - warp * WARP;
    return left >= WARP ? UINT32_MAX : (UINT32_C(1) << left) - 1;
}

uint64_t boundary_blocks_x(int64_t width, struct shape s)
{
    return ((uint64_t)width + s.x - 1) / s.x;
}

uint64_t boundary_blocks_y(int64_t height, struct shape s)
{
    return ((uint64_t)height + s.y - 1) / s.y;
}

void tally_warp(struct tally *t, unsigned lanes, unsigned inside, uint64_t times)
{
    t->warps += times;
    t->divergent += inside > 0 && inside < lanes ? times : 0;
    t->outside += inside == 0 ? times : 0;
    t->inside_threads += times * inside;
    t->idle_threads += times * (lanes - inside);
}

static void tally_add(struct tally *sum, const struct tally *t)
{
    sum->blocks += t->blocks;
    sum->warps += t->warps;
    sum->divergent += t->divergent;
    sum->outside += t->outside;
    sum->inside_threads += t->inside_threads;
    sum->idle_threads += t->idle_threads;
}

double tally_utilisation(const struct tally *t)
{
    const uint64_t issued = t->warps - t->outside;
    return issued ? (double)t->inside_threads / (double)(WARP * issued) : 1.0;
}

bool tally_equal(const struct tally *a, const struct tally *b)
{
    return a->blocks == b->blocks && a->warps == b->warps && a->divergent == b->divergent &&
           a->outside == b->outside && a->inside_threads == b->inside_threads &&
           a->idle_threads == b->idle_threads;
}

/* `blocks` blocks, of each of which the first columns x rows threads are inside. All blocks of a
 * region are alike, so one of them is walked. */
static struct tally tally_region(struct shape s, uint64_t blocks, unsigned columns, unsigned rows)
{
    struct tally t = {.blocks = blocks};
    for (unsigned warp = 0; warp < shape_warps(s) && blocks > 0; warp++) {
        const uint32_t lanes = shape_lanes(s, warp);
        unsigned inside = 0;
        for (unsigned lane = 0; lane < WARP && lanes >> lane; lane++) {
            const struct thread p = shape_thread(s, warp * WARP + lane);
            inside += p.x < columns && p.y < rows;
        }
        tally_warp(&t, (unsigned)__builtin_popcount(lanes), inside, blocks);
    }
    return t;
}

struct boundary boundary_predict(int64_t width, int64_t height, struct shape s)
{
    const uint64_t whole_x = (uint64_t)width / s.x, whole_y = (uint64_t)height / s.y;
    const unsigned rest_x = (unsigned)((uint64_t)width % s.x);
    const unsigned rest_y = (unsigned)((uint64_t)height % s.y);
    const uint64_t cut_x = rest_x > 0, cut_y = rest_y > 0;
    struct boundary b = {.region = {
                             [INTERIOR] = tally_region(s, whole_x * whole_y, s.x, s.y),
                             [RIGHT] = tally_region(s, cut_x * whole_y, rest_x, s.y),
                             [BOTTOM] = tally_region(s, whole_x * cut_y, s.x, rest_y),
                             [CORNER] = tally_region(s, cut_x * cut_y, rest_x, rest_y),
                         }};
    for (int r = 0; r < REGIONS; r++)
        tally_add(&b.all, &b.region[r]);
    return b;
}
