/* exec_address.c - address patterns: recognised, and what they cost. See exec_address.h. */
#include "exec/exec_known.h"
#include "exec/exec_pattern.h"
#include "machine/cluster.h"
#include "machine/repeats.h"

#include "common/gpu/access.h"

#include <string.h>

/* What happens seldom is kept out of the functions that every access runs through: with it they
 * would save more registers and align a larger frame, each time. */
#define SELDOM __attribute__((noinline))

static const char *const kind_name[] = {
    [SITE_GLOBAL_LOAD] = "global load",   [SITE_GLOBAL_STORE] = "global store",
    [SITE_GLOBAL_RED] = "global atomic",  [SITE_GLOBAL_ATOM] = "global atomic",
    [SITE_SHARED_LOAD] = "shared load",   [SITE_SHARED_STORE] = "shared store",
    [SITE_SHARED_ATOM] = "shared atomic", [SITE_UNCOUNTED] = "constant load",
    [SITE_COPY] = "global load"};

const uint64_t *exec_reach_addresses(const struct warp *w, const struct insn *in)
{
    /* Where a handler's stack begins is chance: half of it would lie across two cache lines. */
    static _Thread_local alignas(64) uint64_t wide[WARP_LANES];
    if (in->flags & INSN_ADDRESS64) {
        return warp_ref(w, in->a);
    }
    /* With its sign: in sh[31 - i] a compiler subtracts first and adds the 31 as in->offset. */
    const int32_t *narrow = warp_ref(w, in->a);
    LANES { wide[i] = (uint64_t)(int64_t)narrow[i]; }
    return wide;
}

/* The pattern of this access, found anew unless it is the one of the last time. */
static inline struct pattern *recognise(struct warp *w, const struct insn *in,
                                        const uint64_t *address, unsigned site, struct reach *r)
{
    struct pattern *p = &w->patterns[site];
    uint64_t first = address[first_lane(w->active)];
    if (p->mask != w->active || (mask_of_moved(address, first, p->relative) & w->active) != 0) {
        exec_pattern_change(w, in, address, site);
    }
    if (in->leader != 0) {
        p->leader_version = p[-(int)in->leader].version;
    }
    r->relative = p->relative;
    r->pattern = p;
    r->start = first + (uint64_t)in->offset;
    return p;
}

static unsigned lane_below(const struct reach *r, lane_mask mask, bool (*bad)(uint64_t, uint64_t),
                           uint64_t limit)
{
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (mask >> i & 1u && bad(r->start + r->relative[i], limit)) {
            return i;
        }
    }
    return first_lane(mask);
}

static bool is_misaligned(uint64_t address, uint64_t bytes) { return (address & (bytes - 1)) != 0; }

static bool is_beyond(uint64_t address, uint64_t limit) { return address > limit; }

SELDOM static bool misaligned(struct warp *w, const struct insn *in, const struct reach *r,
                              const char *what)
{
    unsigned lane = lane_below(r, w->active, is_misaligned, in->bytes);
    fault(w, in, lane, SIMT_MISALIGNED,
          "%s of %u bytes at 0x%llx is misaligned: the address must be a multiple of %u", what,
          in->bytes, (unsigned long long)(r->start + r->relative[lane]), in->bytes);
    return false;
}

static inline bool check_alignment(struct warp *w, const struct insn *in, const struct reach *r,
                                   const char *what)
{
    const bool good = ((r->start | r->pattern->low_bits) & (in->bytes - 1u)) == 0;
    return good || misaligned(w, in, r, what);
}

/* Do all lanes' accesses lie in the `room` bytes from `begin`? Addresses may span all of 2^64, and
 * one of them may wrap: sums of them tell nothing, differences do. */
static inline bool lies_within(const struct reach *r, unsigned bytes, uint64_t begin, uint64_t room)
{
    const struct pattern *p = r->pattern;
    uint64_t span = (uint64_t)p->highest - (uint64_t)p->lowest;
    uint64_t low = r->start + (uint64_t)p->lowest - begin;
    return bytes <= room && span <= room - bytes && low <= room - bytes - span;
}

/* The same, and later accesses of this pattern need one comparison: is_inside(). */
static bool lies_within_noted(const struct reach *r, struct pattern *p, unsigned bytes,
                              uint64_t begin, uint64_t room)
{
    if (!lies_within(r, bytes, begin, room)) {
        return false;
    }
    p->first_start = begin - (uint64_t)p->lowest;
    p->starts = room - bytes - ((uint64_t)p->highest - (uint64_t)p->lowest) + 1;
    return true;
}

