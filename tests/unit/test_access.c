/* test_access.c - the arithmetic of sectors, wavefronts and replays: worked examples, slow and
 * obvious versions of the same rules on random patterns, and what an H200 counted (probe.csv). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/gpu/access.h"
#include "common/verify.h"
#include "tests/fidelity/probe_pattern.h"
#include "suite.h"

enum { LANES = 32, ROUNDS = 20000 };
static const uint32_t ALL = 0xffffffffu;

static void fill32(uint32_t *offset, uint32_t stride_bytes)
{
    for (uint32_t i = 0; i < LANES; i++) {
        offset[i] = i * stride_bytes;
    }
}

/* Lanes 0 and 1 want one word, lane 2 another one in the same bank, lane 3 one elsewhere. */
START_TEST(one_lane_of_a_bank_gets_through)
{
    uint32_t offset[ACCESS_LANES] = {0, 0, 128, 4};
    unsigned wavefronts = 1;
    ck_assert_uint_eq(access_shared_round(offset, 0xf, 4, &wavefronts), 0x9);
    ck_assert_uint_eq(access_shared_round(offset, 0x6, 4, &wavefronts), 0x2);
    ck_assert_uint_eq(access_shared_round(offset, 0, 4, &wavefronts), 0);
    ck_assert_uint_eq(wavefronts, 1 + 2 + 2);
}
END_TEST

START_TEST(sectors_of_offsets_and_strides)
{
    static const unsigned strides[] = {1, 4, 8, 12, 16, 20, 24, 28, 32, 32};
    for (unsigned offset = 0; offset <= 32; offset++) {
        ck_assert_uint_eq(access_offset_sectors(4, offset), offset % 8 ? 5 : 4);
        ck_assert_uint_eq(access_offset_sectors(1, offset), offset ? (offset == 32 ? 1 : 2) : 1);
        ck_assert_uint_eq(access_offset_sectors(16, offset), offset % 2 ? 17 : 16);
    }
    for (unsigned stride = 1; stride < 10; stride++) {
        ck_assert_uint_eq(access_stride_sectors(4, stride), strides[stride]);
    }
    ck_assert_uint_eq(access_stride_sectors(4, 0), 1);
    ck_assert_uint_eq(access_stride_sectors(1, 1000), 32);
    /* A warp that reads bytes 96..223 touches sectors 3..6: four, though it crosses a line. */
    uint64_t address[LANES], sector[LANES];
    access_strided(address, 96, 4);
    ck_assert_uint_eq(access_sector_list(address, ALL, sector), 4);
    ck_assert_uint_eq(sector[0], 3);
    ck_assert_uint_eq(sector[3], 6);
}
END_TEST

START_TEST(nothing_for_nobody)
{
    uint64_t address[LANES] = {0}, sector[LANES];
    uint32_t offset[LANES] = {0};
    ck_assert_uint_eq(access_global_sectors(address, 0, 4), 0);
    ck_assert_uint_eq(access_sector_list(address, 0, sector), 0);
    ck_assert_uint_eq(access_global_atomic(address, 0, 4).sectors, 0);
    ck_assert_uint_eq(access_global_atomic(address, 0, 4).replays, 0);
    for (unsigned bytes = 1; bytes <= 16; bytes *= 2) {
        ck_assert_uint_eq(access_shared_load(offset, 0, bytes).wavefronts, 0);
        ck_assert_uint_eq(access_shared_store(offset, 0, bytes).conflicts, 0);
        ck_assert_uint_eq(access_shared_atomic(offset, 0, bytes).wavefronts, 0);
        ck_assert_uint_eq(access_shared_loop(offset, 0, bytes, 0).rounds, 0);
    }
}
END_TEST

START_TEST(shared_strides)
{
    uint32_t offset[LANES];
    for (uint32_t stride = 1; stride <= 33; stride++) {
        uint32_t ways = stride & (0u - stride); /* lanes that meet in a bank */
        fill32(offset, 4 * stride);
        ck_assert_uint_eq(access_shared_load(offset, ALL, 4).wavefronts, ways);
        ck_assert_uint_eq(access_shared_load(offset, ALL, 4).conflicts, ways - 1);
        ck_assert_uint_eq(access_shared_store(offset, ALL, 4).wavefronts, ways);
        ck_assert_uint_eq(access_shared_atomic(offset, ALL, 4).wavefronts, ways);
        ck_assert_uint_eq(access_shared_cas(offset, ALL, 4).wavefronts, 2 * ways);
        ck_assert_uint_eq(access_shared_cas(offset, ALL, 4).conflicts, ways - 1);
    }
}
END_TEST

