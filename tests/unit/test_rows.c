/* A row of cells that is looked at at once (check/race_rows.c) finds what word by word is found
 * (check/race_words.c): the same accesses are made twice, the second time where each row crosses
 * the end of a chunk, which only the words can do. And which bytes of local memory have a value
 * (check/init_local.h). */
#include "common/simt/check/init_local.h"
#include "common/simt/check/race.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 2, WARPS = 2, PCS = 8, MOST_REPORTS = 1 << 18 };

struct side {
    uint64_t base;
    struct shadow *shadow;
    struct order *order;
    struct race *race;
    struct order_block orders[BLOCKS];
    struct race_block blocks[BLOCKS];
    struct seen {
        uint64_t reason, pcs, lanes, address;
    } * seen;
    unsigned count;
};

static void on_report(void *state, const struct race_report *r)
{
    struct side *s = state;
    ck_assert_uint_lt(s->count, MOST_REPORTS);
    s->seen[s->count++] = (struct seen){r->reason, (uint64_t)r->first->pc << 32 | r->second->pc,
                                        r->first_lane << 8 | r->second_lane, r->address - s->base};
}

static void begin_block(struct side *s, unsigned block, uint32_t number)
{
    order_block_begin(s->order, &s->orders[block], number, WARPS * WARP_LANES);
    race_block_begin(s->race, &s->blocks[block], &s->orders[block], PCS, 0);
}

static void begin(struct side *s, uint64_t base)
{
    *s = (struct side){.base = base};
    s->seen = calloc(MOST_REPORTS, sizeof *s->seen);
    s->shadow = shadow_open();
    s->order = order_open();
    s->race = race_open(s->shadow, on_report, s);
    race_launch(s->race);
    for (unsigned b = 0; b < BLOCKS; b++) {
        begin_block(s, b, b);
    }
}

static void end(struct side *s)
{
    for (unsigned b = 0; b < BLOCKS; b++) {
        race_block_free(&s->blocks[b]);
        order_block_free(&s->orders[b]);
    }
    race_close(s->race);
    order_close(s->order);
    shadow_close(s->shadow);
    free(s->seen);
}

struct deed {
    unsigned block, warp, pc, what, bytes;
    uint64_t offset;
    lane_mask lanes;
};

static void make(struct side *s, const struct deed *d)
{
    uint64_t address[WARP_LANES], low = UINT64_MAX, high = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        address[i] = s->base + d->offset + (uint64_t)i * d->bytes;
        if (d->lanes >> i & 1u) {
            low = address[i] < low ? address[i] : low;
            high = address[i] + d->bytes;
        }
    }
    const struct touch t = {.pc = d->pc,
                            .what = (uint8_t)d->what,
                            .scope = ORDER_DEVICE,
                            .space = PTX_GLOBAL,
                            .bytes = (uint8_t)d->bytes,
                            .lanes = d->lanes,
                            .time = s->orders[d->block].warps[d->warp].time,
                            .low = low,
                            .high = high,
                            .address = address};
    if (d->what & TOUCH_STRONG) {
        race_flags_seen(s->race);
    }
    race_access(s->race, &s->blocks[d->block], d->warp, &t);
}

static uint32_t state;

static uint32_t any_below(uint32_t limit)
{
    state = state * 1664525u + 1013904223u; /* Numerical Recipes' generator */
    return (state >> 8) % limit;
}

static struct deed any_deed(bool flags)
{
    struct deed d = {.block = any_below(8) == 0, /* mostly one block: else all is a race */
                     .warp = any_below(4) == 0,
                     .pc = any_below(PCS),
                     .offset = 8 * any_below(8),
                     .lanes = FULL_MASK};
    d.bytes = any_below(4) == 0 ? 8 : 4;
    d.what = d.pc % 2 == 0 ? TOUCH_LOAD : TOUCH_STORE;
    d.what = flags && d.pc == 7 ? TOUCH_ATOMIC | TOUCH_STRONG : d.what;
    if (any_below(3) == 0) {
        d.lanes = any_below(1 << 24) << 8 | 1u << any_below(8);
    }
    return d;
}

/* The same to both sides; some of what orders accesses stands between them. */
static void step(struct side *sides, unsigned n, bool flags)
{
    const unsigned event = any_below(24);
    const struct deed d = any_deed(flags);
    for (unsigned i = 0; i < 2; i++) {
        struct side *s = &sides[i];
        if (event < 4) {
            order_barrier(&s->orders[d.block]);
        } else if (event == 4) {
            order_warp_sync(&s->orders[d.block].warps[d.warp], FULL_MASK);
        } else if (event == 5 && n % 8 == 0) {
            race_launch(s->race);
            begin_block(s, 0, 2 * n);
            begin_block(s, 1, 2 * n + 1);
        } else {
            make(s, &d);
        }
    }
}

