/* probe_pattern.c - families of address patterns, numbered one after the other.
 *
 * Strides and shapes show the rules; masks show what a lane that takes no part changes; random
 * patterns, seeded by their number, show whether a rule holds where nobody arranged anything. */
#include "probe_pattern.h"

#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { LANES = 32, FULL_SEEDS = 6, MASKED_SEEDS = 6, GROUP_SEEDS = 3 };

static const uint32_t masks[] = {0xaaaaaaaa, 0x55555555, 0xffff0000, 0x00ff00ff, 0xff00ff00,
                                 0x0f0f0f0f, 0xf0f0f0f0, 0x33333333, 0xcccccccc, 0x80000001,
                                 0x00010000, 0x000000ff, 0x01010101, 0x11111111};
static const uint32_t prefixes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 23, 24, 25, 28, 31};
static const uint32_t full_ranges[] = {8, 16, 32, 64, 256};
static const uint32_t masked_ranges[] = {8, 32, 256};
static const uint32_t group_ranges[] = {32, 256};

/* xorshift32: a fixed sequence for each seed. */
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static uint32_t seed_of(unsigned n)
{
    uint32_t state = 2654435769u * (n + 1);
    next_random(&state);
    next_random(&state);
    return state;
}

/* Which lanes share a unit: lanes of equal shape(lane). */
enum { SHAPES = 16 };
static uint32_t shape(unsigned which, uint32_t i)
{
    switch (which) {
    case 0:
        return i >> 1;
    case 1:
        return i >> 2;
    case 2:
        return i >> 3;
    case 3:
        return i >> 4;
    case 4:
        return i & 1;
    case 5:
        return i & 3;
    case 6:
        return i & 7;
    case 7:
        return i & 15;
    case 8:
        return i ^ 1;
    case 9:
        return i ^ 16;
    case 10:
        return 31 - i;
    case 11:
        return i & ~2u;
    case 12:
        return i & ~4u;
    case 13:
        return i & ~8u;
    case 14:
        return (i & 7) | (i & 16) >> 1;
    default:
        return i & ~10u;
    }
}

static void fill_family(struct probe_pattern *p, unsigned family, unsigned k, uint32_t seed)
{
    uint32_t random_unit[LANES], state = seed;
    unsigned group = 0, masked = family == 5 || family == 7;
    uint32_t range = 1;

    if (family == 4) {
        range = full_ranges[k / FULL_SEEDS];
    } else if (family == 5) {
        range = masked_ranges[k / MASKED_SEEDS];
    } else if (family == 6 || family == 7) {
        group = k / (GROUP_SEEDS * (unsigned)COUNT(group_ranges));
        range = group_ranges[k / GROUP_SEEDS % COUNT(group_ranges)];
    }
    for (unsigned i = 0; i < LANES; i++) {
        random_unit[i] = (next_random(&state) >> 8) % range;
    }
    if (masked) {
        p->mask = next_random(&state);
    } else if (family == 2) {
        p->mask = (1u << prefixes[k % COUNT(prefixes)]) - 1;
    } else if (family == 3) {
        p->mask = masks[k % COUNT(masks)];
    }
    for (unsigned i = 0; i < LANES; i++) {
        switch (family) {
        case 0:
            p->unit[i] = i * k;
            break;
        case 1:
            p->unit[i] = shape(k % SHAPES, i) * (k < SHAPES ? 1 : 32);
            break;
        case 2:
            p->unit[i] = i * (1 + k / (unsigned)COUNT(prefixes));
            break;
        case 3:
            p->unit[i] = i * (k / (unsigned)COUNT(masks));
            break;
        case 4:
        case 5:
            p->unit[i] = random_unit[i];
            break;
        case 6:
        case 7:
            p->unit[i] = random_unit[shape(group, i)];
            break;
        default:
            p->unit[i] = i % (k + 1);
            break;
        }
    }
}

static const struct {
    const char *name;
    unsigned count;
} families[] = {
    {"stride", 34},
    {"shape", 2 * SHAPES},
    {"prefix", 2 * COUNT(prefixes)},
    {"mask", 3 * COUNT(masks)},
    {"random", FULL_SEEDS *COUNT(full_ranges)},
    {"random_masked", MASKED_SEEDS *COUNT(masked_ranges)},
    {"grouped", SHAPES *GROUP_SEEDS *COUNT(group_ranges)},
    {"grouped_masked", SHAPES *GROUP_SEEDS *COUNT(group_ranges)},
    {"modulo", 31},
};

unsigned probe_pattern_count(void)
{
    unsigned count = 0;
    for (unsigned f = 0; f < COUNT(families); f++) {
        count += families[f].count;
    }
    return count;
}

struct probe_pattern probe_pattern(unsigned n)
{
    struct probe_pattern p = {{0}, 0xffffffffu, ""};
    unsigned family = 0, k = n;
    while (k >= families[family].count) {
        k -= families[family++].count;
    }
    snprintf(p.name, sizeof p.name, "%s_%u", families[family].name, k);
    fill_family(&p, family, k, seed_of(n));
    return p;
}
