/* exec_memory.c - ld and st of every state space, and cp.async. */
#include "exec/exec_element.h"
#include "exec/exec_known.h"

#include <string.h>

/* The common case first: 32-bit elements, each half-warp at one address or one after the other. */
static inline void load_half_32(u32 *d, const uint8_t *host, enum half_shape shape)
{
    if (shape == HALF_CONTIGUOUS) {
        memcpy(d, host, 16 * sizeof *d);
    } else {
        u32 value;
        memcpy(&value, host, sizeof value);
        for (unsigned i = 0; i < 16; i++) {
            d[i] = value;
        }
    }
}

static inline void load_all(struct warp *w, const struct insn *in, const struct reach *r)
{
    const struct pattern *p = r->pattern;
    if (in->move == MOVE_32 && r->host != NULL && in->elements == 1 &&
        p->half_shape[0] != HALF_OTHER && p->half_shape[1] != HALF_OTHER && in->d != NO_REF) {
        u32 *d = warp_ref(w, in->d);
        load_half_32(d, r->host, p->half_shape[0]);
        load_half_32(d + 16, r->host + (s64)p->relative[16], p->half_shape[1]);
    } else {
        exec_load_elements(w, in, r);
    }
}

static inline void store_all(struct warp *w, const struct insn *in, const struct reach *r)
{
    if (in->move == MOVE_32 && in->elements == 1 && r->pattern->contiguous && r->host != NULL) {
        memcpy(r->host, warp_ref(w, in->d), WARP_LANES * sizeof(u32));
    } else {
        exec_store_elements(w, in, r);
    }
}

/* A load has asked for what others store: that they have freed something, perhaps. */
static void has_asked(struct warp *w, const struct insn *in, const struct reach *r)
{
    warp_asks(w, in, r->start, reach_lane(r, first_lane(w->active)), true);
    warp_notice_frees(w);
}

/* The accesses that are not as they were the last time. */
static __attribute__((noinline)) bool reach_global_anew(struct warp *w, const struct insn *in,
                                                        enum site_kind kind, struct reach *r)
{
    return exec_reach_global(w, in, exec_reach_addresses(w, in), in->site, kind, r);
}

static __attribute__((noinline)) bool reach_shared_anew(struct warp *w, const struct insn *in,
                                                        enum site_kind kind, struct reach *r)
{
    return exec_reach_shared(w, in, exec_reach_addresses(w, in), in->site, kind, r);
}

static __attribute__((noinline)) bool reach_local_anew(struct warp *w, const struct insn *in,
                                                       struct reach *r)
{
    return exec_reach_local(w, in, exec_reach_addresses(w, in), in->site, r);
}

/* --- handlers -------------------------------------------------------------------------------- */

HANDLER(ld_global)
{
    struct reach r;
    if (!reach_known_global(w, in, &r) && !reach_global_anew(w, in, SITE_GLOBAL_LOAD, &r)) {
        return NULL;
    }
    load_all(w, in, &r);
    return in + 1;
}

HANDLER(st_global)
{
    struct reach r;
    if (!reach_known_global(w, in, &r) && !reach_global_anew(w, in, SITE_GLOBAL_STORE, &r)) {
        return NULL;
    }
    store_all(w, in, &r);
    w->did |= DID_NEWS;
    return in + 1;
}

/* Strong accesses: volatile, relaxed, acquire, release. */
HANDLER(ld_strong_global)
{
    struct reach r;
    if (!exec_reach_global(w, in, exec_reach_addresses(w, in), in->site, SITE_GLOBAL_LOAD, &r)) {
        return NULL;
    }
    exec_load_strong(w, in, &r);
    has_asked(w, in, &r);
    return in + 1;
}

HANDLER(st_strong_global)
{
    struct reach r;
    if (!exec_reach_global(w, in, exec_reach_addresses(w, in), in->site, SITE_GLOBAL_STORE, &r)) {
        return NULL;
    }
    exec_store_strong(w, in, &r);
    w->did |= DID_NEWS;
    return in + 1;
}

