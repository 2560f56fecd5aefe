/* locals.c - addresses of local variables that another thread uses.
 *
 * Each thread has local memory of its own, and all of it has the same addresses: what thread 0
 * stores as `&x` names another thread's own variable as soon as that one uses it. So a store of
 * such an address to shared or global memory notes whose it is, a load of it by another thread
 * marks the register (init.h), and the mark is reported where it is used as an address. */
#include "check/init.h"

#include "check/init_registers.h"

#define THREAD_BITS 11 /* of an owner: the block, and its thread + 1 */

void locals_inspect(struct check *c, const struct kernel *k)
{
    c->shares_locals = false;
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct ptx_insn *i = k->origin[pc];
        c->shares_locals |= i != NULL && i->op == PTX_OP_CVTA && ptx_has_modifier(i, WORD_LOCAL) &&
                            !ptx_has_modifier(i, WORD_TO);
    }
}

/* In which map the access is noted; NULL: in none now. */
static struct map *map_of(struct check *c, struct checked_block *own, const struct warp *w,
                          const struct access_event *e)
{
    const bool wide = e->in->elements > 0 && e->in->bytes / e->in->elements == 8;
    if (!c->shares_locals || !wide || (e->kind != ACCESS_LOAD && e->kind != ACCESS_STORE)) {
        return NULL;
    }
    return e->space == PTX_SHARED                              ? &own->worker->locals
           : e->space == PTX_GLOBAL && turn_has_come(w->block) ? &c->locals
                                                               : NULL;
}

static uint64_t owner_of(const struct warp *w, unsigned lane)
{
    const uint64_t thread = (uint64_t)w->number * WARP_LANES + lane;
    return w->block->number << THREAD_BITS | (thread + 1);
}

static const uint64_t *wide_register(const struct warp *w, const struct insn *in, unsigned i)
{
    return in->element[i] != NO_REF ? warp_ref(w, in->element[i]) : NULL;
}

void locals_store(struct check *c, struct checked_block *own, const struct warp *w,
                  const struct access_event *e)
{
    struct map *m = map_of(c, own, w, e);
    for (unsigned i = 0; m != NULL && i < e->in->elements; i++) {
        const uint64_t *value = wide_register(w, e->in, i);
        for (lane_mask left = value != NULL ? e->lanes : 0; left != 0; left &= left - 1) {
            const unsigned lane = first_lane(left);
            if (value[lane] >> WINDOW_SHIFT == WINDOW_LOCAL) {
                map_put(m, init_place_of(own, w, e, lane) + i * 8, owner_of(w, lane));
            }
        }
    }
}

/* Of shared memory, what other blocks have left behind is void. */
static bool is_foreign(const struct warp *w, const struct access_event *e, unsigned lane,
                       uint64_t owner)
{
    const bool void_now = e->space == PTX_SHARED && owner >> THREAD_BITS != w->block->number;
    return owner != 0 && owner != owner_of(w, lane) && !void_now;
}

void locals_load(struct check *c, struct checked_block *own, const struct warp *w,
                 const struct access_event *e)
{
    const struct map *m = map_of(c, own, w, e);
    for (unsigned i = 0; m != NULL && m->count > 0 && i < e->in->elements; i++) {
        const uint64_t *value = wide_register(w, e->in, i);
        for (lane_mask left = value != NULL ? e->lanes : 0; left != 0; left &= left - 1) {
            const unsigned lane = first_lane(left);
            const uint64_t owner = map_find(m, init_place_of(own, w, e, lane) + i * 8);
            if (value[lane] >> WINDOW_SHIFT == WINDOW_LOCAL && is_foreign(w, e, lane, owner)) {
                marks_set(own->marks, w, e->in->element[i], UINT32_C(1) << lane,
                          (struct mark){.certain = UINT32_C(1) << lane,
                                        .pc = e->pc,
                                        .address = owner,
                                        .space = INIT_FOREIGN});
            }
        }
    }
}

uint32_t locals_block(uint64_t owner) { return (uint32_t)(owner >> THREAD_BITS); }

unsigned locals_thread(uint64_t owner) { return (unsigned)(owner & ((1u << THREAD_BITS) - 1)) - 1; }
