/* engine.c - see engine.h. */
#include "libraries/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"

enum { XORWOW_BITS = 160, XORWOW_SEQUENCE = 67, TWISTER_WORDS = 624, TWISTER_MIDDLE = 397 };

struct xorwow {
    uint32_t v[5], d;
};

struct engine {
    curandRngType_t type;
    struct xorwow *lanes;
    uint64_t key, counter; /* Philox */
    uint32_t four[4];
    unsigned used;                /* of these, or of the twister's words */
    uint64_t first[3], second[3]; /* MRG32k3a */
    uint32_t words[TWISTER_WORDS];
};

/* ---- XORWOW ---------------------------------------------------------------------------------- */

static void step(uint32_t v[5])
{
    const uint32_t t = v[0] ^ v[0] >> 2;
    memmove(v, v + 1, 4 * sizeof *v);
    v[4] = v[3] ^ v[3] << 4 ^ t ^ t << 1;
}

/* Row i: what becomes of a state that has bit i alone, as steps are linear. */
typedef uint32_t jump[XORWOW_BITS][5];

static void leap(uint32_t v[5], jump rows)
{
    uint32_t result[5] = {0};
    for (unsigned i = 0; i < XORWOW_BITS; i++) {
        const uint32_t all = 0u - (v[i / 32] >> i % 32 & 1u);
        for (unsigned k = 0; k < 5; k++) {
            result[k] ^= rows[i][k] & all;
        }
    }
    memcpy(v, result, sizeof result);
}

/* 2^power steps. */
static void make_jump(jump rows, unsigned power)
{
    for (unsigned i = 0; i < XORWOW_BITS; i++) {
        memset(rows[i], 0, sizeof rows[i]);
        rows[i][i / 32] = 1u << i % 32;
        step(rows[i]);
    }
    for (unsigned round = 0; round < power; round++) {
        jump once;
        memcpy(once, rows, sizeof once);
        for (unsigned i = 0; i < XORWOW_BITS; i++) {
            leap(rows[i], once);
        }
    }
}

static void open_xorwow(struct engine *e, uint64_t seed)
{
    static jump sequence;
    static int is_made;
    if (!__atomic_load_n(&is_made, __ATOMIC_ACQUIRE)) {
        jump made;
        make_jump(made, XORWOW_SEQUENCE);
        memcpy(sequence, made, sizeof made);
        __atomic_store_n(&is_made, 1, __ATOMIC_RELEASE);
    }
    const uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
    const uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
    struct xorwow s = {
        {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low},
        6615241u + high + low};
    e->lanes = room_new(ENGINE_LANES, sizeof *e->lanes);
    for (unsigned i = 0; i < ENGINE_LANES; i++) {
        e->lanes[i] = s;
        leap(s.v, sequence);
    }
}

static uint32_t draw_xorwow(struct xorwow *s)
{
    step(s->v);
    s->d += 362437u;
    return s->v[4] + s->d;
}

/* ---- Philox ---------------------------------------------------------------------------------- */

static void philox(uint64_t counter, uint64_t key, uint32_t out[4])
{
    uint32_t c[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), 0, 0};
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (unsigned round = 0; round < 10; round++) {
        const uint64_t a = 0xd2511f53u * (uint64_t)c[0], b = 0xcd9e8d57u * (uint64_t)c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b,
                                  (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
        memcpy(c, next, sizeof c);
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    memcpy(out, c, sizeof c);
}

static uint32_t draw_philox(struct engine *e)
{
    if (e->used == 4) {
        philox(e->counter++, e->key, e->four);
        e->used = 0;
    }
    return e->four[e->used++];
}

/* ---- MRG32k3a -------------------------------------------------------------------------------- */

#define MRG_FIRST  4294967087u
#define MRG_SECOND 4294944443u

/* Any seed but one that leaves all of a half 0. */
static void open_mrg(struct engine *e, uint64_t seed)
{
    for (unsigned i = 0; i < 3; i++) {
        e->first[i] = (12345 ^ (uint32_t)seed) % MRG_FIRST;
        e->second[i] = (12345 ^ (uint32_t)(seed >> 32)) % MRG_SECOND;
    }
    e->first[0] += e->first[0] == 0;
    e->second[0] += e->second[0] == 0;
}

/* 1 to the first modulus, spread over 32 bits as they are. */
static uint32_t draw_mrg(struct engine *e)
{
    const uint64_t a = (1403580 * e->first[1] + (MRG_FIRST - 810728ull) * e->first[0]) % MRG_FIRST;
    const uint64_t b =
        (527612 * e->second[2] + (MRG_SECOND - 1370589ull) * e->second[0] % MRG_SECOND) %
        MRG_SECOND;
    memmove(e->first, e->first + 1, 2 * sizeof *e->first);
    memmove(e->second, e->second + 1, 2 * sizeof *e->second);
    e->first[2] = a;
    e->second[2] = b;
    return (uint32_t)(a > b ? a - b : a + MRG_FIRST - b);
}

/* ---- MT19937 --------------------------------------------------------------------------------- */

static void open_twister(struct engine *e, uint64_t seed)
{
    e->words[0] = (uint32_t)seed;
    for (unsigned i = 1; i < TWISTER_WORDS; i++) {
        e->words[i] = 1812433253u * (e->words[i - 1] ^ e->words[i - 1] >> 30) + i;
    }
    e->used = TWISTER_WORDS;
}

static void twist(uint32_t *w)
{
    for (unsigned i = 0; i < TWISTER_WORDS; i++) {
        const uint32_t y = (w[i] & 0x80000000u) | (w[(i + 1) % TWISTER_WORDS] & 0x7fffffffu);
        w[i] = w[(i + TWISTER_MIDDLE) % TWISTER_WORDS] ^ y >> 1 ^ (y & 1u ? 0x9908b0dfu : 0);
    }
}

static uint32_t draw_twister(struct engine *e)
{
    if (e->used == TWISTER_WORDS) {
        twist(e->words);
        e->used = 0;
    }
    uint32_t y = e->words[e->used++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

/* ---- all ------------------------------------------------------------------------------------- */

struct engine *engine_new(curandRngType_t type, uint64_t seed)
{
    struct engine *e = room_new(1, sizeof *e);
    e->type = type == CURAND_RNG_PSEUDO_DEFAULT ? CURAND_RNG_PSEUDO_XORWOW : type;
    e->key = seed;
    e->used = 4;
    switch (e->type) {
    case CURAND_RNG_PSEUDO_XORWOW:
        open_xorwow(e, seed);
        break;
    case CURAND_RNG_PSEUDO_MRG32K3A:
        open_mrg(e, seed);
        break;
    case CURAND_RNG_PSEUDO_MT19937:
        open_twister(e, seed);
        break;
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        break;
    default:
        engine_free(e);
        return NULL;
    }
    return e;
}

void engine_free(struct engine *e)
{
    if (e != NULL) {
        free(e->lanes);
        free(e);
    }
}

unsigned engine_lanes(const struct engine *e) { return e->lanes != NULL ? ENGINE_LANES : 1; }

uint32_t engine_draw(struct engine *e, unsigned lane)
{
    switch (e->type) {
    case CURAND_RNG_PSEUDO_XORWOW:
        return draw_xorwow(&e->lanes[lane]);
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return draw_mrg(e);
    case CURAND_RNG_PSEUDO_MT19937:
        return draw_twister(e);
    default:
        return draw_philox(e);
    }
}
