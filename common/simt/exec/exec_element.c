/* exec_element.c - what ld and st move, element by element: every width and every shape of
 * addresses. exec_memory.c does the most common ones itself. */
#include "exec/exec_element.h"

static const uint32_t *element_refs(const struct insn *in, uint32_t *refs)
{
    refs[0] = in->d;
    refs[1] = in->b;
    refs[2] = in->c;
    refs[3] = in->e;
    return refs;
}

#define LOAD(M, R)                                                                                 \
    do {                                                                                           \
        R *d = warp_ref(w, ref);                                                                   \
        if (w->active == FULL_MASK && r->host != NULL) {                                           \
            const uint8_t *host = r->host + skip;                                                  \
            const uint64_t *relative = r->relative;                                                \
            LANES { d[i] = (R) * (const M *)(host + (s64)relative[i]); }                           \
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

static void load_element(const struct warp *w, const struct reach *r, enum insn_move move,
                         uint32_t ref, unsigned skip)
{
    switch (move) {
    case MOVE_32:
        LOAD(u32, u32);
        break;
    case MOVE_64:
        LOAD(u64, u64);
        break;
    case MOVE_U8:
        LOAD(u8, u32);
        break;
    case MOVE_U16:
        LOAD(u16, u32);
        break;
    case MOVE_S8:
        LOAD(s8, u32);
        break;
    case MOVE_S16:
        LOAD(s16, u32);
        break;
    case MOVE_S8_16:
        LOAD(s8, u32);
        clear_upper_halves(w, warp_ref(w, ref));
        break;
    case MOVE_U8_64:
        LOAD(u8, u64);
        break;
    case MOVE_U16_64:
        LOAD(u16, u64);
        break;
    case MOVE_U32_64:
        LOAD(u32, u64);
        break;
    case MOVE_S8_64:
        LOAD(s8, u64);
        break;
    case MOVE_S16_64:
        LOAD(s16, u64);
        break;
    case MOVE_S32_64:
        LOAD(s32, u64);
        break;
    }
}

#define STORE(M, R)                                                                                \
    do {                                                                                           \
        const R *d = warp_ref(w, ref);                                                             \
        for (lane_mask left = w->active; left != 0; left &= left - 1) {                            \
            unsigned lane = first_lane(left);                                                      \
            *(M *)(reach_lane(r, lane) + skip) = (M)d[lane];                                       \
        }                                                                                          \
    } while (0)

static void store_element(const struct warp *w, const struct reach *r, enum insn_move move,
                          uint32_t ref, unsigned skip)
{
    switch (move) {
    case MOVE_32:
        STORE(u32, u32);
        break;
    case MOVE_64:
        STORE(u64, u64);
        break;
    case MOVE_U8:
    case MOVE_S8:
    case MOVE_S8_16:
        STORE(u8, u32);
        break;
    case MOVE_U16:
    case MOVE_S16:
        STORE(u16, u32);
        break;
    case MOVE_U8_64:
    case MOVE_S8_64:
        STORE(u8, u64);
        break;
    case MOVE_U16_64:
    case MOVE_S16_64:
        STORE(u16, u64);
        break;
    case MOVE_U32_64:
    case MOVE_S32_64:
        STORE(u32, u64);
        break;
    }
}

/* float4 and float2, lane after lane: a transposition of 32 x N words. */
static void load_vectors_32(const struct warp *w, const struct insn *in, const u32 *host)
{
    u32 *d0 = warp_ref(w, in->d), *d1 = warp_ref(w, in->b);
    if (in->elements == 2) {
        LANES
        {
            d0[i] = host[2 * i];
            d1[i] = host[2 * i + 1];
        }
    } else {
        u32 *d2 = warp_ref(w, in->c), *d3 = warp_ref(w, in->e);
        LANES
        {
            d0[i] = host[4 * i];
            d1[i] = host[4 * i + 1];
            d2[i] = host[4 * i + 2];
            d3[i] = host[4 * i + 3];
        }
    }
}

static bool has_sink(const struct insn *in)
{
    uint32_t refs[4];
    element_refs(in, refs);
    for (unsigned k = 0; k < in->elements; k++) {
        if (refs[k] == NO_REF) {
            return true;
        }
    }
    return false;
}

void exec_load_elements(struct warp *w, const struct insn *in, const struct reach *r)
{
    uint32_t refs[4];
    if (in->elements == 1) {
        if (in->d != NO_REF) {
            load_element(w, r, in->move, in->d, 0);
        }
        return;
    }
    if (in->move == MOVE_32 && r->host != NULL && r->pattern->contiguous && !has_sink(in)) {
        load_vectors_32(w, in, (const u32 *)(const void *)r->host);
        return;
    }
    element_refs(in, refs);
    unsigned size = in->bytes / in->elements;
    for (unsigned k = 0; k < in->elements; k++) {
        if (refs[k] != NO_REF) {
            load_element(w, r, in->move, refs[k], k * size);
        }
    }
}

void exec_store_elements(struct warp *w, const struct insn *in, const struct reach *r)
{
    uint32_t refs[4];
    if (in->elements == 1) {
        store_element(w, r, in->move, in->d, 0);
        return;
    }
    element_refs(in, refs);
    unsigned size = in->bytes / in->elements;
    for (unsigned k = 0; k < in->elements; k++) {
        store_element(w, r, in->move, refs[k], k * size);
    }
}
