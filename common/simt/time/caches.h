/* caches.h - where the accesses of a launch hit: L1, L2 or memory, by sampling.
 *
 * L1: what two SMs' blocks of two waves request is kept and afterwards replayed through a cache of
 * the size that the launch leaves beside its shared memory, warps of resident blocks in turn. L2:
 * one line of 32 (by a hash of its number) of every access goes through a cache of a 32nd of the
 * L2, in the order in which blocks are started. Both keep the lines that were used last. */
#ifndef SIMT_CACHES_H
#define SIMT_CACHES_H

#include "common/gpu/gpu_rates.h"
#include "machine/observer.h"

/* What the accesses of one code index met. Shares are NaN where nothing was sampled. */
struct pc_hits {
    double l1_miss; /* of load requests: those with a sector that L1 had not */
    double l1_wait; /* of load requests: those that waited for the L2, also for others' misses */
    double l2_miss; /* of lines that were asked for: those that came from memory */
    double l2_wait; /* of lines that were asked for: those that were waited for */
    double lines;   /* 128-byte lines a request */
};

struct cache_result {
    double l1_load_sectors, l1_load_hits; /* of the sample */
    double dram_read_ratio;  /* times that a sector which was read came from memory: 1 is once */
    double dram_write_bytes; /* evicted while the launch ran */
    double partial_bytes;    /* read because a sector was written in part */
    double hottest_turns;    /* of atomics in the 512 bytes that had most, */
    double fullest_turns;    /* and in the unit of the L2 that had most */
};

struct caches;

struct caches *caches_open(const struct gpu_limits *limits);
void caches_close(struct caches *c);

/* carried: per code index, see carried.h; until the launch has ended. resident: blocks of an SM;
 * l1_bytes: of its L1. */
void caches_begin(struct caches *c, const struct launch_event *launch, const bool *carried,
                  unsigned resident, uint64_t l1_bytes);
void caches_block_begin(struct caches *c, const struct block *b);
void caches_block_end(struct caches *c, const struct block *b);
/* Which of these lines (no more than 32) the L2 sees, as a mask. */
uint32_t caches_sampled(const uint64_t *lines, unsigned count);
/* A request of so many lines was made. */
void caches_request(struct caches *c, const struct warp *w, uint32_t pc, unsigned lines);
/* So many were made, which warp.untold counts already. */
void caches_repeats(struct caches *c, unsigned worker, uint32_t pc, unsigned lines, uint64_t count);
/* Of the block's loads, are those wanted, too, by which the L2 sees no line? */
bool caches_want_all(struct caches *c, const struct block *b);
/* Must caches_access() hear of a request, by which the L2 sees these of its lines? */
bool caches_wants(struct caches *c, const struct warp *w, const struct access_event *a,
                  uint32_t sampled);
struct cache_lines {
    const uint64_t *moved; /* line numbers that are the same in every run of a program */
    const uint8_t *masks;
    unsigned count;
    uint32_t sampled;
    uint64_t first; /* their numbers by address: first + apart[] */
    const uint64_t *apart;
};
void caches_access(struct caches *c, const struct warp *w, const struct access_event *a,
                   const struct cache_lines *l);
/* The bulk engine reads or writes these bytes: the L2 hears of it, L1 does not. moved: the lines
 * from address / 128 on, at most 32, as above. */
void caches_bulk(struct caches *c, const struct warp *w, uint32_t pc, uint64_t address,
                 uint64_t bytes, bool writes, const uint64_t *moved, const uint8_t *masks);
void caches_end(struct caches *c, struct cache_result *result);
struct pc_hits caches_hits(const struct caches *c, uint32_t pc);

#endif
