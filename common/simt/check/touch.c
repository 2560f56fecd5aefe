/* touch.c - an access as the race checker needs it: which thread does what, in which order, and
 * which values it stores, where they are known. */
#include "check/check_state.h"

#include <string.h>

/* What a lane stores: the low bytes of its registers, one after the other. */
static const uint8_t *value_of(const struct touch *t, unsigned lane, uint8_t *room)
{
    const struct touched_by *by = t->state;
    const struct insn *in = by->event->in;
    const unsigned size = in->bytes / in->elements;
    const bool wide = in->move == MOVE_64 || in->move >= MOVE_U8_64;
    for (unsigned i = 0; i < in->elements; i++) {
        if (in->element[i] == NO_REF) {
            return NULL;
        }
        const uint8_t *r = warp_ref(by->w, in->element[i]);
        memcpy(room + i * size, r + (size_t)lane * (wide ? 8 : 4), size);
    }
    return room;
}

/* What a lane's cp.async has stored: bytes of global memory, and zeros. */
static const uint8_t *copied_value(const struct touch *t, unsigned lane, uint8_t *room)
{
    const struct touched_by *by = t->state;
    const struct insn *in = by->event->in;
    const unsigned read = warp_copy_bytes(by->w, in, lane);
    const uint64_t source = warp_copy_source(by->w, in, lane);
    const uint8_t *from = memory_host(by->owner->memory, source, read);
    memset(room, 0, in->bytes);
    if (read > 0 && from == NULL) {
        return NULL;
    }
    memcpy(room, read > 0 ? from : room, read);
    return room;
}

static const uint8_t *content_at(const struct touch *t, unsigned lane)
{
    const struct touched_by *by = t->state;
    const struct block *b = by->owner;
    const uint64_t at = t->address[lane];
    if (t->space == PTX_SHARED) {
        return at + t->bytes <= b->shared_bytes ? b->shared + at : NULL;
    }
    return memory_host(b->memory, at, t->bytes);
}

unsigned touch_kind_of(enum access_kind kind)
{
    switch (kind) {
    case ACCESS_LOAD:
    case ACCESS_COPY_READ:
        return TOUCH_LOAD;
    case ACCESS_STORE:
        return TOUCH_STORE;
    case ACCESS_COPY_WRITE:
        return TOUCH_STORE | TOUCH_ASYNC;
    case ACCESS_ATOMIC:
    case ACCESS_REDUCTION:
        break;
    }
    return TOUCH_ATOMIC;
}

/* Atomics are observed when they have been executed: one that has found another value than it asked
 * for has stored nothing. */
lane_mask touch_writers(const struct touched_by *by)
{
    const struct access_event *e = by->event;
    const struct insn *in = e->in;
    const bool is_known = ptx_has_modifier(e->origin, WORD_CAS) && in->elements == 1 &&
                          (e->bytes == 4 || e->bytes == 8) && in->d != NO_REF && in->d != in->b;
    lane_mask writers = touch_kind_of(e->kind) == TOUCH_LOAD ? 0 : e->lanes;
    if (writers == 0 || !is_known) {
        return writers;
    }
    const uint8_t *found = warp_ref(by->w, in->d), *asked = warp_ref(by->w, in->b);
    for (lane_mask left = writers; left != 0; left &= left - 1) {
        const size_t at = (size_t)first_lane(left) * e->bytes;
        if (memcmp(found + at, asked + at, e->bytes) != 0) {
            writers &= ~(1u << first_lane(left));
        }
    }
    return writers;
}

static uint8_t atomic_width(const struct access_event *e)
{
    return (uint8_t)(e->in->elements > 1 ? e->bytes / e->in->elements : e->bytes);
}

struct touch touch_made(const struct touched_by *by, const struct insn_info *info,
                        const struct order_block *order)
{
    const struct access_event *e = by->event;
    const unsigned kind = touch_kind_of(e->kind);
    return (struct touch){.pc = e->pc,
                          .what = (uint8_t)(kind | info->what),
                          .scope = info->scope,
                          .space = (uint8_t)e->space,
                          .bytes = (uint8_t)e->bytes,
                          .width = kind == TOUCH_ATOMIC ? atomic_width(e) : 0,
                          .blind = e->kind == ACCESS_REDUCTION,
                          .read_only = info->read_only,
                          .lanes = e->lanes,
                          .time = order->warps[by->w->number].time,
                          .low = e->low,
                          .high = e->high,
                          .address = e->address,
                          .state = by,
                          .value = e->kind == ACCESS_COPY_WRITE ? copied_value : value_of,
                          .content = content_at};
}