START_TEST(broadcasts)
{
    uint32_t offset[LANES];
    fill32(offset, 0);
    ck_assert_uint_eq(access_shared_load(offset, ALL, 4).wavefronts, 1);
    ck_assert_uint_eq(access_shared_load(offset, ALL, 8).wavefronts, 1); /* the halves merge */
    ck_assert_uint_eq(access_shared_load(offset, ALL, 16).wavefronts, 2);
    ck_assert_uint_eq(access_shared_store(offset, ALL, 8).wavefronts, 2);
    ck_assert_uint_eq(access_shared_store(offset, ALL, 16).wavefronts, 4);
    ck_assert_uint_eq(access_shared_atomic(offset, ALL, 4).wavefronts, 32);
    ck_assert_uint_eq(access_shared_atomic(offset, ALL, 8).conflicts, 30);
    ck_assert_uint_eq(access_shared_loop(offset, ALL, 4, 0).rounds, 32);
    ck_assert_uint_eq(access_shared_loop(offset, ALL, 4, 0).load.wavefronts, 32);
}
END_TEST

START_TEST(replays_of_global_atomics)
{
    uint64_t address[LANES];
    access_strided(address, 4096, 0);
    ck_assert_uint_eq(access_global_atomic(address, ALL, 4).replays, 32);
    ck_assert_uint_eq(access_global_atomic(address, ALL, 4).sectors, 32);
    access_strided(address, 4096, 4);
    ck_assert_uint_eq(access_global_atomic(address, ALL, 4).replays, 1);
    ck_assert_uint_eq(access_global_atomic(address, ALL, 4).sectors, 4);
    for (unsigned i = 0; i < LANES; i++) {
        address[i] = 4096 + 4 * (i & 15); /* two lanes on each address */
    }
    ck_assert_uint_eq(access_global_atomic(address, ALL, 4).sectors, 4);
    ck_assert_uint_eq(access_global_atomic(address, 0xffff, 4).sectors, 2);
    address[7] = address[0] = address[1]; /* 1, 0, 7, 16, 17, 23, ... */
    ck_assert_uint_eq(access_global_atomic(address, ALL, 4).replays, 4);
    ck_assert_uint_eq(access_global_atomic(address, ALL, 4).sectors, 6);
}
END_TEST

/* --- slow and obvious ------------------------------------------------------------------------- */

static unsigned slow_sectors(const uint64_t *address, uint32_t mask)
{
    unsigned count = 0;
    for (unsigned i = 0; i < LANES; i++) {
        unsigned fresh = mask >> i & 1u;
        for (unsigned j = 0; j < i; j++) {
            if ((mask >> j & 1u) && address[i] / 32 == address[j] / 32) {
                fresh = 0;
            }
        }
        count += fresh;
    }
    return count;
}

/* Replay by replay: the first lane on each address goes, the others wait. */
static struct access_global_atomic slow_atomic(const uint64_t *address, uint32_t mask)
{
    struct access_global_atomic cost = {0, 0};
    while (mask) {
        uint32_t now = 0;
        for (unsigned i = 0; i < LANES; i++) {
            unsigned goes = mask >> i & 1u;
            for (unsigned j = 0; j < i; j++) {
                goes &= !((now >> j & 1u) && address[i] == address[j]);
            }
            now |= goes << i;
        }
        cost.replays++;
        cost.sectors += slow_sectors(address, now);
        mask &= ~now;
    }
    return cost;
}

/* Pass by pass: each bank serves one word, chosen by the first lane that still waits for it. */
static unsigned slow_passes(const uint32_t *unit, uint32_t lanes, unsigned slots, int shares)
{
    unsigned passes = 0;
    while (lanes) {
        uint32_t served = 0;
        for (unsigned slot = 0; slot < slots; slot++) {
            int chosen = -1;
            for (unsigned i = 0; i < LANES; i++) {
                if (!(lanes >> i & 1u) || unit[i] % slots != slot) {
                    continue;
                }
                if (chosen < 0 || (shares && unit[i] == unit[chosen])) {
                    chosen = chosen < 0 ? (int)i : chosen;
                    served |= 1u << i;
                }
            }
        }
        lanes &= ~served;
        passes++;
    }
    return passes;
}

