/* plans.c - the ways to share a product out among the blocks of a GPU, and what each would cost
 * (see stream.h). */
#include <math.h>

#include "step02_tiled/summit/stream.h"

enum {
    PARTS_A_BLOCK_ADDS = 12,  /* beyond these one block would add up for too long */
    PARTS_WORTH_A_LAUNCH = 3, /* below these a launch costs more than it spares */
    PLANS_MAX = 64            /* of one shape */
};

static int divide_up(int a, int b) { return (int)(((int64_t)a + b - 1) / b); }

struct list {
    struct stream_plan *plans;
    size_t count, max;
};

static void add(struct list *l, struct stream_plan plan)
{
    if (l->count < l->max)
        l->plans[l->count++] = plan;
}

/* Both ways to add the parts up where either may be the faster one. */
static void add_divided(struct list *l, struct stream_plan plan, int tiles, int pieces)
{
    const int divided = tiles - plan.whole;
    if ((int64_t)divided * pieces < 2 * (int64_t)plan.blocks || divided > TICKETS)
        return; /* a block would have less than two pieces */
    plan.parts = divide_up(plan.blocks, divided) + (plan.blocks % divided != 0);
    if (plan.parts <= PARTS_A_BLOCK_ADDS)
        add(l, plan);
    plan.add_after = true;
    if (plan.parts >= PARTS_WORTH_A_LAUNCH)
        add(l, plan);
}

/* At least a wave of tiles: the rest is divided, or the rest and one wave more, so that a block
 * has more than a tile's work and a tile fewer parts. */
static void add_waves(struct list *l, struct stream_plan plan, int tiles, int pieces, int resident)
{
    const int waves = tiles / resident;
    plan.blocks = resident;
    if (tiles % resident == 0)
        return;
    plan.whole = waves * resident;
    add_divided(l, plan, tiles, pieces);
    plan.whole = (waves - 1) * resident;
    if (plan.whole > 0 || plan.shape->operands != OPERANDS_PACKED_WAVES)
        add_divided(l, plan, tiles, pieces);
}

/* Less than a wave: every block gets an equal share, or every tile an equal number of blocks. */
static void add_splits(struct list *l, struct stream_plan plan, int tiles, int pieces, int resident)
{
    plan.whole = 0;
    plan.blocks = resident;
    if (resident % tiles != 0)
        add_divided(l, plan, tiles, pieces);
    for (int split = resident / tiles; split > 1; split = split > 4 ? split * 2 / 3 : split - 1) {
        plan.blocks = tiles * split;
        add_divided(l, plan, tiles, pieces);
    }
}

size_t stream_plans(const struct stream_shape *s, const struct product *p, int sms,
                    struct stream_plan *plans, size_t max)
{
    struct list l = {plans, 0, max};
    const int64_t all = (int64_t)divide_up(p->m, s->bm) * divide_up(p->n, s->bn);
    const int tiles = (int)all, pieces = divide_up(p->k, s->deep), resident = sms * s->per_sm;
    struct stream_plan plan = {s, tiles, tiles, 1, false, p->band};
    if (all > 1 << 30)
        return 0;
    if (s->operands != OPERANDS_PACKED_WAVES)
        add(&l, plan);
    if (tiles >= resident)
        add_waves(&l, plan, tiles, pieces, resident);
    else if (s->operands != OPERANDS_PACKED_WAVES)
        add_splits(&l, plan, tiles, pieces, resident);
    return l.count;
}

/* Few rows or columns: splits of k until the GPU is full once, twice, ... sixteen times. Here
 * `whole` is the depth of a split, `parts` their number. */
size_t vector_plans(const struct stream_shape *s, const struct product *p, int sms,
                    struct stream_plan *plans, size_t max)
{
    enum { STEP = 32, SPLITS_MAX = 512 };
    struct list l = {plans, 0, max};
    const bool rows = s->bm < s->bn; /* few rows of A: columns of B are its groups */
    const int few = rows ? p->m : p->n, most = rows ? s->bm : s->bn;
    const int groups = rows ? divide_up(p->n, s->bn) : divide_up(p->m, s->bm);
    int before = 0;
    if (few > most || (most > 1 && few <= most / 2) || groups > TICKETS)
        return 0;
    for (int fill = 1; fill <= 16; fill *= 2) {
        int splits = divide_up(sms * fill, groups);
        const int depth = divide_up(divide_up(p->k, splits), STEP) * STEP;
        splits = divide_up(p->k, depth);
        if (splits != before && splits <= SPLITS_MAX)
            add(&l, (struct stream_plan){s, splits * groups, depth, splits, false, p->band});
        if (splits != before && splits <= SPLITS_MAX && rows && splits > PARTS_WORTH_A_LAUNCH)
            add(&l, (struct stream_plan){s, splits * groups, depth, splits, true, p->band});
        before = splits;
    }
    return l.count;
}

