/* exec_remote.c - shared memory of other blocks of the cluster, by addresses of shared::cluster. */
#include "exec/exec_address.h"
#include "machine/cluster.h"

#include "common/gpu/access.h"

#include <stdio.h>

static void name_ranks(const struct cluster *c, char *text, size_t size)
{
    if (c->size == 1) {
        snprintf(text, size,
                 "this launch has none, and each block has rank 0 of its own: "
                 "__cluster_dims__ or cudaLaunchAttributeClusterDimension makes some");
    } else {
        snprintf(text, size, "its %u blocks have the ranks 0 to %u", c->size, c->size - 1);
    }
}

uint8_t *exec_reach_cluster(struct warp *w, const struct insn *in, unsigned lane, uint64_t address,
                            unsigned bytes, const char *what)
{
    const struct cluster *c = w->block->cluster;
    const struct block *b = cluster_block(w->block, address);
    const uint64_t offset = CLUSTER_OFFSET(address);
    if (b == NULL) {
        char ranks[160];
        name_ranks(c, ranks, sizeof ranks);
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "%s of %u byte%s at 0x%llx of shared::cluster: map_shared_rank (mapa) was given a "
              "rank that the cluster lacks; %s",
              what, bytes, bytes == 1 ? "" : "s", (unsigned long long)address, ranks);
        return NULL;
    }
    if (b->ended) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "%s of %u byte%s at offset %llu in the shared memory of block (%u,%u,%u), rank %u of "
              "the cluster, which has ended: barrier.cluster (cluster.sync()) must keep it alive",
              what, bytes, bytes == 1 ? "" : "s", (unsigned long long)offset, b->index.x,
              b->index.y, b->index.z, b->rank);
        return NULL;
    }
    if (b->shared_bytes < bytes || offset > b->shared_bytes - bytes) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "%s of %u byte%s at offset %llu is out of bounds: the block of rank %u has %u bytes "
              "of shared memory",
              what, bytes, bytes == 1 ? "" : "s", (unsigned long long)offset, b->rank,
              b->shared_bytes);
        return NULL;
    }
    return b->shared + offset;
}

/* Lanes that mean the warp's own block. */
static lane_mask own_lanes(const struct warp *w, const uint64_t *address)
{
    lane_mask own = 0;
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        own |= (lane_mask)(address[lane] >> CLUSTER_SHIFT == w->block->rank + 1) << lane;
    }
    return own;
}

static struct access_shared cost_of(const struct insn *in, enum site_kind kind,
                                    const uint32_t *offset, lane_mask lanes)
{
    if (kind == SITE_SHARED_LOAD) {
        return access_shared_load(offset, lanes, in->bytes);
    }
    if (kind == SITE_SHARED_STORE) {
        return access_shared_store(offset, lanes, in->bytes);
    }
    return in->move == WAY_CAS ? access_shared_cas(offset, lanes, in->bytes)
                               : access_shared_atomic(offset, lanes, in->bytes);
}

/* What they cost in the own shared memory, which an atomic asks if none of them means it. */
static void count_own(struct site *s, const struct insn *in, enum site_kind kind,
                      const uint64_t *address, lane_mask lanes)
{
    const bool atomic = kind == SITE_SHARED_ATOM;
    uint32_t offset[WARP_LANES];
    const bool loop = atomic && in->way >= WAY_LOOP;
    struct access_shared cost = {.wavefronts = in->count_bytes > 1 ? in->count_bytes : 1};
    if (loop && in->count_bytes != 0) {
        cost.wavefronts = 0; /* counted in exec_atomic.c */
    } else if (lanes != 0 && !loop) {
        LANES { offset[i] = (uint32_t)CLUSTER_OFFSET(address[i]); }
        cost = cost_of(in, kind, offset, lanes);
    }
    if (lanes != 0 || atomic) {
        s->a++;
        s->b += cost.wavefronts;
        s->c += cost.conflicts;
    }
}

/* Counted as global memory is, by sectors, but for the lanes that mean the own block. */
static void count_remote(struct warp *w, const struct insn *in, enum site_kind kind,
                         const struct reach *r)
{
    const unsigned generic = in->space == PTX_GENERIC, atomic = kind == SITE_SHARED_ATOM;
    const unsigned loads = in->way == WAY_WORDS ? 2 : in->way >= WAY_LOOP;
    const unsigned behind = (generic ? 3 : 1) + (atomic ? loads : 0);
    struct site *s = &w->sites[in->site + behind], *own = &w->sites[in->site + generic];
    uint64_t address[WARP_LANES];
    if (!(in->flags & INSN_REMOTE)) {
        return;
    }
    LANES { address[i] = r->start + r->relative[i]; }
    const lane_mask near = own_lanes(w, address), far = w->active & ~near;
    s->a++;
    s->b += atomic ? access_global_atomic(address, far, in->bytes).sectors
                   : access_global_sectors(address, far, in->bytes);
    count_own(own, in, kind, address, near);
}

/* All lanes mean the own block, by its rank. */
bool exec_reach_is_own(const struct warp *w, const struct reach *r)
{
    bool own = true;
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const uint64_t address = r->start + r->relative[first_lane(left)];
        own &= address >> CLUSTER_SHIFT == w->block->rank + 1;
    }
    return own;
}

bool exec_reach_remote(struct warp *w, const struct insn *in, enum site_kind kind, const char *what,
                       struct reach *r)
{
    r->host = NULL;
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        const uint64_t address = r->start + r->relative[lane];
        if (address % in->bytes != 0) {
            fault(w, in, lane, SIMT_MISALIGNED,
                  "%s of %u bytes at 0x%llx is misaligned: the address must be a multiple of %u",
                  what, in->bytes, (unsigned long long)address, in->bytes);
            return false;
        }
        r->each[lane] = exec_reach_cluster(w, in, lane, address, in->bytes, what);
        if (r->each[lane] == NULL) {
            return false;
        }
    }
    count_remote(w, in, kind, r);
    return true;
}
