/* check_cluster.c - blocks of a cluster that work on each other's shared memory. They run on one
 * worker, so the shadow of its blocks' memory serves them all.
 *
 * Two ways lead from block to block: barrier.cluster, and an mbarrier at which threads of another
 * block, or their copies (check_bulk.c), arrive. */
#include "check/check_state.h"

#include "machine/cluster.h"

void cluster_access(void *state, struct warp *w, const struct access_event *e,
                    const struct block *owner)
{
    struct check *c = state;
    struct checked_block *own = check_block(c, w->block), *other = check_block(c, owner);
    const struct touched_by by = {w, e, owner};
    if (!(c->what & CHECK_RACES) || own == NULL || other == NULL) {
        return;
    }
    const struct touch t = touch_made(&by, &c->infos[e->pc], &own->order);
    race_remote_access(own->worker->race, &own->race, &other->race, w->number, &t);
    bulk_access(c, other, w, e);
}

static uint64_t key_of(const struct checked_block *owner, uint64_t offset)
{
    return owner->race.shared_base + offset;
}

void cluster_arrives(struct checked_block *own, const struct checked_block *owner,
                     const struct warp *w, unsigned lane, uint64_t offset)
{
    order_release(&own->order.warps[w->number], lane, key_of(owner, offset), ORDER_DEVICE, true);
}

void cluster_arrival(void *state, struct warp *w, unsigned lane, const struct block *owner,
                     uint64_t offset)
{
    struct check *c = state;
    struct checked_block *own = check_block(c, w->block), *other = check_block(c, owner);
    if (c->what & CHECK_RACES && own != NULL && other != NULL) {
        cluster_arrives(own, other, w, lane, offset);
    }
}

void cluster_phase_seen(struct checked_block *own, const struct warp *w, unsigned lane,
                        uint64_t offset)
{
    if (own->race.is_reached && order_has_flags(own->order.order)) {
        order_acquire(&own->order.warps[w->number], lane, key_of(own, offset), BEHIND_ITSELF);
    }
}

/* It orders what the threads of all blocks have done so far: each block's first thread passes on
 * what its block knows. */
void cluster_opens(void *state, const struct cluster *cluster)
{
    const uint64_t key = UINT64_MAX - (uintptr_t)cluster; /* no address */
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < cluster->size; i++) {
            struct checked_block *own = check_block(state, cluster->blocks[i]);
            if (own == NULL) {
                continue;
            }
            struct order_warp *first = &own->order.warps[0];
            if (pass == 0) {
                order_barrier(&own->order);
                order_fence(first, 1, ORDER_DEVICE);
                order_release(first, 0, key, ORDER_DEVICE, true);
            } else {
                order_acquire(first, 0, key, BEHIND_ITSELF);
                order_barrier(&own->order);
            }
        }
    }
}