static inline bool is_inside(const struct reach *r)
{
    return r->start - r->pattern->first_start < r->pattern->starts;
}

/* --- global ---------------------------------------------------------------------------------- */

static bool may_touch(const struct allocation *a, enum site_kind kind)
{
    return a->kind != MEMORY_CONSTANT || kind == SITE_GLOBAL_LOAD || kind == SITE_UNCOUNTED ||
           kind == SITE_COPY;
}

/* Slow path: lane by lane. Lanes may lie in several allocations; the first bad one is reported. */
SELDOM static bool reach_each(struct warp *w, const struct insn *in, enum site_kind kind,
                              struct reach *r)
{
    r->host = NULL;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(w->active >> i & 1u)) {
            r->each[i] = NULL;
            continue;
        }
        uint64_t address = r->start + r->relative[i];
        const struct allocation *a = memory_find(w->block->memory, address);
        if (a == NULL || a->begin + a->bytes - address < in->bytes) {
            fault_address(w, in, i, kind_name[kind], address, in->bytes);
            return false;
        }
        if (!may_touch(a, kind)) {
            fault(w, in, i, SIMT_ILLEGAL_ADDRESS,
                  "%s at 0x%llx would write to constant memory (%s), which kernels only read",
                  kind_name[kind], (unsigned long long)address, a->name);
            return false;
        }
        r->each[i] = (uint8_t *)(uintptr_t)(address + (uint64_t)a->delta);
    }
    return true;
}

static bool find_span(struct warp *w, const struct insn *in, enum site_kind kind, struct reach *r,
                      struct pattern *p)
{
    if (!lies_within_noted(r, p, in->bytes, p->begin, p->end - p->begin)) {
        const struct allocation *a = memory_find(w->block->memory, r->start + (uint64_t)p->lowest);
        if (a == NULL || !may_touch(a, kind) ||
            !lies_within_noted(r, p, in->bytes, a->begin, a->bytes)) {
            return reach_each(w, in, kind, r);
        }
        p->begin = a->begin;
        p->end = a->begin + a->bytes;
        p->delta = a->delta;
    }
    r->host = (uint8_t *)(uintptr_t)(r->start + (uint64_t)p->delta);
    return true;
}

static void absolute_addresses(const struct reach *r, uint64_t *address)
{
    LANES { address[i] = r->start + r->relative[i]; }
}

/* The lanes that an atomic costs: one, if the warp adds up first. */
static lane_mask lanes_that_pay(const struct insn *in, lane_mask active)
{
    bool added =
        in->flags & INSN_ADDED_UP || (in->flags & INSN_ADDED_IF_FULL && active == FULL_MASK);
    return added ? active & (0u - active) : active;
}

SELDOM static void count_global_atomic(struct warp *w, const struct insn *in, struct site *s,
                                       const struct reach *r)
{
    uint64_t address[WARP_LANES];
    absolute_addresses(r, address);
    s->b += access_global_atomic(address, lanes_that_pay(in, w->active), in->bytes).sectors;
}

SELDOM static uint8_t learn_sectors(const struct warp *w, const struct insn *in,
                                    const struct reach *r)
{
    uint64_t address[WARP_LANES];
    absolute_addresses(r, address);
    return (uint8_t)access_global_sectors(address, w->active, in->bytes);
}

static inline void count_global(struct warp *w, const struct insn *in, unsigned site,
                                enum site_kind kind, const struct reach *r, struct pattern *p)
{
    struct site *s = &w->sites[site];
    const unsigned phase = r->start & 31u;
    if (kind == SITE_UNCOUNTED || kind == SITE_COPY) {
        return; /* a copy is counted when both of its sides are known */
    }
    const bool atomic = kind == SITE_GLOBAL_RED || kind == SITE_GLOBAL_ATOM;
    if (atomic && in->way == WAY_WORDS) {
        return; /* a loop is counted when its values are known: atomic_rounds.c */
    }
    s->a++;
    if (atomic) {
        count_global_atomic(w, in, s, r);
        return;
    }
    if (p->sectors[phase] == 0) {
        p->sectors[phase] = learn_sectors(w, in, r);
    }
    s->b += p->sectors[phase];
}