static struct access_shared slow_shared(const uint32_t *unit, uint32_t mask, unsigned slots,
                                        unsigned group, int shares)
{
    struct access_shared cost = {0, 0};
    for (unsigned first = 0; first < LANES; first += group) {
        uint32_t lanes = mask & (group == LANES ? ALL : ((1u << group) - 1) << first);
        if (lanes) {
            unsigned passes = slow_passes(unit, lanes, slots, shares);
            cost.wavefronts += passes;
            cost.conflicts += passes - 1;
        }
    }
    return cost;
}

static int slow_merges(const uint32_t *unit, uint32_t mask)
{
    for (unsigned x = 1; x <= 2; x++) {
        int agree = 1;
        for (unsigned i = 0; i < LANES; i++) {
            if ((mask >> i & 1u) && (mask >> (i ^ x) & 1u) && unit[i] != unit[i ^ x]) {
                agree = 0;
            }
        }
        if (agree) {
            return 1;
        }
    }
    return 0;
}

/* Addresses as kernels make them: strides, repeats, clusters, noise; masks full and partial. */
static void random_warp(struct rng *r, uint64_t *address, uint32_t *mask, unsigned bytes)
{
    uint64_t spread = UINT64_C(1) << rng_between(r, 0, 14), shift = (uint64_t)rng_between(r, 0, 3);
    int64_t stride = rng_between(r, -40, 40), kind = rng_between(r, 0, 3);
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t unit = kind == 0   ? (uint64_t)(4096 + stride * (int64_t)(i >> shift))
                        : kind == 1 ? rng_next(r) % spread
                        : kind == 2 ? (i >> shift & 1) * spread + (i & 7)
                                    : (rng_next(r) % 4) * spread + i;
        address[i] = unit * bytes;
    }
    *mask = rng_next(r) % 3 ? ALL : (uint32_t)rng_next(r);
}

static void check_shared(const uint32_t *offset, uint32_t mask, unsigned bytes)
{
    unsigned width = bytes < 4 ? 4 : bytes, slots = 128 / width, group = slots;
    uint32_t unit[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        unit[i] = offset[i] / width;
    }
    struct access_shared got = access_shared_store(offset, mask, bytes);
    struct access_shared want = slow_shared(unit, mask, slots, group, 1);
    ck_assert_uint_eq(got.wavefronts, want.wavefronts);
    ck_assert_uint_eq(got.conflicts, want.conflicts);
    if (bytes > 4 && slow_merges(unit, mask)) {
        group *= 2;
    }
    got = access_shared_load(offset, mask, bytes);
    want = slow_shared(unit, mask, slots, group, 1);
    ck_assert_uint_eq(got.wavefronts, want.wavefronts);
    ck_assert_uint_eq(got.conflicts, want.conflicts);
    got = access_shared_atomic(offset, mask, width);
    want = slow_shared(unit, mask, slots, slots, 0);
    ck_assert_uint_eq(got.wavefronts, want.wavefronts);
    ck_assert_uint_eq(got.conflicts, want.conflicts);
}

START_TEST(fast_equals_slow)
{
    struct rng r = rng_start(20261121);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t address[LANES], sector[LANES];
        uint32_t mask, offset[LANES];
        unsigned bytes = 1u << round % 5;
        random_warp(&r, address, &mask, bytes);
        ck_assert_uint_eq(access_global_sectors(address, mask, bytes), slow_sectors(address, mask));
        ck_assert_uint_eq(access_sector_list(address, mask, sector), slow_sectors(address, mask));
        struct access_global_atomic got = access_global_atomic(address, mask, bytes);
        struct access_global_atomic want = slow_atomic(address, mask);
        ck_assert_uint_eq(got.replays, want.replays);
        ck_assert_uint_eq(got.sectors, want.sectors);
        for (unsigned i = 0; i < LANES; i++) {
            offset[i] = (uint32_t)(address[i] % (227 * 1024));
        }
        check_shared(offset, mask, bytes);
    }
}
END_TEST

