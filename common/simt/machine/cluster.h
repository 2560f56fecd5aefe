/* cluster.h - blocks of a grid that run together: they meet at barrier.cluster, and reach each
 * other's shared memory. Without a cluster's dimensions each block is a cluster by itself.
 *
 * A cluster's blocks run on one worker, in turns, so nothing here is locked. The context of its
 * first block holds it. */
#ifndef SIMT_CLUSTER_H
#define SIMT_CLUSTER_H

#include "machine/warp.h"

/* The addresses of shared::cluster: those of the own block are as in shared::cta; any block's carry
 * its rank + 1 above the offset. Generic ones carry the same below their window's number. */
enum { CLUSTER_SHIFT = 24 };
#define CLUSTER_OFFSET(address) ((address) & (((uint64_t)1 << CLUSTER_SHIFT) - 1))

/* NO_BLOCK: stands for the number of a block that no cluster has. */
enum { MOST_CLUSTER_BLOCKS = 16, NO_BLOCK = 0xff };

struct cluster {
    struct block *blocks[MOST_CLUSTER_BLOCKS]; /* by rank */
    unsigned size;
    unsigned running; /* blocks that have not ended */
    struct simt_dim dims;
    bool is_explicit; /* the launch, or the kernel, asks for one */
    unsigned arrived; /* threads at barrier.cluster that live */
};

/* A cluster of so many blocks, none of which has been started. */
void cluster_begin(struct cluster *c, const struct simt_launch *launch);
/* The block takes its place, by its index in the grid. */
void cluster_join(struct cluster *c, struct block *b);
/* A block has ended. */
void cluster_leave(struct block *b);

/* The running lanes arrive at barrier.cluster; false: one of them has done so already. */
bool cluster_arrive(struct warp *w);
/* Lanes of the warp are about to exit: nobody waits for them any more. */
void cluster_exit(struct warp *w, lane_mask leaving);

/* Can a warp of the cluster go on? */
bool cluster_is_alive(const struct cluster *c);
/* A fault: the phase of the mbarrier that the warp waits for does not end. Says what is missing. */
void cluster_report_phase(struct warp *w);
/* What the phase of the mbarrier at that offset of shared memory lacks; "" where there is none. */
void cluster_describe_phase(const struct block *b, uint64_t offset, char *text, size_t size);

/* The block that an address of shared::cluster names: of that cluster, or NULL. */
static inline struct block *cluster_block(const struct block *own, uint64_t address)
{
    const uint64_t rank = address >> CLUSTER_SHIFT;
    return rank == 0                    ? (struct block *)(uintptr_t)own
           : rank <= own->cluster->size ? own->cluster->blocks[rank - 1]
                                        : NULL;
}

#endif
