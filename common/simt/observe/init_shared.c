/* init_shared.c - does a load of shared memory read values alone? Most do, and to see that is
 * cheaper than to look at each byte (init.c). */
#include "observe/init.h"

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
        all = shadow_is_valid(shadow_chunk(c->shadow, base + low), base + low, base + high);
    }
    own->shared_has_values = all;
}

/* The bytes of each lane. */
static bool lanes_have_values(const struct chunk *c, const struct shared_load *load)
{
    const uint64_t all = (UINT64_C(1) << load->bytes) - 1;
    uint64_t missing = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint32_t at = load->address[i] % SHADOW_CHUNK;
        missing |= ~c->valid[at / 64] >> at % 64 & all & (0 - (uint64_t)(load->lanes >> i & 1u));
    }
    return missing == 0;
}

bool init_shared_has_values(struct check *c, const struct checked_block *own,
                            const struct shared_load *load)
{
    const uint64_t base = own->race.shared_base;
    if (own->shared_has_values) {
        return true;
    }
    const struct chunk *chunk = shadow_chunk(c->shadow, base + load->low);
    return load->low / SHADOW_CHUNK == (load->high - 1) / SHADOW_CHUNK &&
           (chunk->state == VALID_SOME ? lanes_have_values(chunk, load)
                                       : chunk->state == VALID_ALL);
}
