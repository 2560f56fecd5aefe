/* footprint.c - see footprint.h. */
#include "time/footprint.h"
#include "base/room.h"

#include "common/gpu/access.h"

#include <stdlib.h>
#include <string.h>

void footprint_free(struct footprint *s)
{
    free(s->phases);
    *s = (struct footprint){0};
}

static bool lies_alike(const struct footprint *s, const struct access_event *a)
{
    uint64_t room[WARP_LANES], differs = 0;
    const uint64_t *address = observer_addresses(a, room);
    if (s->lanes != a->lanes || s->bytes != a->bytes) {
        return false;
    }
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint64_t takes_part = (uint64_t)0 - (a->lanes >> i & 1u);
        differs |= (address[i] - a->start - s->apart[i]) & takes_part;
    }
    return differs == 0;
}

/* Every bit of the result depends on every bit of the value. */
static uint64_t mix(uint64_t v)
{
    v = (v ^ v >> 32) * 0xd6e8feb86659fd93u;
    v = (v ^ v >> 32) * 0xd6e8feb86659fd93u;
    return v ^ v >> 32;
}

/* Of the lanes, their width and how they lie. Each lane is mixed by itself, with a number of its
 * own, so that this is vector code: one chain through all lanes took five times as long. */
static uint64_t hash_of(const struct footprint *s)
{
    uint64_t sum = s->lanes ^ (uint64_t)s->bytes << 32;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint64_t takes_part = (uint64_t)0 - (s->lanes >> i & 1u);
        const uint64_t v = ((s->apart[i] & takes_part) + i) * 0xd6e8feb86659fd93u;
        sum += (v ^ v >> 32) * (HASH_MULTIPLIER + 2 * i);
    }
    return mix(sum);
}

static void learn(struct footprint *s, const struct access_event *a)
{
    uint64_t room[WARP_LANES];
    const uint64_t *address = observer_addresses(a, room);
    const unsigned phases = FOOTPRINT_LINE / a->bytes;
    if (phases > s->phase_count) {
        free(s->phases);
        s->phases = room_raw(phases, sizeof *s->phases);
        s->phase_count = phases;
    }
    s->lanes = a->lanes;
    s->bytes = (uint8_t)a->bytes;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        s->apart[i] = address[i] - a->start;
    }
    s->hash = hash_of(s);
    memset(s->brief, 0, sizeof s->brief);
    memset(s->wavefronts, 0, sizeof s->wavefronts);
}

/* L1 is the memory that shared memory is: words of 32 banks, each wavefront one of each bank: words
 * of one line never conflict, and any shift by whole words keeps conflicts as they are. Unlike
 * loads of shared memory, wide ones never share. */
static unsigned wavefronts_of(const uint64_t *address, const struct access_event *a)
{
    uint32_t offset[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        offset[i] = (uint32_t)address[i];
    }
    return access_shared_store(offset, a->lanes, a->bytes).wavefronts;
}

/* How far the request can move down until a lane of it comes into another sector: all that lie
 * between come to the same. */
static unsigned room_below(const struct access_event *a, const uint64_t *address)
{
    unsigned room = FOOTPRINT_SECTOR;
    for (lane_mask left = a->lanes; left != 0; left &= left - 1) {
        const unsigned behind = (unsigned)(address[first_lane(left)] % FOOTPRINT_SECTOR);
        room = behind < room ? behind : room;
    }
    return room;
}

void footprint_learn_phase(struct footprint *s, unsigned phase, const struct access_event *a)
{
    uint64_t room[WARP_LANES];
    const uint64_t *address = observer_addresses(a, room);
    struct footprint_phase *p = &s->phases[phase];
    const unsigned count = touched_lines(address, a->lanes, a->bytes, p->lines, p->masks);
    unsigned lonely = 0;
    for (unsigned i = 0; i < count; i++) {
        p->lines[i] -= a->start / FOOTPRINT_LINE;
        lonely += __builtin_popcount(p->masks[i]) == 1;
    }
    s->brief[phase] = (struct footprint_short){
        (uint8_t)count, (uint8_t)lonely, (uint8_t)(phase - room_below(a, address) / a->bytes)};
}

void footprint_learn(struct footprint *s, const struct access_event *a)
{
    if (!lies_alike(s, a)) {
        learn(s, a);
    }
    s->pattern = a->pattern;
    s->version = a->pattern != NULL ? a->pattern->version : 0;
}

unsigned footprint_learn_wavefronts(struct footprint *s, const struct access_event *a)
{
    uint64_t room[WARP_LANES];
    const unsigned wavefronts = wavefronts_of(observer_addresses(a, room), a);
    s->wavefronts[a->start % 4] = (uint8_t)wavefronts;
    return wavefronts;
}