HANDLER(ld_const)
{
    struct reach r;
    if (!exec_reach_global(w, in, exec_reach_addresses(w, in), in->site, SITE_UNCOUNTED, &r)) {
        return NULL;
    }
    load_all(w, in, &r);
    return in + 1;
}

HANDLER(ld_shared)
{
    struct reach r;
    if (!reach_known_shared(w, in, &r) && !reach_shared_anew(w, in, SITE_SHARED_LOAD, &r)) {
        return NULL;
    }
    load_all(w, in, &r);
    if (in->flags & INSN_VOLATILE) {
        warp_asks(w, in, r.start, r.host, false);
    }
    return in + 1;
}

HANDLER(st_shared)
{
    struct reach r;
    if (!reach_known_shared(w, in, &r) && !reach_shared_anew(w, in, SITE_SHARED_STORE, &r)) {
        return NULL;
    }
    store_all(w, in, &r);
    return in + 1;
}

HANDLER(ld_local)
{
    struct reach r;
    if (!reach_known_local(w, in, &r) && !reach_local_anew(w, in, &r)) {
        return NULL;
    }
    load_all(w, in, &r);
    return in + 1;
}

HANDLER(st_local)
{
    struct reach r;
    if (!reach_known_local(w, in, &r) && !reach_local_anew(w, in, &r)) {
        return NULL;
    }
    store_all(w, in, &r);
    w->did |= DID_KEEP;
    return in + 1;
}

/* A generic instruction has three sites: global, shared, and one for the rest. */
static bool reach_space(struct warp *w, const struct insn *in, const uint64_t *address,
                        enum ptx_space space, bool load, struct reach *r)
{
    switch (space) {
    case PTX_SHARED:
        return exec_reach_shared(w, in, address, in->site + 1,
                                 load ? SITE_SHARED_LOAD : SITE_SHARED_STORE, r);
    case PTX_LOCAL:
        return exec_reach_local(w, in, address, in->site + 2, r);
    case PTX_PARAM: {
        uint64_t size = w->block->kernel->param_bytes;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            uint64_t offset = address[i] + (uint64_t)in->offset;
            r->each[i] = (uint8_t *)(uintptr_t)w->block->params + offset;
            if (w->active >> i & 1u && (offset > size || size - offset < in->bytes || !load)) {
                fault(w, in, i, SIMT_ILLEGAL_ADDRESS,
                      "access at offset %llu of the kernel's %llu bytes of parameters",
                      (unsigned long long)offset, (unsigned long long)size);
                return false;
            }
        }
        r->host = NULL;
        r->pattern = &w->patterns[in->site + 2];
        return true;
    }
    default:
        return exec_reach_global(w, in, address, in->site,
                                 load ? SITE_GLOBAL_LOAD : SITE_GLOBAL_STORE, r);
    }
}

static bool load_step(struct warp *w, const struct insn *in, const uint64_t *address,
                      enum ptx_space space)
{
    struct reach r;
    if (!reach_space(w, in, address, space, true, &r)) {
        return false;
    }
    const bool strong = in->flags & INSN_VOLATILE;
    if (strong && space == PTX_GLOBAL) {
        exec_load_strong(w, in, &r);
        has_asked(w, in, &r);
    } else {
        load_all(w, in, &r);
    }
    if (strong && space == PTX_SHARED) {
        warp_asks(w, in, r.start, r.host, false);
    }
    return true;
}

static bool store_step(struct warp *w, const struct insn *in, const uint64_t *address,
                       enum ptx_space space)
{
    struct reach r;
    if (!reach_space(w, in, address, space, false, &r)) {
        return false;
    }
    if (in->flags & INSN_VOLATILE && space == PTX_GLOBAL) {
        exec_store_strong(w, in, &r);
    } else {
        store_all(w, in, &r);
    }
    w->did |= space == PTX_GLOBAL ? DID_NEWS : space == PTX_LOCAL ? DID_KEEP : 0;
    return true;
}

HANDLER(ld_generic)
{
    return exec_reach_generic(w, in, exec_reach_addresses(w, in), load_step) ? in + 1 : NULL;
}

