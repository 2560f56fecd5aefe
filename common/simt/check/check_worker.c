/* check_worker.c - what each worker of a launch has to itself (struct check_worker), and the blocks
 * that it runs. */
#include "check/check_state.h"
#include "base/room.h"
#include "check/init.h"
#include "machine/cluster.h"

#include <stdlib.h>
#include <string.h>

static void free_worker(struct check_worker *w)
{
    for (unsigned i = 0; i < w->block_count; i++) {
        race_block_free(&w->blocks[i]->race);
        race_block_free(&w->blocks[i]->far);
        order_block_free(&w->blocks[i]->order);
        init_block_free(w->blocks[i]);
        local_values_free(&w->blocks[i]->local);
        bulk_block_free(w->blocks[i]);
        free(w->blocks[i]->visitors);
        products_block_free(w->blocks[i]);
        unfenced_block_free(w->blocks[i]);
        free(w->blocks[i]);
    }
    free(w->blocks);
    map_free(&w->locals);
    race_close(w->race);
    order_close(w->order);
    shadow_close(w->shadow);
    free(w);
}

void check_free_workers(struct check *c)
{
    for (unsigned i = 0; i < c->worker_count; i++) {
        free_worker(c->workers[i]);
    }
    free(c->workers);
}

static struct check_worker *make_worker(struct check *c)
{
    struct check_worker *w = room_new(1, sizeof *w);
    w->check = c;
    w->shadow = shadow_open();
    w->order = order_open();
    w->race = race_open(w->shadow, check_report_shared_race, w);
    return w;
}

void check_make_workers(struct check *c, unsigned count)
{
    if (count > c->worker_count) {
        c->workers = room_resized(c->workers, count, sizeof(struct check_worker *));
    }
    while (c->worker_count < count) {
        c->workers[c->worker_count++] = make_worker(c);
    }
}

void check_begin_launch(struct check *c)
{
    for (unsigned i = 0; i < c->worker_count; i++) {
        struct check_worker *w = c->workers[i];
        for (unsigned k = 0; k < w->block_count; k++) {
            w->blocks[k]->block = NULL; /* after a fault, blocks do not end */
        }
        w->latest = NULL;
        map_clear(&w->locals);
        w->running = 0;
        order_launch(w->order);
        race_launch(w->race);
    }
    race_launch(c->race);
    map_clear(&c->locals);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct checked_block *check_block(struct check *c, const struct block *b)
{
    struct check_worker *w = c->workers[b->worker];
    if (w->latest != NULL && w->latest->block == b) {
        return w->latest;
    }
    for (unsigned i = 0; i < w->block_count; i++) {
        if (w->blocks[i]->block == b) {
            return w->latest = w->blocks[i];
        }
    }
    return NULL;
}

static struct checked_block *new_block(struct check_worker *w)
{
    struct checked_block *made = room_new(1, sizeof *made);
    made->worker = w;
    w->blocks = room_resized(w->blocks, w->block_count + 1, sizeof(struct checked_block *));
    w->blocks[w->block_count++] = made;
    return made;
}

static void take_shared_values(const struct check_worker *w, const struct block *b, unsigned slot)
{
    /* What others store there is not looked at, so it counts as stored. */
    shadow_set_valid(w->shadow, SHADOW_SHARED(slot), align_up(b->shared_bytes, SHADOW_CHUNK),
                     b->kernel->shares_memory);
    if (b->kernel->uses_reserved) {
        shadow_set_valid(w->shadow, SHADOW_SHARED(slot) + b->reserved_offset, RESERVED_SHARED_BYTES,
                         true);
    }
}

void check_begin_block(struct check *c, struct block *b)
{
    struct check_worker *w = c->workers[b->worker];
    unsigned slot = 0;
    while (slot < w->block_count && w->blocks[slot]->block != NULL) {
        slot++;
    }
    struct checked_block *own = slot < w->block_count ? w->blocks[slot] : new_block(w);
    own->block = b;
    w->latest = own;
    memset(own->waiting, 0, sizeof own->waiting);
    w->running++;
    order_block_begin(w->order, &own->order, (uint32_t)b->number, b->thread_count);
    race_block_begin(w->race, &own->race, &own->order, b->kernel->code_count, slot);
    interval_begin_block(&own->race.interval, b->shared_bytes);
    own->race.is_reached = b->kernel->shares_memory && b->cluster->size > 1;
    own->order.flags |= own->race.is_reached;
    race_alone(w->race, w->running == 1 && !own->race.is_reached);
    own->far_begun = own->is_visited = false;
    bulk_block_begin(own, b);
    products_block_begin(own, b);
    unfenced_block_begin(own, b);
    if (c->what & CHECK_UNINITIALISED) {
        take_shared_values(w, b, slot);
        init_block_begin(own, b, slot);
    }
}

void check_end_block(struct check *c, const struct block *b)
{
    struct checked_block *own = check_block(c, b);
    if (own != NULL) {
        own->block = NULL;
        own->worker->running--;
        race_alone(own->worker->race, own->worker->running == 1 && !own->race.is_reached);
    }
}

void check_access(struct check *c, struct checked_block *own, const struct warp *w,
                  const struct touch *t)
{
    if (t->space == PTX_SHARED) {
        race_access(own->worker->race, &own->race, w->number, t);
        return;
    }
    if (!own->far_begun) {
        own->far_begun = true;
        race_block_begin(c->race, &own->far, &own->order, w->block->kernel->code_count, 0);
    }
    race_access(c->race, &own->far, w->number, t);
}
