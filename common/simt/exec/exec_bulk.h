/* exec_bulk.h - what copies by the bulk engine share: where their two ends lie, and which mbarrier
 * is notified. */
#ifndef SIMT_EXEC_BULK_H
#define SIMT_EXEC_BULK_H

#include "exec/exec.h"

#define WINDOW_OF(address) ((address) >> WINDOW_SHIFT)

/* The bytes of global memory, all in one allocation; NULL after a fault. */
uint8_t *bulk_global(struct warp *w, const struct insn *in, unsigned lane, uint64_t address,
                     uint64_t bytes, bool writes);
/* The bytes of shared memory of a block of the cluster; NULL after a fault. */
uint8_t *bulk_shared(struct warp *w, const struct insn *in, unsigned lane, uint64_t address,
                     uint64_t bytes);
/* The address must be a multiple of `unit`, a power of two; false after a fault. */
bool bulk_aligned(struct warp *w, const struct insn *in, unsigned lane, uint64_t address,
                  unsigned unit);

/* The addresses of shared::cluster that a copy to `to` with `mbarrier` goes to: one, or one for
 * each rank of a multicast. */
struct bulk_target {
    uint64_t to, mbarrier;
};
unsigned bulk_targets(struct warp *w, const struct insn *in, unsigned lane,
                      struct bulk_target *targets);

/* The bytes of the tensor map at a generic address, or at one of shared memory; NULL: there are
 * none. */
void *exec_tensor_map_at(const struct warp *w, unsigned lane, uint64_t address, bool in_shared);
/* Is it a copy of a tensor's box, and how many bytes of shared memory does that take? exec_tensor.c
 */
bool exec_is_tensor(const struct insn *in);
uint64_t exec_tensor_extent(struct warp *w, const struct insn *in, unsigned lane);

static inline uint64_t bulk_operand(const struct warp *w, uint32_t ref, unsigned lane)
{
    return ((const uint64_t *)warp_ref(w, ref))[lane];
}

/* The body of a handler: each lane makes a copy of its own, and is counted. call: false after a
 * fault. */
#define EACH_LANE(call)                                                                            \
    for (lane_mask left = w->active; left != 0; left &= left - 1) {                                \
        const unsigned lane = first_lane(left);                                                    \
        w->sites[in->site].a++;                                                                    \
        if (!(call)) {                                                                             \
            return NULL;                                                                           \
        }                                                                                          \
    }                                                                                              \
    return in + 1

#endif