/* --- silicon ---------------------------------------------------------------------------------- */

static const struct kind {
    const char *name, *space, *operation;
    unsigned bytes;
} kinds[] = {
#define KIND(name, space, operation, bytes, ...) {#name, #space, #operation, bytes},
#include "tests/fidelity/probe_kinds.def"
#undef KIND
};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    ck_abort_msg("probe.csv has a kind that probe_kinds.def has not: %s", name);
    return NULL;
}

/* What access.c says: requests and sectors (global), or wavefronts and conflicts (shared), then
 * wavefronts and conflicts of the loads that a loop adds. */
static void predict(const struct kind *kind, const struct probe_pattern *p, unsigned out[4])
{
    uint32_t offset[LANES], unchanged = 0;
    uint64_t address[LANES];
    struct access_shared cost = {0, 0}, load = {0, 0};
    char op = kind->operation[0];

    for (unsigned i = 0; i < LANES; i++) {
        offset[i] = p->unit[i] * kind->bytes;
        address[i] = 0x7f0000000000u + offset[i];
        unchanged |= (uint32_t)(p->unit[i] == 0) << i; /* the probe adds the offset */
    }
    if (strcmp(kind->space, "GLOBAL") == 0) {
        cost.wavefronts = p->mask != 0;
        cost.conflicts = op == 'A' ? access_global_atomic(address, p->mask, kind->bytes).sectors
                                   : access_global_sectors(address, p->mask, kind->bytes);
    } else if (strcmp(kind->operation, "LOAD") == 0) {
        cost = access_shared_load(offset, p->mask, kind->bytes);
    } else if (strcmp(kind->operation, "STORE") == 0 || strcmp(kind->operation, "COUNTING") == 0) {
        cost = access_shared_store(offset, p->mask, kind->bytes);
    } else if (strcmp(kind->operation, "CAS") == 0) {
        cost = access_shared_cas(offset, p->mask, kind->bytes);
    } else if (strcmp(kind->operation, "LOOP") == 0) {
        struct access_shared_loop loop =
            access_shared_loop(offset, p->mask, kind->bytes, unchanged);
        cost = loop.atomic;
        load = loop.load;
    } else {
        cost = access_shared_atomic(offset, p->mask, kind->bytes);
    }
    out[0] = cost.wavefronts;
    out[1] = cost.conflicts;
    out[2] = load.wavefronts;
    out[3] = load.conflicts;
}

/* 32 compare-and-swaps on 24 sectors, no address twice: the H200 counts 25, each time it is asked.
 * The 5707 other lines follow the rules; this one nobody has explained. */
enum { UNEXPLAINED = 168 };

START_TEST(equals_the_h200)
{
    FILE *f = fopen("tests/fidelity/probe.csv", "r");
    char line[256], name[64];
    unsigned lines = 0, seen[sizeof kinds / sizeof kinds[0]] = {0};

    ck_assert_msg(f != NULL, "tests/fidelity/probe.csv: run from the top of the tree");
    while (fgets(line, sizeof line, f)) {
        unsigned pattern, counted[4], said[4];
        if (line[0] == '#' || strncmp(line, "kind,", 5) == 0) {
            continue;
        }
        ck_assert_int_eq(sscanf(line, "%63[^,],%u,%u,%u,%u,%u", name, &pattern, &counted[0],
                                &counted[1], &counted[2], &counted[3]),
                         6);
        ck_assert_uint_lt(pattern, probe_pattern_count());
        const struct kind *kind = find_kind(name);
        struct probe_pattern p = probe_pattern(pattern);
        predict(kind, &p, said);
        if (strcmp(name, "atom_cas_b32") == 0 && pattern == UNEXPLAINED) {
            ck_assert_uint_eq(counted[1], said[1] + 1);
            continue;
        }
        for (unsigned i = 0; i < 4; i++) {
            ck_assert_msg(said[i] == counted[i], "%s, pattern %u (%s), column %u: %u, H200 %u",
                          name, pattern, p.name, i, said[i], counted[i]);
        }
        seen[kind - kinds]++;
        lines++;
    }
    fclose(f);
    ck_assert_uint_gt(lines, 3000);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        ck_assert_msg(seen[i] > 0, "no line for %s", kinds[i].name);
    }
}
END_TEST

