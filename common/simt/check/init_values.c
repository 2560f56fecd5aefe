/* init_values.c - which bytes have a value: where they lie in the shadow, and the short ways.
 * Nearly all loads read values alone, and nearly all stores store values, and to see that is
 * cheaper than to look at each byte (init.c). */
#include "check/init.h"

#include "check/init_registers.h"
#include "machine/turn.h"

uint64_t init_place_of(const struct checked_block *own, const struct warp *w,
                       const struct access_event *e, unsigned lane)
{
    uint64_t address = e->address[lane];
    switch (e->space) {
    case PTX_SHARED:
        return own->race.shared_base + address;
    case PTX_LOCAL:
        return own->local_base + ((uint64_t)w->number * WARP_LANES + lane) * own->local.stride +
               address;
    case PTX_GLOBAL:
        return address;
    default:
        return 0;
    }
}

static struct shadow *shadow_of(const struct check *c, const struct checked_block *own,
                                enum ptx_space space)
{
    return space == PTX_GLOBAL ? c->shadow : own->worker->shadow;
}

/* ---- of one lane ----------------------------------------------------------------------------- */

struct lane_bytes init_bytes_of(struct check *c, const struct checked_block *own,
                                const struct warp *w, const struct access_event *e, unsigned lane)
{
    struct lane_bytes b = {.at = init_place_of(own, w, e, lane), .is_local = e->space == PTX_LOCAL};
    if (b.is_local) {
        b.local = local_values_of(&own->local, w, lane, e->address[lane]);
    } else {
        b.chunk = shadow_chunk(shadow_of(c, own, e->space), b.at);
    }
    return b;
}

uint32_t init_valid_bits(const struct lane_bytes *b, uint64_t at, unsigned bytes)
{
    if (b->is_local) {
        return b->local != NULL ? (uint32_t)(*b->local >> at % 64) & ((1u << bytes) - 1) : 0;
    }
    return shadow_valid_bits(b->chunk, at, bytes);
}

bool init_lane_has_all(const struct lane_bytes *b)
{
    return !b->is_local && (b->chunk->state == VALID_ALL || b->chunk->state == VALID_UNKNOWN);
}

bool init_is_certain(const struct lane_bytes *b, uint64_t at, enum ptx_space space)
{
    return space == PTX_SHARED || init_valid_bits(b, at & ~UINT64_C(15), 16) == 0;
}

void init_give_values(struct checked_block *own, const struct warp *w, const struct access_event *e,
                      unsigned lane, const struct lane_bytes *b, uint32_t bits)
{
    const uint32_t all = (1u << e->bytes) - 1;
    if (b->is_local) {
        local_values_set_lane(&own->local, w, lane, e, bits);
    } else if (!init_lane_has_all(b) || bits != all) {
        shadow_set_valid_bits(b->chunk, b->at, e->bytes, bits);
    }
}

void init_given(struct check *c, struct checked_block *own, const struct warp *w,
                const struct access_event *e)
{
    for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        const struct lane_bytes b = init_bytes_of(c, own, w, e, lane);
        init_give_values(own, w, e, lane, &b, (1u << e->bytes) - 1);
    }
}

/* ---- of all lanes at once -------------------------------------------------------------------- */

/* Most loads read what has a value: one look at all bytes between the first and the last. */
bool init_all_have_values(struct check *c, const struct checked_block *own, const struct warp *w,
                          const struct access_event *e)
{
    const uint64_t base = e->space == PTX_SHARED ? own->race.shared_base : 0;
    const uint64_t low = base + e->low, high = base + e->high;
    if (e->space == PTX_LOCAL) {
        return local_values_all(&own->local, w, e);
    }
    return low / SHADOW_CHUNK == (high - 1) / SHADOW_CHUNK &&
           shadow_is_valid(shadow_chunk(shadow_of(c, own, e->space), low), low, high);
}

