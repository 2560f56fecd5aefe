/* decode_room.c - what instructions refer to in the kernel: constants, and rooms in the frame. */
#include "decode/decoder.h"

#include <string.h>

enum { LANE_BYTES_32 = 128, LANE_BYTES_64 = 256 };

/* --- constants ------------------------------------------------------------------------------- */

static struct constant *constant_slot(struct constant *slots, unsigned count, uint64_t bits,
                                      bool wide)
{
    uint64_t hash = (bits ^ (uint64_t)wide) * HASH_MULTIPLIER;
    unsigned at = (unsigned)(hash >> 32) & (count - 1);
    while (slots[at].ref != NO_REF && (slots[at].bits != bits || slots[at].wide != wide)) {
        at = (at + 1) & (count - 1);
    }
    return &slots[at];
}

static void grow_constants(struct decoder *d)
{
    const unsigned count = d->constant_slots == 0 ? 64 : d->constant_slots * 2;
    struct constant *slots = arena_alloc(&d->scratch, count * sizeof *slots);
    for (unsigned i = 0; i < count; i++) {
        slots[i].ref = NO_REF;
    }
    for (unsigned i = 0; i < d->constant_slots; i++) {
        const struct constant *c = &d->constants[i];
        if (c->ref != NO_REF) {
            *constant_slot(slots, count, c->bits, c->wide) = *c;
        }
    }
    d->constants = slots;
    d->constant_slots = count;
}

/* Room for the value in every lane, behind those that there are. */
static uint32_t place_constant(struct decoder *d, uint64_t bits, bool wide)
{
    struct kernel *k = d->k;
    const uint32_t bytes = wide ? LANE_BYTES_64 : LANE_BYTES_32, at = k->constant_bytes;
    if (at + bytes > d->constant_room) {
        uint32_t room = d->constant_room == 0 ? 16384 : d->constant_room * 2;
        uint8_t *grown = arena_alloc(&k->arena, room);
        if (at > 0) {
            memcpy(grown, k->constants, at);
        }
        k->constants = grown;
        d->constant_room = room;
    }
    for (unsigned i = 0; i < WARP_LANES; i++) {
        memcpy(k->constants + at + i * bytes / WARP_LANES, &bits, bytes / WARP_LANES);
    }
    k->constant_bytes += bytes;
    return at | REF_CONST;
}

static uint32_t add_constant(struct decoder *d, uint64_t bits, bool wide)
{
    if (d->constant_count * 2 >= d->constant_slots) {
        grow_constants(d);
    }
    struct constant *c = constant_slot(d->constants, d->constant_slots, bits, wide);
    if (c->ref == NO_REF) {
        *c = (struct constant){bits, place_constant(d, bits, wide), wide};
        d->constant_count++;
    }
    return c->ref;
}

uint32_t decode_constant32(struct decoder *d, uint32_t value)
{
    return add_constant(d, value, false);
}

uint32_t decode_constant64(struct decoder *d, uint64_t value)
{
    return add_constant(d, value, true);
}

/* --- rooms in the frame ---------------------------------------------------------------------- */

enum register_width decode_width_of(enum ptx_type type)
{
    return type == PTX_PRED ? WIDTH_PREDICATE : ptx_type_bytes(type) > 4 ? WIDTH_64 : WIDTH_32;
}

/* Beyond the most that is possible everything gets the same room, and decode_stack_fits() rejects
 * the kernel. */
uint32_t decode_frame_room(struct decoder *d, uint64_t bytes)
{
    uint64_t offset = d->kf->frame_bytes, end = offset + align_up(bytes, 64);
    if (end > MOST_FRAME_BYTES) {
        d->kf->frame_bytes = (uint32_t)MOST_FRAME_BYTES + 64;
        return REF_FRAME;
    }
    d->kf->frame_bytes = (uint32_t)end;
    return (uint32_t)offset | REF_FRAME;
}

/* A predicate takes a whole cache line too: few of them, and no false sharing of anything. */
uint32_t decode_register_room(struct decoder *d, enum ptx_type type)
{
    enum register_width width = decode_width_of(type);
    return decode_frame_room(d, width == WIDTH_64   ? LANE_BYTES_64
                                : width == WIDTH_32 ? LANE_BYTES_32
                                                    : 4);
}

void decode_note_undefined(struct decoder *d)
{
    struct kernel_func *kf = d->kf;
    const struct function_ir *ir = d->ir;
    kf->undefined = arena_alloc(&d->k->arena, (ir->undefined_count + 1) * sizeof *kf->undefined);
    for (unsigned i = 0; i < ir->undefined_count; i++) {
        uint32_t ref = d->slots[ir->undefined[i]];
        if (ref != NO_REF) {
            kf->undefined[kf->undefined_count++] = ref;
        }
    }
}
