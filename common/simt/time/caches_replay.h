/* caches_replay.h - the requests of a few SMs' blocks, kept and replayed; for caches.c alone. */
#ifndef SIMT_CACHES_REPLAY_H
#define SIMT_CACHES_REPLAY_H

#include "machine/observer.h"
#include "time/lru.h"

struct block_trace { /* requests: a head, then a word for each line */
    uint64_t *words;
    size_t count, room;
};

struct recording {
    struct block_trace *traces; /* sms * depth of them */
    unsigned sms, depth;        /* how many SMs, and blocks of each */
    unsigned trace_room;
    uint64_t first_round; /* the first sampled block of SM s is s + first_round * sm_count */
    unsigned sm_count;
    uint64_t blocks;
    size_t most_words; /* of a block: beyond it nothing is kept */
    struct lru l1;     /* what recording_replay() works with */
    uint64_t l1_bytes;
    struct running *slots; /* blocks that are resident */
    unsigned slot_room;
};

void recording_begin(struct recording *r, const struct simt_launch *launch, unsigned sm_count,
                     unsigned resident);
void recording_free(struct recording *r);
/* Where the block's requests go; NULL: they are not kept. */
struct block_trace *recording_trace(const struct recording *r, uint64_t block);
void recording_add(const struct recording *r, struct block_trace *t, const struct warp *w,
                   const struct access_event *a, const uint64_t *lines, const uint8_t *masks,
                   unsigned count);

struct replay_pc {
    uint64_t requests, missed; /* of loads */
    uint64_t waited;           /* missed, or for a line that another warp had missed just before */
    uint64_t sectors, hits;
};
/* carried: per code index, see carried.h. pcs: of each code index what its requests met; unseen: as
 * many, for what is not to be counted. */
void recording_replay(struct recording *r, unsigned resident, uint64_t l1_bytes,
                      const bool *carried, struct replay_pc *pcs, struct replay_pc *unseen);

#endif