/* Lanes side by side store values: all bytes from the first to the last have one. */
bool init_fill_row(struct check *c, struct checked_block *own, const struct warp *w,
                   const struct access_event *e)
{
    if (e->space == PTX_LOCAL) {
        local_values_set(&own->local, w, e);
        return true;
    }
    const uint64_t base = e->space == PTX_SHARED ? own->race.shared_base : 0;
    const uint64_t first = e->low - first_lane(e->lanes) * e->bytes;
    uint64_t differs = e->high - e->low - lanes_in(e->lanes) * e->bytes;
    for (uint64_t i = 0; i < WARP_LANES; i++) {
        differs |= (e->address[i] - first - i * e->bytes) & (0 - (uint64_t)(e->lanes >> i & 1u));
    }
    if (differs != 0) {
        return false;
    }
    shadow_set_valid(shadow_of(c, own, e->space), base + e->low, e->high - e->low, true);
    return true;
}

/* Often a block fills all of its shared memory at once. If not, it may do so later. */
void init_barrier(struct check *c, struct checked_block *own, const struct block *b)
{
    const unsigned barriers = ++own->barriers;
    if (!(c->what & CHECK_UNINITIALISED) || own->shared_has_values || b->shared_bytes == 0 ||
        (barriers & (barriers - 1)) != 0) {
        return;
    }
    bool all = true;
    for (uint64_t low = 0; low < b->shared_bytes && all; low += SHADOW_CHUNK) {
        const uint64_t high =
            low + SHADOW_CHUNK < b->shared_bytes ? low + SHADOW_CHUNK : b->shared_bytes;
        const uint64_t base = own->race.shared_base;
        all =
            shadow_is_valid(shadow_chunk(own->worker->shadow, base + low), base + low, base + high);
    }
    own->shared_has_values = all;
}

/* The bytes of each lane. */
static bool lanes_have_values(const struct chunk *c, const struct shared_access *a)
{
    const uint64_t all = (UINT64_C(1) << a->bytes) - 1;
    uint64_t missing = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint32_t at = a->address[i] % SHADOW_CHUNK;
        missing |= ~c->valid[at / 64] >> at % 64 & all & (0 - (uint64_t)(a->lanes >> i & 1u));
    }
    return missing == 0;
}

bool init_shared_access(const struct checked_block *own, const struct warp *w,
                        const struct shared_access *a)
{
    const uint64_t base = own->race.shared_base;
    if (a->writes && own->marks->any[w->number]) {
        return false;
    }
    if (own->shared_has_values) {
        return true;
    }
    if (a->writes) {
        const bool whole = a->row && a->high - a->low == lanes_in(a->lanes) * a->bytes;
        if (whole) {
            shadow_set_valid(own->worker->shadow, base + a->low, a->high - a->low, true);
        }
        return whole;
    }
    const struct chunk *chunk = shadow_chunk(own->worker->shadow, base + a->low);
    return a->low / SHADOW_CHUNK == (a->high - 1) / SHADOW_CHUNK &&
           (chunk->state == VALID_SOME ? lanes_have_values(chunk, a) : chunk->state == VALID_ALL);
}

/* ---- where a missing value came from --------------------------------------------------------- */

static struct root *root_at(const struct check *c, uint64_t at)
{
    return &c->roots[(at * HASH_MULTIPLIER) >> 52];
}

void init_remember_root(struct check *c, const struct block *b, uint64_t at, const struct mark *m,
                        unsigned lane)
{
    if (turn_has_come(b)) {
        const bool certain = (m->certain >> lane & 1u) != 0;
        *root_at(c, at) = (struct root){at, m->address, m->pc, m->space, certain};
    }
}

struct mark init_mark_of(const struct check *c, const struct block *b, const struct access_event *e,
                         uint64_t at, uint64_t address)
{
    const struct root *root = turn_has_come(b) ? root_at(c, at) : NULL;
    if (root != NULL && root->at == at) {
        return (struct mark){.pc = root->pc, .address = root->address, .space = root->space};
    }
    return (struct mark){.pc = e->pc, .address = address, .space = (uint8_t)e->space};
}

bool init_is_made(const struct check *c, const struct block *b, uint64_t at)
{
    const struct root *root = turn_has_come(b) ? root_at(c, at) : NULL;
    return root != NULL && root->at == at && root->certain;
}
