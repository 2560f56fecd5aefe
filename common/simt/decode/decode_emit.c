/* decode_emit.c - what instructions are made of in the kernel: constants, rooms in the frame,
 * sites; and the one way to append a decoded instruction. */
#include "decode/decoder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LANE_BYTES_32 = 128, LANE_BYTES_64 = 256 };

/* --- constants and rooms --------------------------------------------------------------------- */

static struct constant *constant_slot(struct constant *slots, unsigned count, uint64_t bits,
                                      bool wide)
{
    uint64_t hash = (bits ^ (uint64_t)wide) * 0x9e3779b97f4a7c15u; /* 2^64 by the golden ratio */
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

uint32_t constant32(struct decoder *d, uint32_t value) { return add_constant(d, value, false); }

uint32_t constant64(struct decoder *d, uint64_t value) { return add_constant(d, value, true); }

/* Beyond the most that is possible everything gets the same room, and stack_fits() rejects the
 * kernel. */
uint32_t frame_room(struct decoder *d, uint64_t bytes)
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
uint32_t register_room(struct decoder *d, enum ptx_type type)
{
    enum width width = width_of(type);
    return frame_room(d, width == WIDTH_64 ? LANE_BYTES_64 : width == WIDTH_32 ? LANE_BYTES_32 : 4);
}

/* --- instructions ---------------------------------------------------------------------------- */

struct insn blank(void)
{
    return (struct insn){.d = NO_REF,
                         .a = NO_REF,
                         .b = NO_REF,
                         .c = NO_REF,
                         .e = NO_REF,
                         .guard = NO_REF,
                         .bytes = 4,
                         .elements = 1};
}

struct insn *append_insn(struct decoder *d, struct insn in)
{
    struct kernel *k = d->k;
    unsigned capacity = d->code_capacity, same = capacity;
    k->code = arena_grow(&d->scratch, k->code, k->code_count, &d->code_capacity, sizeof *k->code);
    k->origin = arena_grow(&d->scratch, k->origin, k->code_count, &capacity, sizeof *k->origin);
    k->source = arena_grow(&d->scratch, k->source, k->code_count, &same, sizeof *k->source);
    k->code[k->code_count] = in;
    k->origin[k->code_count] = d->in;
    k->source[k->code_count] = (struct code_source){d->kf->index, d->at};
    return &k->code[k->code_count++];
}

struct insn *emit(struct decoder *d, struct insn in, const char *handler, ...)
{
    char name[96];
    bool negated;
    va_list args;
    va_start(args, handler);
    vsnprintf(name, sizeof name, handler, args);
    va_end(args);
    in.handler = in.run = d->world->handler(name);
    if (in.run == NULL) {
        reject(d, "this combination of type and modifiers");
        return NULL;
    }
    if (d->in->guard != NULL && !ir_is_skipped_over(d->in)) {
        if (!predicate_source(d, d->in->guard, &in.guard, &negated)) {
            return NULL;
        }
        in.flags |= negated ? INSN_GUARD_NEGATED : 0;
        if (d->in->op != PTX_OP_EXIT && d->in->op != PTX_OP_RET) { /* they look at it themselves */
            in.run = d->world->guarded;
        }
    }
    return append_insn(d, in);
}

/* A new site is for the instruction that is emitted next. */
uint32_t new_site(struct decoder *d, enum site_kind kind, unsigned count)
{
    struct kernel *k = d->k;
    uint32_t first = k->site_count;
    for (unsigned i = 0; i < count; i++) {
        enum site_kind shared = kind == SITE_GLOBAL_LOAD    ? SITE_SHARED_LOAD
                                : kind == SITE_GLOBAL_STORE ? SITE_SHARED_STORE
                                                            : SITE_SHARED_ATOM;
        k->sites =
            arena_grow(&d->scratch, k->sites, k->site_count, &d->site_capacity, sizeof *k->sites);
        k->sites[k->site_count++] = (struct site_info){.kind = i == 0   ? kind
                                                               : i == 1 ? shared
                                                                        : SITE_UNCOUNTED,
                                                       .insn = k->code_count};
    }
    return first;
}

uint32_t new_plain_site(struct decoder *d, enum site_kind kind, uint32_t count)
{
    d->plain_sites = arena_grow(&d->scratch, d->plain_sites, d->plain_count, &d->plain_capacity,
                                sizeof *d->plain_sites);
    d->plain_sites[d->plain_count] =
        (struct site_info){.kind = kind, .insn = d->k->code_count, .count = count};
    return d->plain_count++ | PLAIN_SITE;
}