/* 16 bytes of each lane past L1: piece i of the source becomes piece `to` of the destination. An
 * H200's wavefronts (smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum),
 * 2026-11-23. */
static unsigned flipped(unsigned lane, unsigned by) { return lane ^ by; }
static unsigned swizzled(unsigned lane, unsigned by) { return lane ^ lane / 8 * by; }
static unsigned shifted(unsigned lane, unsigned by) { return lane / 8 * 8 + (lane + by) % 8; }
static unsigned upper_flipped(unsigned lane, unsigned by) { return lane & 4 ? lane ^ by : lane; }
static unsigned odd_shifted(unsigned lane, unsigned by)
{
    return lane % 2 ? shifted(lane, by) : lane;
}
static unsigned turned(unsigned lane, unsigned by) { return lane % by * 8 + lane / by; }

START_TEST(copies_past_l1)
{
    static const struct {
        unsigned (*to)(unsigned lane, unsigned by);
        unsigned by, wavefronts;
    } cases[] = {
        {flipped, 0, 4},     {flipped, 1, 4},  {flipped, 3, 4}, {flipped, 6, 4},
        {flipped, 7, 4},     {swizzled, 1, 4}, {shifted, 1, 8}, {shifted, 2, 4},
        {shifted, 3, 8},     {shifted, 4, 4},  {shifted, 7, 8}, {upper_flipped, 2, 8},
        {odd_shifted, 2, 8}, {turned, 4, 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t global[ACCESS_LANES], shared[ACCESS_LANES];
        for (unsigned lane = 0; lane < ACCESS_LANES; lane++) {
            global[lane] = 4096 + 16 * lane;
            shared[lane] = 16 * cases[i].to(lane, cases[i].by);
        }
        const struct access_copy cost = access_async_copy(global, shared, ALL, ALL, 16, ACCESS_COPY_BYPASSES);
        ck_assert_msg(cost.wavefronts == cases[i].wavefronts, "case %zu: %u", i, cost.wavefronts);
    }
}
END_TEST

/* As an H200 counts it: tests/fidelity/copies/sized.csv. */
START_TEST(copies_of_a_size_in_a_register)
{
    static const struct {
        uint32_t mask, reading;
        unsigned ways, wavefronts, sectors;
    } cases[] = {
        {ALL, ALL, ACCESS_COPY_BYPASSES, 4, 16},
        {ALL, ALL, ACCESS_COPY_BYPASSES | ACCESS_COPY_SIZED, 8, 16},
        {ALL, 0xffff, ACCESS_COPY_BYPASSES | ACCESS_COPY_SIZED, 8, 8},
        {ALL, 0, ACCESS_COPY_BYPASSES | ACCESS_COPY_SIZED, 8, 0},
        {ALL, 0xffff, ACCESS_COPY_SIZED, 4, 8},
        {0x55555555, 0, ACCESS_COPY_SIZED, 4, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t global[ACCESS_LANES], shared[ACCESS_LANES];
        for (unsigned lane = 0; lane < ACCESS_LANES; lane++) {
            global[lane] = 4096 + 16 * lane;
            shared[lane] = 16 * lane;
        }
        const struct access_copy cost = access_async_copy(global, shared, cases[i].mask,
                                                          cases[i].reading, 16, cases[i].ways);
        ck_assert_uint_eq(cost.sectors, cases[i].sectors);
        ck_assert_msg(cost.wavefronts == cases[i].wavefronts, "case %zu: %u", i, cost.wavefronts);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("access");
    tcase_add_test(tests, one_lane_of_a_bank_gets_through);
    tcase_add_test(tests, sectors_of_offsets_and_strides);
    tcase_add_test(tests, nothing_for_nobody);
    tcase_add_test(tests, shared_strides);
    tcase_add_test(tests, broadcasts);
    tcase_add_test(tests, replays_of_global_atomics);
    tcase_add_test(tests, fast_equals_slow);
    tcase_add_test(tests, equals_the_h200);
    tcase_add_test(tests, copies_past_l1);
    tcase_add_test(tests, copies_of_a_size_in_a_register);
    return run_suite("access", tests);
}