bool exec_reach_global(struct warp *w, const struct insn *in, const uint64_t *address,
                       unsigned site, enum site_kind kind, struct reach *r)
{
    struct pattern *p = recognise(w, in, address, site, r);
    if (is_inside(r)) {
        r->host = (uint8_t *)(uintptr_t)(r->start + (uint64_t)p->delta);
    } else if (!find_span(w, in, kind, r, p)) {
        return false;
    }
    if (!check_alignment(w, in, r, kind_name[kind])) {
        return false;
    }
    count_global(w, in, site, kind, r, p);
    if (in->flags & INSN_LED) {
        repeats_led(w, in, r->start);
    }
    return true;
}

/* --- shared ---------------------------------------------------------------------------------- */

static void shared_offsets(const struct reach *r, uint32_t *offset)
{
    LANES { offset[i] = (uint32_t)(r->start + r->relative[i]); }
}

static struct access_shared cost_of_atomic(const struct insn *in, const uint32_t *offset,
                                           lane_mask active)
{
    active = lanes_that_pay(in, active);
    return in->move == WAY_CAS        ? access_shared_cas(offset, active, in->bytes)
           : in->move == WAY_COUNTING ? access_shared_store(offset, active, in->bytes)
                                      : access_shared_atomic(offset, active, in->bytes);
}

SELDOM static void learn_wavefronts(const struct warp *w, const struct insn *in,
                                    enum site_kind kind, const struct reach *r, struct pattern *p)
{
    uint32_t offset[WARP_LANES];
    struct access_shared cost;
    unsigned bytes = in->count_bytes != 0 ? in->count_bytes : in->bytes;
    shared_offsets(r, offset);
    LANES { offset[i] -= in->count_shift; }
    if (in->flags & INSN_ROWS) {
        cost = access_shared_rows(offset, w->active);
    } else if (kind == SITE_SHARED_STORE) {
        cost = access_shared_store(offset, w->active, bytes);
    } else if (kind == SITE_SHARED_LOAD) {
        cost = access_shared_load(offset, w->active, bytes);
    } else {
        cost = cost_of_atomic(in, offset, w->active);
    }
    p->wavefronts = (uint8_t)cost.wavefronts;
    p->conflicts = (uint8_t)cost.conflicts;
    p->low_address = r->start & 3u;
}

static inline void count_shared(struct warp *w, const struct insn *in, unsigned site,
                                enum site_kind kind, const struct reach *r, struct pattern *p)
{
    struct site *s = &w->sites[site];
    if (kind == SITE_UNCOUNTED || (kind == SITE_SHARED_ATOM && in->way >= WAY_LOOP)) {
        return; /* a loop is counted when its values are known: exec_reach_count_loop */
    }
    if (in->flags & INSN_MERGED) {
        return; /* another access has paid for this one: see merge.h */
    }
    if (p->wavefronts == 0 || p->low_address != (r->start & 3u)) {
        learn_wavefronts(w, in, kind, r, p); /* part of a word further other words are touched */
    }
    s->a++;
    s->b += p->wavefronts;
    s->c += p->conflicts;
}

void exec_reach_count_loop(struct warp *w, const struct insn *in, unsigned site, unsigned load_site,
                           const struct reach *r, lane_mask unchanged)
{
    struct site *atomic = &w->sites[site], *load = &w->sites[load_site];
    uint32_t offset[WARP_LANES];
    shared_offsets(r, offset);
    lane_mask lanes = lanes_that_pay(in, w->active);
    struct access_shared_loop cost = access_shared_loop(offset, lanes, in->bytes, unchanged);
    atomic->a += cost.rounds;
    atomic->b += cost.atomic.wavefronts;
    atomic->c += cost.atomic.conflicts;
    load->a += cost.rounds;
    load->b += cost.load.wavefronts;
    load->c += cost.load.conflicts;
}

static bool has_dynamic_array(const struct kernel *k)
{
    bool found = false;
    for (unsigned i = 0; i < k->shared_variable_count; i++) {
        found |= k->shared_variables[i].bytes == 0;
    }
    return found;
}