static void compare_sides(bool flags, bool bytes)
{
    struct side sides[2];
    begin(&sides[0], 0x10000);
    begin(&sides[1], 0x10000 + SHADOW_CHUNK - 96);
    for (unsigned i = 0; bytes && i < 2; i++) { /* from now on a cell stands for a byte */
        make(&sides[i], &(struct deed){.what = TOUCH_LOAD, .bytes = 1, .lanes = 1});
        make(&sides[i], &(struct deed){.what = TOUCH_LOAD, .offset = 128, .bytes = 1, .lanes = 1});
    }
    for (unsigned n = 0; n < 2000; n++) {
        step(sides, n, flags);
        ck_assert_uint_eq(sides[0].count, sides[1].count);
    }
    ck_assert_uint_gt(sides[0].count, 100);
    ck_assert(memcmp(sides[0].seen, sides[1].seen, sides[0].count * sizeof(struct seen)) == 0);
    end(&sides[0]);
    end(&sides[1]);
}

START_TEST(rows_find_what_words_find)
{
    for (state = 1; state <= 4; state++) {
        const uint32_t seed = state;
        compare_sides(false, seed % 2 == 0);
        state = seed;
    }
}
END_TEST

START_TEST(rows_beside_flags_find_what_words_find)
{
    for (state = 101; state <= 104; state++) {
        const uint32_t seed = state;
        compare_sides(true, seed % 2 == 0);
        state = seed;
    }
}
END_TEST

/* A block that begins later: its barrier orders its own accesses, and not what another block did shortly
 * before it began. */
START_TEST(a_barrier_orders_nothing_of_blocks_that_began_earlier)
{
    struct side s;
    begin(&s, 0x10000);
    make(&s, &(struct deed){.what = TOUCH_STORE, .bytes = 4, .lanes = FULL_MASK});
    begin_block(&s, 1, 2);
    for (unsigned i = 0; i < 4; i++) {
        make(&s, &(struct deed){.block = 1,
                                .pc = 1 + i,
                                .what = TOUCH_STORE,
                                .bytes = 4,
                                .offset = 4096 + 128 * i,
                                .lanes = FULL_MASK});
    }
    order_barrier(&s.orders[1]);
    ck_assert_uint_eq(s.count, 0);
    make(&s, &(struct deed){.block = 1, .what = TOUCH_STORE, .bytes = 4, .lanes = FULL_MASK});
    ck_assert_uint_gt(s.count, 0);
    end(&s);
}
END_TEST

/* ---- local memory ---------------------------------------------------------------------------- */

static struct access_event access_of(uint64_t *address, unsigned bytes, lane_mask lanes)
{
    struct access_event e = {.bytes = bytes, .lanes = lanes, .address = address, .low = UINT64_MAX};
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (lanes >> i & 1u) {
            e.low = address[i] < e.low ? address[i] : e.low;
            e.high = address[i] + bytes > e.high ? address[i] + bytes : e.high;
        }
    }
    return e;
}

START_TEST(local_bytes_have_a_value_once_they_are_stored)
{
    struct block b = {.local_stride = 200, .warp_count = 2};
    struct warp first = {.number = 0}, second = {.number = 1};
    struct local_values v = {0};
    uint64_t one[WARP_LANES], apart[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        one[i] = 72;
        apart[i] = 4 * i;
    }
    struct access_event half = access_of(one, 4, 0xffff), all = access_of(one, 4, FULL_MASK),
                        spread = access_of(apart, 4, FULL_MASK);
    local_values_begin(&v, &b);
    ck_assert(!local_values_all(&v, &first, &half));
    local_values_set(&v, &first, &half);
    ck_assert(local_values_all(&v, &first, &half));
    ck_assert(!local_values_all(&v, &first, &all));
    ck_assert(!local_values_all(&v, &second, &half));
    local_values_set(&v, &first, &spread);
    ck_assert(local_values_all(&v, &first, &spread));
    ck_assert(!local_values_all(&v, &first, &all));
    ck_assert_uint_eq(*local_values_of(&v, &first, 31, 124) >> 60, 15); /* bytes 124 to 127 */
    local_values_set_lane(&v, &first, 3, &spread, 5);                   /* bytes 12 and 14 */
    ck_assert(!local_values_all(&v, &first, &spread));
    ck_assert_uint_eq(*local_values_of(&v, &first, 3, 12) >> 12 & 15, 5);
    local_values_begin(&v, &b);
    ck_assert(!local_values_all(&v, &first, &half));
    local_values_free(&v);
}
END_TEST

START_TEST(what_lies_outside_of_local_memory_is_left_alone)
{
    struct block b = {.local_stride = 64, .warp_count = 1};
    struct warp w = {.number = 0};
    struct local_values v = {0};
    uint64_t address[WARP_LANES] = {0};
    address[5] = UINT64_C(1) << 40;
    struct access_event e = access_of(address, 4, FULL_MASK);
    local_values_begin(&v, &b);
    local_values_set(&v, &w, &e); /* a store that is about to end in a fault */
    local_values_set_lane(&v, &w, 5, &e, 15);
    ck_assert(!local_values_all(&v, &w, &e));
    ck_assert_ptr_null(local_values_of(&v, &w, 5, address[5]));
    local_values_free(&v);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("rows");
    tcase_add_test(tests, rows_find_what_words_find);
    tcase_add_test(tests, a_barrier_orders_nothing_of_blocks_that_began_earlier);
    tcase_add_test(tests, rows_beside_flags_find_what_words_find);
    tcase_add_test(tests, local_bytes_have_a_value_once_they_are_stored);
    tcase_add_test(tests, what_lies_outside_of_local_memory_is_left_alone);
    return run_suite("rows", tests);
}
