/* exec_cluster.c - the barrier of a cluster, and addresses of its blocks' shared memory. */
#include "exec/exec.h"
#include "exec/exec_types.h"
#include "machine/cluster.h"

/* --- barrier.cluster -------------------------------------------------------------------------- */

/* .aligned: all lanes of the warp come together. */
static bool has_all(const struct warp *w, const struct insn *in)
{
    return w->active == w->live || !(in->flags & INSN_BLOCK_BARRIER);
}

HANDLER(cluster_arrive)
{
    if (!has_all(w, in)) {
        return warp_block_split(w, in, FULL_MASK);
    }
    if (!cluster_arrive(w)) {
        return fault(w, in, first_lane(w->active), SIMT_BARRIER,
                     "barrier.cluster.arrive a second time without barrier.cluster.wait between: "
                     "each arrival needs its wait");
    }
    w->sites[in->site].a++;
    return in + 1;
}

HANDLER(cluster_wait)
{
    if (!has_all(w, in)) {
        return warp_block_split(w, in, FULL_MASK);
    }
    const lane_mask never = w->active & ~(w->cluster_arrived | w->cluster_passed);
    if (never != 0) {
        return fault(w, in, first_lane(never), SIMT_BARRIER,
                     "barrier.cluster.wait without barrier.cluster.arrive before it");
    }
    if ((w->active & ~w->cluster_passed) == 0) {
        w->cluster_passed &= ~w->active;
        return in + 1;
    }
    if (w->active != w->live) {
        return warp_wait(w, in);
    }
    w->state = WARP_AT_CLUSTER;
    w->resume = in;
    return NULL;
}

/* --- addresses -------------------------------------------------------------------------------- */

/* What stands above the offset: of a rank that the cluster lacks a number that names no block.
 * Compilers map an address ahead of the condition under which it is used, so an access alone is
 * checked. */
static u32 number_of(u32 rank) { return rank < MOST_CLUSTER_BLOCKS ? rank + 1 : NO_BLOCK; }

#define MAPA(bits)                                                                                 \
    HANDLER(mapa_##bits)                                                                           \
    {                                                                                              \
        u##bits *d = warp_ref(w, in->d);                                                           \
        const u##bits *a = warp_ref(w, in->a);                                                     \
        const u32 *rank = warp_ref(w, in->b);                                                      \
        const u##bits others = (u##bits) ~(u64)0xffffff000000;                                     \
        WRITE_LANES(u##bits, d, (a[i] & others) | (u##bits)number_of(rank[i]) << CLUSTER_SHIFT);   \
        return in + 1;                                                                             \
    }                                                                                              \
    HANDLER(getctarank_##bits)                                                                     \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        const u##bits *a = warp_ref(w, in->a);                                                     \
        const u32 own = w->block->rank;                                                            \
        WRITE_LANES(u32, d,                                                                        \
                    (a[i] >> CLUSTER_SHIFT & 0xff) == 0                                            \
                        ? own                                                                      \
                        : (u32)((a[i] >> CLUSTER_SHIFT & 0xff) - 1));                              \
        return in + 1;                                                                             \
    }
MAPA(32)
MAPA(64)

const struct handler exec_cluster_table[] = {WORK_ROW(cluster_arrive),
                                             WORK_ROW(cluster_wait),
                                             WORK_ROW(mapa_32),
                                             WORK_ROW(mapa_64),
                                             WORK_ROW(getctarank_32),
                                             WORK_ROW(getctarank_64),
                                             {0}};