SELDOM static bool beyond_shared(struct warp *w, const struct insn *in, const char *what,
                                 const struct reach *r)
{
    const uint32_t limit = w->block->shared_bytes;
    unsigned lane = lane_below(r, w->active, is_beyond, (uint64_t)limit - in->bytes);
    fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
          "%s of %u byte%s at offset %lld is out of bounds: the block has %u bytes of shared "
          "memory%s",
          what, in->bytes, in->bytes == 1 ? "" : "s", (long long)(r->start + r->relative[lane]),
          limit,
          has_dynamic_array(w->block->kernel)
              ? ", of which the third argument of <<<>>> gives the extern array its part"
              : "");
    return false;
}

/* --- shared memory of other blocks of the cluster --------------------------------------------- */

static bool may_be_remote(const struct insn *in)
{
    return in->flags & INSN_CLUSTER || in->space == PTX_GENERIC;
}

bool exec_reach_shared(struct warp *w, const struct insn *in, const uint64_t *address,
                       unsigned site, enum site_kind kind, struct reach *r)
{
    struct pattern *p = recognise(w, in, address, site, r);
    const char *what = kind == SITE_UNCOUNTED ? "asynchronous copy" : kind_name[kind];
    if (may_be_remote(in) && r->start >> CLUSTER_SHIFT != 0 && exec_reach_is_own(w, r)) {
        r->start = CLUSTER_OFFSET(r->start);
    }
    if (!is_inside(r) && !lies_within_noted(r, p, in->bytes, 0, w->block->shared_bytes)) {
        return may_be_remote(in) ? exec_reach_remote(w, in, kind, what, r)
                                 : beyond_shared(w, in, what, r);
    }
    r->host = w->block->shared + r->start;
    if (!check_alignment(w, in, r, what)) {
        return false;
    }
    count_shared(w, in, site, kind, r, p);
    if (in->flags & INSN_LED) {
        repeats_led(w, in, r->start);
    }
    return true;
}

/* --- local ----------------------------------------------------------------------------------- */

bool exec_reach_local(struct warp *w, const struct insn *in, const uint64_t *address, unsigned site,
                      struct reach *r)
{
    const struct block *b = w->block;
    uint32_t limit = w->local_offset + b->kernel->funcs[w->splits[w->current].func]->local_bytes;
    struct pattern *p = recognise(w, in, address, site, r);
    p->begin = w->local_offset;
    if (!lies_within_noted(r, p, in->bytes, 0, limit)) {
        unsigned lane = lane_below(r, w->active, is_beyond, (uint64_t)limit - in->bytes);
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "local access of %u byte%s at offset %lld is out of bounds: the thread's local "
              "variables take %u bytes",
              in->bytes, in->bytes == 1 ? "" : "s", (long long)(r->start + r->relative[lane]),
              limit);
        return false;
    }
    reach_own_memory(w, r);
    if (!check_alignment(w, in, r, "local access")) {
        return false;
    }
    if (in->flags & INSN_LED) {
        repeats_led(w, in, r->start);
    }
    return true;
}

/* --- generic --------------------------------------------------------------------------------- */

static enum ptx_space space_of_window(uint64_t window)
{
    switch (window) {
    case WINDOW_SHARED:
        return PTX_SHARED;
    case WINDOW_LOCAL:
        return PTX_LOCAL;
    case WINDOW_PARAM:
        return PTX_PARAM;
    default:
        return PTX_GLOBAL;
    }
}

bool exec_reach_generic(struct warp *w, const struct insn *in, const uint64_t *address,
                        reach_step step)
{
    const lane_mask all = w->active;
    uint64_t plain[WARP_LANES];
    lane_mask left = all;
    bool good = true;
    while (left != 0 && good) {
        uint64_t window = (address[first_lane(left)] + (uint64_t)in->offset) >> WINDOW_SHIFT;
        alignas(64) uint64_t elsewhere[WARP_LANES];
        LANES { elsewhere[i] = (address[i] + (uint64_t)in->offset) >> WINDOW_SHIFT ^ window; }
        const lane_mask same = left & ~mask_of_nonzero(elsewhere);
        w->active = same;
        if (window == WINDOW_GLOBAL || window > WINDOW_PARAM) {
            good = step(w, in, address, PTX_GLOBAL);
        } else {
            LANES { plain[i] = address[i] - WINDOW_BASE(window); }
            good = step(w, in, plain, space_of_window(window));
        }
        left &= ~same;
    }
    w->active = all;
    return good;
}
