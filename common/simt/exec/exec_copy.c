/* exec_copy.c - cp.async: a copy of 4, 8 or 16 bytes of each lane, from global to shared memory. */
#include "exec/exec_address.h"
#include "exec/exec_single.h"

#include "common/gpu/access.h"

#include <string.h>

static struct access_copy cost_of(const struct insn *in, const struct reach *to,
                                  const uint64_t *global, lane_mask lanes, lane_mask reading)
{
    const unsigned ways = (in->flags & INSN_BYPASS ? ACCESS_COPY_BYPASSES : 0u) |
                          (in->flags & INSN_SIZED ? ACCESS_COPY_SIZED : 0u);
    uint64_t shared[WARP_LANES];
    LANES { shared[i] = to->start + to->relative[i]; }
    return access_async_copy(global, shared, lanes, reading, in->bytes, ways);
}

/* What it costs depends on where both sides lie in their lines, and is remembered with the pattern
 * of the shared side. */
static void learn_copy(const struct insn *in, const struct reach *to, const struct reach *from,
                       lane_mask lanes, struct pattern *p)
{
    uint64_t global[WARP_LANES];
    LANES { global[i] = from->start + from->relative[i]; }
    const struct access_copy cost = cost_of(in, to, global, lanes, from->pattern->mask);
    p->copy_of = from->pattern->version;
    p->copy_low[0] = to->start & 127u;
    p->copy_low[1] = from->start & 127u;
    p->copy_sectors = (uint8_t)cost.sectors;
    p->copy_load_sectors = (uint8_t)cost.load_sectors;
    p->wavefronts = (uint8_t)cost.wavefronts;
    p->conflicts = (uint8_t)cost.conflicts;
}

static void count_copy(struct warp *w, const struct insn *in, const struct reach *to,
                       const struct reach *from, lane_mask lanes)
{
    struct pattern *p = &w->patterns[in->site + 1];
    struct site *load = &w->sites[in->site], *copy = load + 1, *banks = load + 2;
    if (p->wavefronts == 0 || p->copy_of != from->pattern->version ||
        p->copy_low[0] != (to->start & 127u) || p->copy_low[1] != (from->start & 127u)) {
        learn_copy(in, to, from, lanes, p);
    }
    load->a++;
    load->b += p->copy_load_sectors;
    copy->a++;
    copy->b += p->copy_sectors;
    banks->b += p->wavefronts;
    banks->c += p->conflicts;
}

/* A copy whose size is in a register: what it costs depends on the source of lanes that read
 * nothing, too, so that nothing is remembered. */
static void count_sized(struct warp *w, const struct insn *in, const struct reach *to,
                        uint64_t *source, lane_mask lanes, lane_mask reading)
{
    struct site *load = &w->sites[in->site], *copy = load + 1, *banks = load + 2;
    LANES { source[i] += (u64)in->offset; }
    const struct access_copy cost = cost_of(in, to, source, lanes, reading);
    load->a += reading != 0;
    load->b += cost.load_sectors;
    copy->a += reading != 0;
    copy->b += cost.sectors;
    banks->b += cost.wavefronts;
    banks->c += cost.conflicts;
}

/* cp.async [d], [b], bytes, src-size: the copy is done at once. a is the shared address, b the
 * global one (both registers), c the number of bytes that are read (NO_REF: all); the rest of the
 * destination becomes zero. in->offset belongs to a, in->guard's place is taken by e: the index of
 * a constant that holds b's offset. */
HANDLER(cp_async)
{
    struct reach to, from;
    uint64_t source[WARP_LANES];
    lane_mask all = w->active, reading = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        /* less the offset, which exec_reach_global adds again */
        source[i] = warp_copy_source(w, in, i) - (u64)in->offset;
        reading |= (lane_mask)(warp_copy_bytes(w, in, i) > 0) << i;
    }
    reading &= all;
    if (!exec_reach_shared(w, in, exec_reach_addresses(w, in), in->site + 1, SITE_UNCOUNTED, &to)) {
        return NULL;
    }
    w->active = reading;
    bool good = w->active == 0 || exec_reach_global(w, in, source, in->site, SITE_COPY, &from);
    if (!good) {
        w->active = all;
        return NULL;
    }
    for (lane_mask left = all; left != 0; left &= left - 1) {
        unsigned i = first_lane(left);
        unsigned read = warp_copy_bytes(w, in, i);
        uint8_t *target = reach_lane(&to, i);
        if (read == in->bytes) {
            single_copy(target, reach_lane(&from, i), in->bytes);
        } else {
            memset(target, 0, in->bytes);
            memcpy(target, read > 0 ? reach_lane(&from, i) : target, read);
        }
    }
    w->active = all;
    if (in->flags & INSN_SIZED) {
        count_sized(w, in, &to, source, all, reading);
    } else if (reading != 0) {
        count_copy(w, in, &to, &from, all);
    }
    return in + 1;
}

const struct handler exec_copy_table[] = {HANDLER_ROW(cp_async, WORK, COPY, OPCODE), {0}};