HANDLER(st_generic)
{
    return exec_reach_generic(w, in, exec_reach_addresses(w, in), store_step) ? in + 1 : NULL;
}

/* One element of 32 or 64 bits, as most parameters are. false: it is another one. */
static inline bool load_for_all(struct warp *w, const struct insn *in, const void *at)
{
    const bool is_plain = in->elements == 1 && in->d != NO_REF;
    if (is_plain && in->move == MOVE_32) {
        u32 value, *d = warp_ref(w, in->d);
        memcpy(&value, at, sizeof value);
        WRITE_LANES(u32, d, value);
    } else if (is_plain && in->move == MOVE_64) {
        u64 value, *d = warp_ref(w, in->d);
        memcpy(&value, at, sizeof value);
        WRITE_LANES(u64, d, value);
    }
    return is_plain && (in->move == MOVE_32 || in->move == MOVE_64);
}

/* Kernel parameters at a constant offset: the same value for every lane. The decoder has checked
 * the offset. */
HANDLER(ld_param)
{
    if (load_for_all(w, in, (const uint8_t *)w->block->params + in->offset)) {
        return in + 1;
    }
    struct pattern uniform = {.mask = w->active};
    struct reach r = {.relative = uniform.relative,
                      .pattern = &uniform,
                      .host = (uint8_t *)(uintptr_t)w->block->params + in->offset};
    load_all(w, in, &r);
    return in + 1;
}

/* Kernel parameters that are indexed by a register. */
HANDLER(ld_param_indexed)
{
    const uint64_t *address = exec_reach_addresses(w, in);
    return load_step(w, in, address, PTX_PARAM) ? in + 1 : NULL;
}

/* Parameters of a function lie in its frame or in the caller's: lane i's bytes start at operand a
 * plus i times the upper half of in->offset. The decoder has checked the lower half. */
static void reach_frame(const struct warp *w, const struct insn *in, struct pattern *p,
                        struct reach *r)
{
    uint32_t stride = (uint32_t)((uint64_t)in->offset >> 32);
    for (unsigned i = 0; i < WARP_LANES; i++) {
        p->relative[i] = (uint64_t)i * stride;
    }
    p->contiguous = false;
    p->half_shape[0] = p->half_shape[1] = HALF_OTHER;
    r->relative = p->relative;
    r->pattern = p;
    r->host = (uint8_t *)warp_ref(w, in->a) + (uint32_t)in->offset;
}

HANDLER(ld_frame)
{
    struct pattern p;
    struct reach r;
    reach_frame(w, in, &p, &r);
    load_all(w, in, &r);
    return in + 1;
}

HANDLER(st_frame)
{
    struct pattern p;
    struct reach r;
    reach_frame(w, in, &p, &r);
    store_all(w, in, &r);
    return in + 1;
}

const struct handler exec_memory_table[] = {
    HANDLER_ROW(ld_global, WORK, LOAD, OPCODE),
    HANDLER_ROW(ld_const, WORK, LOAD, OPCODE),
    HANDLER_ROW(ld_shared, WORK, LOAD, OPCODE),
    HANDLER_ROW(ld_local, WORK, LOAD, OPCODE),
    HANDLER_ROW(ld_generic, WORK, LOAD, OPCODE),
    HANDLER_ROW(st_global, WORK, STORE, OPCODE),
    HANDLER_ROW(st_shared, WORK, STORE, OPCODE),
    HANDLER_ROW(st_local, WORK, STORE, OPCODE),
    HANDLER_ROW(st_generic, WORK, STORE, OPCODE),
    HANDLER_ROW(ld_strong_global, WORK, LOAD, OPCODE),
    HANDLER_ROW(st_strong_global, WORK, STORE, OPCODE),
    /* parameters are no memory that another thread could touch */
    HANDLER_ROW(ld_param, PARAM, QUIET, OPCODE),
    HANDLER_ROW(ld_param_indexed, WORK, QUIET, OPCODE),
    HANDLER_ROW(ld_frame, WORK, QUIET, OPCODE),
    HANDLER_ROW(st_frame, WORK, QUIET, GIVE),
    {0}};