/* Few steps of k: there is one way, and nothing to divide. */
size_t steps_plans(const struct stream_shape *s, const struct product *p, int sms,
                   struct stream_plan *plans, size_t max)
{
    struct list l = {plans, 0, max};
    const int groups = divide_up(p->n, s->bn) * divide_up(p->m, s->bm);
    (void)sms;
    if (p->k <= s->deep && divide_up(p->m, s->bm) <= 65535)
        add(&l, (struct stream_plan){s, groups, 0, 1, false, p->band});
    return l.count;
}

/* An element a thread, where all of them are not even a full GPU. */
size_t element_plans(const struct stream_shape *s, const struct product *p, int sms,
                     struct stream_plan *plans, size_t max)
{
    enum { THREADS_AN_SM = 2048 };
    struct list l = {plans, 0, max};
    const int64_t elements = (int64_t)p->m * p->n;
    if (p->k <= s->deep && elements <= (int64_t)sms * THREADS_AN_SM)
        add(&l, (struct stream_plan){s, divide_up((int)elements, s->bn), 0, 1, false, p->band});
    return l.count;
}

size_t stream_parts_floats(const struct stream_plan *plan)
{
    return plan->parts <= 1
               ? 0
               : 2 * (size_t)plan->blocks * (size_t)plan->shape->bm * (size_t)plan->shape->bn;
}

size_t stream_room_floats(const struct product *p, int sms)
{
    const struct stream_shape *(*const tables[])(size_t *) = {stream_shapes, vector_shapes};
    struct stream_plan plans[PLANS_MAX];
    size_t count, most = 0;
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        const struct stream_shape *shapes = tables[t](&count);
        for (size_t i = 0; i < count; i++)
            for (size_t j = shapes[i].plans(&shapes[i], p, sms, plans, PLANS_MAX); j-- > 0;) {
                const size_t floats = stream_parts_floats(&plans[j]);
                most = floats > most ? floats : most;
            }
    }
    return most;
}

/* ----------------------------------------------------------------------------------- the model */

/* Of an H200, measured: launches in a row cost so much each; a multiprocessor multiplies 128 times
 * a cycle at 1980 MHz; one block adds parts at so many bytes a microsecond, all together so many;
 * memory delivers so many. */
static const double launch_us = 2.0, start_us = 4.0, multiplications_per_us = 128 * 1980.0,
                    block_bytes_per_us = 60e3, l2_bytes_per_us = 3e6, memory_bytes_per_us = 4e6;

static double bytes_moved(const struct product *p)
{
    return 4.0 * ((double)p->m * p->k + (double)p->k * p->n + (double)p->m * p->n);
}

/* The busiest multiprocessor's multiplications, in time. One that holds fewer blocks than it could
 * has less to do while it waits: it reaches a part of the shape's share. */
static double multiply_us(const struct stream_plan *plan, const struct product *p, int sms)
{
    const struct stream_shape *s = plan->shape;
    const double tile = (double)s->bm * s->bn * (divide_up(p->k, s->deep) * (double)s->deep);
    const double tiles = ceil((double)p->m / s->bm) * ceil((double)p->n / s->bn);
    const int resident = sms * s->per_sm;
    const double on_busiest = ceil(fmin(plan->blocks, resident) / sms);
    const double waves = ceil((double)plan->whole / fmin(fmax(plan->blocks, 1), resident));
    const double divided = (tiles - plan->whole) / plan->blocks;
    const double fill = on_busiest >= s->per_sm ? 1.0 : 0.65;
    return on_busiest * (waves + divided) * tile / (multiplications_per_us * s->share * fill);
}

static double add_us(const struct stream_plan *plan)
{
    const double tile_bytes = 4.0 * plan->shape->bm * plan->shape->bn;
    if (plan->parts <= 1)
        return 0.0;
    return plan->add_after ? launch_us + 2 * plan->blocks * tile_bytes / l2_bytes_per_us
                           : 1.5 + (plan->parts + 1) * tile_bytes / block_bytes_per_us;
}

double stream_model_us(const struct stream_plan *plan, const struct product *p, int sms)
{
    const struct stream_shape *s = plan->shape;
    const double memory_us = bytes_moved(p) / memory_bytes_per_us;
    if (s->plans != stream_plans) /* waits for memory, if enough blocks ask for it */
        return start_us + fmax(memory_us * fmax(1.0, 2.0 * sms / plan->blocks), 1.0) +
               (plan->parts > 1 ? 1.5 + plan->parts * 0.01 : 0.0);
    double us = start_us + fmax(multiply_us(plan, p, sms), memory_us) + add_us(plan);
    if (s->operands != OPERANDS_AS_THEY_ARE)
        us += launch_us + 8.0 * (double)p->k * ((double)p->m + p->n) / l2_bytes_per_us;
    if (s->operands == OPERANDS_PACKED_WAVES)
        us += launch_us;
    return us;
}
