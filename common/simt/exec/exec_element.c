/* exec_element.c - what ld and st move, element by element: every width and every shape of
 * addresses. exec_memory.c does the most common ones itself. */
#include "exec/exec_element.h"
#include "exec/exec_gather.h"
#include "exec/exec_single.h"

#include <string.h>

/* One access after the other, in memory; a piece has no pattern. */
static inline bool is_in_a_row(const struct reach *r)
{
    return r->host != NULL && r->pattern != NULL && r->pattern->contiguous;
}

/* Elements that are narrower than their register: what they are in memory, and what the register
 * is. MOVE_S8_16 fills a half of its register, and is not among them. */
#define EXTENDING_MOVES(ROW)                                                                       \
    ROW(MOVE_U8, u8, u32)                                                                          \
    ROW(MOVE_U16, u16, u32)                                                                        \
    ROW(MOVE_S8, s8, u32)                                                                          \
    ROW(MOVE_S16, s16, u32)                                                                        \
    ROW(MOVE_U8_64, u8, u64)                                                                       \
    ROW(MOVE_U16_64, u16, u64)                                                                     \
    ROW(MOVE_U32_64, u32, u64)                                                                     \
    ROW(MOVE_S8_64, s8, u64)                                                                       \
    ROW(MOVE_S16_64, s16, u64)                                                                     \
    ROW(MOVE_S32_64, s32, u64)

/* Rolled up, the loop of a full warp is six instructions, which take 1.6 times as long where they
 * lie across two cache lines. */
