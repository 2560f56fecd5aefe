/* cluster.c - see cluster.h. */
#include "machine/cluster.h"

#include "base/demangle.h"
#include "machine/mbarrier.h"
#include "machine/observer.h"

#include <stdio.h>
#include <string.h>

void cluster_begin(struct cluster *c, const struct simt_launch *launch)
{
    const struct simt_dim d = launch->cluster;
    const bool is_explicit = d.x != 0;
    c->is_explicit = is_explicit;
    c->dims = is_explicit ? d : (struct simt_dim){1, 1, 1};
    c->running = c->arrived = 0;
    c->size = c->dims.x * c->dims.y * c->dims.z;
}

void cluster_join(struct cluster *c, struct block *b)
{
    const struct simt_dim d = c->dims;
    b->cluster = c;
    b->rank = 0;
    if (c->size > 1) {
        b->rank = b->index.x % d.x + d.x * (b->index.y % d.y + d.y * (b->index.z % d.z));
    }
    c->blocks[b->rank] = b;
    c->running++;
}

void cluster_leave(struct block *b) { b->cluster->running--; }

/* --- barrier.cluster -------------------------------------------------------------------------- */

static unsigned living_threads(const struct cluster *c)
{
    unsigned count = 0;
    for (unsigned i = 0; i < c->size; i++) {
        count += c->blocks[i]->thread_count - c->blocks[i]->threads_exited;
    }
    return count;
}

static void open_warp(struct warp *w)
{
    w->cluster_passed |= w->cluster_arrived;
    w->cluster_arrived = 0;
    if (w->state == WARP_AT_CLUSTER) {
        w->state = WARP_READY;
    }
}

static void open_if_complete(struct cluster *c)
{
    if (c->arrived == 0 || c->arrived < living_threads(c)) {
        return;
    }
    c->arrived = 0;
    if (c->blocks[0]->observers != NULL) {
        OBSERVE(c->blocks[0]->observers, cluster_open, c);
    }
    for (unsigned i = 0; i < c->size; i++) {
        for (unsigned k = 0; k < c->blocks[i]->warp_count; k++) {
            open_warp(&c->blocks[i]->warps[k]);
        }
    }
}

bool cluster_arrive(struct warp *w)
{
    if (w->active & (w->cluster_arrived | w->cluster_passed)) {
        return false;
    }
    w->cluster_arrived |= w->active;
    w->block->cluster->arrived += lanes_in(w->active);
    open_if_complete(w->block->cluster);
    return true;
}

void cluster_exit(struct warp *w, lane_mask leaving)
{
    struct cluster *c = w->block->cluster;
    c->arrived -= lanes_in(leaving & w->cluster_arrived);
    w->cluster_arrived &= ~leaving;
    open_if_complete(c);
}

bool cluster_is_alive(const struct cluster *c)
{
    for (unsigned i = 0; i < c->size; i++) {
        for (unsigned k = 0; k < c->blocks[i]->warp_count; k++) {
            if (c->blocks[i]->warps[k].state == WARP_READY) {
                return true;
            }
        }
    }
    return false;
}

/* --- an mbarrier whose phase does not end ----------------------------------------------------- */

/* " (array full)", or "". */
static void describe_array(const struct block *b, uint64_t offset, char *text, size_t size)
{
    const struct shared_variable *v = observer_shared_variable(b->kernel, offset);
    char name[100];
    text[0] = '\0';
    if (v != NULL) {
        demangle_last_name(v->name, name, sizeof name);
        snprintf(text, size, " (array %s)", name);
    }
}

void cluster_describe_phase(const struct block *b, uint64_t offset, char *text, size_t size)
{
    char array[120];
    uint64_t word;
    text[0] = '\0';
    if (offset + sizeof word > b->shared_bytes) {
        return;
    }
    memcpy(&word, b->shared + offset, sizeof word);
    if (word == MBARRIER_NONE) {
        return;
    }
    const struct mbarrier m = mbarrier_of(word);
    describe_array(b, offset, array, sizeof array);
    snprintf(
        text, size,
        "the mbarrier at offset %llu of shared memory%s: its phase lacks %u of %u arrivals and "
        "%d bytes of copies",
        (unsigned long long)offset, array, m.pending, m.expected, m.bytes);
}

void cluster_report_phase(struct warp *w)
{
    char text[300];
    cluster_describe_phase(w->block, w->awaits - 1, text, sizeof text);
    fault(w, w->awaiting, first_lane(w->live), SIMT_TIMEOUT,
          "a wait that never ends, for %s; no thread that could provide them goes on", text);
}
