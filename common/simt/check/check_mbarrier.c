/* check_mbarrier.c - what mbarriers order: a thread that sees the end of a phase comes after all
 * threads that have arrived in it. Its initialisation is a store like any other, and must come
 * before them all; so is a later use of its memory, and must come after all that have waited there.
 */
#include "check/check_state.h"

#include "machine/cluster.h"

static void touch(struct checked_block *own, const struct warp *w, uint32_t pc, unsigned lane,
                  uint64_t offset, unsigned what)
{
    uint64_t address[WARP_LANES] = {0};
    address[lane] = offset;
    const struct touch t = {.pc = pc,
                            .what = (uint8_t)what,
                            .scope = ORDER_BLOCK,
                            .space = PTX_SHARED,
                            .bytes = sizeof(uint64_t),
                            .lanes = 1u << lane,
                            .time = own->order.warps[w->number].time,
                            .low = offset,
                            .high = offset + sizeof(uint64_t),
                            .address = address};
    race_access(own->worker->race, &own->race, w->number, &t);
}

static void tell_senders(struct check *c, const struct block *b, uint64_t offset, unsigned phase)
{
    for (unsigned i = 0; b->kernel->shares_memory && i < b->cluster->size; i++) {
        const struct block *sender = b->cluster->blocks[i];
        struct checked_block *known = sender != NULL ? check_block(c, sender) : NULL;
        if (known != NULL) {
            bulk_arrived(known, b->rank, offset, phase);
        }
    }
}

void check_mbarrier(struct check *c, struct checked_block *own, struct warp *w, uint32_t pc,
                    unsigned lane, enum mbarrier_kind kind, uint64_t offset, unsigned phase)
{
    struct order_warp *order = &own->order.warps[w->number];
    if (c->what & CHECK_RACES) {
        static const uint8_t what[] = {[MBARRIER_INIT] = TOUCH_STORE,
                                       [MBARRIER_ARRIVE] = TOUCH_ATOMIC | TOUCH_STRONG,
                                       [MBARRIER_COPIES] = TOUCH_ATOMIC | TOUCH_STRONG,
                                       [MBARRIER_PASSED] = TOUCH_LOAD | TOUCH_STRONG,
                                       [MBARRIER_ASKED] = TOUCH_LOAD | TOUCH_STRONG};
        touch(own, w, pc, lane, offset, what[kind]);
    }
    if (kind == MBARRIER_PASSED) {
        order_phase_passed(order, offset, phase);
        cluster_phase_seen(own, w, lane, offset);
        bulk_passed(own, offset, phase);
        tell_senders(c, w->block, offset, phase);
    } else if (kind == MBARRIER_ARRIVE || kind == MBARRIER_COPIES) {
        if (kind == MBARRIER_COPIES) {
            order_async_arrive(order, lane, offset, phase);
        }
        order_phase_arrive(order, offset, phase);
    }
}