#define LOAD(M, R)                                                                                 \
    do {                                                                                           \
        R *d = warp_ref(w, ref);                                                                   \
        if (is_in_a_row(r)) {                                                                      \
            const M *host = (const M *)(const void *)(r->host + skip);                             \
            LANES { d[i] = (R)host[i]; }                                                           \
        } else if (w->active == FULL_MASK && r->host != NULL) {                                    \
            const uint8_t *host = r->host + skip;                                                  \
            const uint64_t *relative = r->relative;                                                \
            _Pragma("GCC unroll 8") LANES { d[i] = (R) * (const M *)(host + (s64)relative[i]); }   \
        } else {                                                                                   \
            for (lane_mask left = w->active; left != 0; left &= left - 1) {                        \
                unsigned lane = first_lane(left);                                                  \
                d[lane] = (R) * (const M *)(reach_lane(r, lane) + skip);                           \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* 16-bit registers keep the upper half of their 32-bit lanes zero. */
static void clear_upper_halves(const struct warp *w, u32 *d)
{
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        d[first_lane(left)] &= 0xffffu;
    }
}

/* Lane i's first byte lies at base_of(r) + places_of(r, kept)[i]. A pointer may have 32 bits. */
static inline uint8_t *base_of(const struct reach *r) { return r->host; }

static inline const uint64_t *places_of(const struct reach *r, uint64_t kept[WARP_LANES])
{
    if (r->host != NULL) {
        return r->relative;
    }
    LANES { kept[i] = (uintptr_t)r->each[i]; }
    return kept;
}

static void load_element(const struct warp *w, const struct reach *r, enum insn_move move,
                         uint32_t ref, unsigned skip)
{
    alignas(64) uint64_t kept[WARP_LANES];
    switch (move) {
    case MOVE_32:
        gather_32(warp_ref(w, ref), base_of(r) + skip, places_of(r, kept), w->active);
        break;
    case MOVE_64:
        gather_64(warp_ref(w, ref), base_of(r) + skip, places_of(r, kept), w->active);
        break;
#define ROW(move, M, R)                                                                            \
    case move:                                                                                     \
        LOAD(M, R);                                                                                \
        break;
        EXTENDING_MOVES(ROW)
#undef ROW
    case MOVE_S8_16:
        LOAD(s8, u32);
        clear_upper_halves(w, warp_ref(w, ref));
        break;
    }
}

/* --- pieces: what a lane loads or stores, all its elements, side by side ---------------------- */

struct pieces {
    alignas(64) uint8_t bytes[WARP_LANES * MOST_SINGLE];
};

/* STEP for every active lane, where `size` is a constant: 1, 2, 4, 8 or 16. */
#define PIECES(STEP)                                                                               \
    switch (in->bytes) {                                                                           \
        PIECES_OF(1, STEP)                                                                         \
        PIECES_OF(2, STEP)                                                                         \
        PIECES_OF(4, STEP)                                                                         \
        PIECES_OF(8, STEP)                                                                         \
        PIECES_OF(16, STEP)                                                                        \
    }
#define PIECES_OF(BYTES, STEP)                                                                     \
    case BYTES:                                                                                    \
        for (lane_mask left = w->active; left != 0; left &= left - 1) {                            \
            const unsigned lane = first_lane(left), size = BYTES;                                  \
            STEP;                                                                                  \
        }                                                                                          \
        break;

/* The same for stores, in the order of exec_gather.h. */
#define STORED_PIECES(STEP)                                                                        \
    switch (in->bytes) {                                                                           \
        STORED_PIECES_OF(1, STEP)                                                                  \
        STORED_PIECES_OF(2, STEP)                                                                  \
        STORED_PIECES_OF(4, STEP)                                                                  \
        STORED_PIECES_OF(8, STEP)                                                                  \
        STORED_PIECES_OF(16, STEP)                                                                 \
    }
#define STORED_PIECES_OF(BYTES, STEP)                                                              \
    case BYTES:                                                                                    \
        for (unsigned turn = 0; turn < WARP_LANES; turn++) {                                       \
            const unsigned size = BYTES, lane = lane_of_turn(turn, size);                          \
            if (w->active >> lane & 1u) {                                                          \
                STEP;                                                                              \
            }                                                                                      \
        }                                                                                          \
        break;

static void load_pieces(const struct warp *w, const struct insn *in, const struct reach *r,
                        struct pieces *p)
{
    if (is_in_a_row(r)) {
        single_copy_row(p->bytes, r->host, WARP_LANES * (size_t)in->bytes);
        return;
    }
    PIECES(single_copy(p->bytes + lane * size, reach_lane(r, lane), size));
}

static void store_pieces(const struct warp *w, const struct insn *in, const struct reach *r,
                         const struct pieces *p)
{
    if (is_in_a_row(r)) {
        single_copy_row(r->host, p->bytes, WARP_LANES * (size_t)in->bytes);
        return;
    }
    STORED_PIECES(single_copy(reach_lane(r, lane), p->bytes + lane * size, size));
}

/* float4 and float2, lane after lane: a transposition of 32 x N words. */
static void split_words(const struct warp *w, const struct insn *in, const u32 *words)
{
    u32 *d0 = warp_ref(w, in->d), *d1 = warp_ref(w, in->b);
    if (in->elements == 2) {
        LANES
        {
            d0[i] = words[2 * i];
            d1[i] = words[2 * i + 1];
        }
    } else {
        u32 *d2 = warp_ref(w, in->c), *d3 = warp_ref(w, in->e);
        LANES
        {
            d0[i] = words[4 * i];
            d1[i] = words[4 * i + 1];
            d2[i] = words[4 * i + 2];
            d3[i] = words[4 * i + 3];
        }
    }
}

static void join_words(const struct warp *w, const struct insn *in, u32 *words)
{
    const u32 *d0 = warp_ref(w, in->d), *d1 = warp_ref(w, in->b);
    if (in->elements == 2) {
        LANES
        {
            words[2 * i] = d0[i];
            words[2 * i + 1] = d1[i];
        }
    } else {
        const u32 *d2 = warp_ref(w, in->c), *d3 = warp_ref(w, in->e);
        LANES
        {
            words[4 * i] = d0[i];
            words[4 * i + 1] = d1[i];
            words[4 * i + 2] = d2[i];
            words[4 * i + 3] = d3[i];
        }
    }
}

static bool has_sink(const struct insn *in)
{
    for (unsigned k = 0; k < in->elements; k++) {
        if (in->element[k] == NO_REF) {
            return true;
        }
    }
    return false;
}

/* From pieces to registers. */
static void split_pieces(struct warp *w, const struct insn *in, const struct pieces *p)
{
    uint64_t relative[WARP_LANES];
    const unsigned size = in->bytes / in->elements;
    const struct reach r = {.relative = relative, .host = (uint8_t *)(uintptr_t)p->bytes};
    if (in->move == MOVE_32 && in->elements > 1 && w->active == FULL_MASK && !has_sink(in)) {
        split_words(w, in, (const u32 *)(const void *)p->bytes);
        return;
    }
    LANES { relative[i] = i * in->bytes; }
    for (unsigned k = 0; k < in->elements; k++) {
        if (in->element[k] != NO_REF) {
            load_element(w, &r, in->move, in->element[k], k * size);
        }
    }
}

#define JOIN(M, R)                                                                                 \
    do {                                                                                           \
        const R *d = warp_ref(w, in->element[k]);                                                  \
        M *to = (M *)(void *)p->bytes + k;                                                         \
        LANES { to[i * in->elements] = (M)d[i]; }                                                  \
    } while (0)

/* From registers to pieces: of an element the low bytes of its register. */
static void join_pieces(const struct warp *w, const struct insn *in, struct pieces *p)
{
    if (in->move == MOVE_32 && in->elements > 1) {
        join_words(w, in, (u32 *)(void *)p->bytes);
        return;
    }
    for (unsigned k = 0; k < in->elements; k++) {
        switch (in->move) {
        case MOVE_32:
            JOIN(u32, u32);
            break;
        case MOVE_64:
            JOIN(u64, u64);
            break;
#define ROW(move, M, R)                                                                            \
    case move:                                                                                     \
        JOIN(M, R);                                                                                \
        break;
            EXTENDING_MOVES(ROW)
#undef ROW
        case MOVE_S8_16:
            JOIN(s8, u32);
            break;
        }
    }
}

/* --- what handlers call ----------------------------------------------------------------------- */

/* float4 and float2 at one address for each half of the warp: words that all of its lanes get. */
static void load_words_for_halves(struct warp *w, const struct insn *in, const struct reach *r)
{
    for (unsigned k = 0; k < in->elements; k++) {
        const uint8_t *word = r->host + k * sizeof(u32);
        u32 *d = warp_ref(w, in->element[k]), first, second;
        memcpy(&first, word, sizeof first);
        memcpy(&second, word + (s64)r->relative[WARP_LANES / 2], sizeof second);
        for (unsigned i = 0; i < WARP_LANES / 2; i++) {
            d[i] = first;
            d[i + WARP_LANES / 2] = second;
        }
    }
}

static bool is_uniform_in_halves(const struct insn *in, const struct reach *r)
{
    const struct pattern *p = r->pattern;
    return in->move == MOVE_32 && r->host != NULL && p->half_shape[0] == HALF_UNIFORM &&
           p->half_shape[1] == HALF_UNIFORM && !has_sink(in);
}

void exec_load_elements(struct warp *w, const struct insn *in, const struct reach *r)
{
    struct pieces p;
    if (in->elements > 1 && is_uniform_in_halves(in, r)) {
        load_words_for_halves(w, in, r);
    } else if (in->elements > 1) {
        load_pieces(w, in, r, &p);
        split_pieces(w, in, &p);
    } else if (in->d != NO_REF) {
        load_element(w, r, in->move, in->d, 0);
    }
}

void exec_store_elements(struct warp *w, const struct insn *in, const struct reach *r)
{
    alignas(64) uint64_t kept[WARP_LANES];
    struct pieces p;
    if (in->elements == 1 && in->move == MOVE_32) {
        scatter_32(warp_ref(w, in->d), base_of(r), places_of(r, kept), w->active);
        return;
    }
    if (in->elements == 1 && in->move == MOVE_64) {
        scatter_64(warp_ref(w, in->d), base_of(r), places_of(r, kept), w->active);
        return;
    }
    join_pieces(w, in, &p);
    store_pieces(w, in, r, &p);
}

void exec_load_strong(struct warp *w, const struct insn *in, const struct reach *r)
{
    struct pieces p;
    PIECES(single_acquire(p.bytes + lane * size, reach_lane(r, lane), size));
    split_pieces(w, in, &p);
}

void exec_store_strong(struct warp *w, const struct insn *in, const struct reach *r)
{
    struct pieces p;
    join_pieces(w, in, &p);
    STORED_PIECES(single_release(reach_lane(r, lane), p.bytes + lane * size, size));
}
