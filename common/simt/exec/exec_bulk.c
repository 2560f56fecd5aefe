/* exec_bulk.c - cp.async.bulk and cp.reduce.async.bulk: see decode_bulk.c for their operands.
 *
 * A copy is made at once, and its mbarrier hears of the bytes at once: a program that waits as it
 * must cannot tell. What one that does not would see is for SIMT_CHECK=races. */
#include "exec/exec_bulk.h"
#include "exec/exec_address.h"
#include "exec/exec_atomic.h"
#include "exec/exec_mbarrier.h"
#include "exec/exec_types.h"
#include "machine/cluster.h"
#include "machine/observer.h"

#include "common/gpu/access.h"

#include <string.h>

enum { BULK_UNIT = 16 }; /* bytes: PTX ISA, "cp.async.bulk" */

/* --- the two ends of a copy ------------------------------------------------------------------- */

bool bulk_aligned(struct warp *w, const struct insn *in, unsigned lane, u64 address, unsigned unit)
{
    if (address % unit != 0) {
        fault(w, in, lane, SIMT_MISALIGNED,
              "a bulk copy at 0x%llx is misaligned: the address must be a multiple of %u",
              (unsigned long long)address, unit);
    }
    return address % unit == 0;
}

uint8_t *bulk_global(struct warp *w, const struct insn *in, unsigned lane, u64 address, u64 bytes,
                     bool writes)
{
    const struct allocation *a = memory_find(w->block->memory, address);
    if (a == NULL || a->begin + a->bytes - address < bytes) {
        fault_address(w, in, lane,
                      writes ? "bulk copy to global memory" : "bulk copy from global memory",
                      address, (unsigned)bytes);
        return NULL;
    }
    if (writes && a->kind == MEMORY_CONSTANT) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "a bulk copy to 0x%llx would write to constant memory (%s), which kernels only read",
              (unsigned long long)address, a->name);
        return NULL;
    }
    if (w->block->observers != NULL) {
        const uint32_t pc = (uint32_t)(in - w->block->kernel->code);
        OBSERVE(w->block->observers, bulk_row, w, pc, address, bytes, writes);
    }
    return (uint8_t *)(uintptr_t)(address + (u64)a->delta);
}

uint8_t *bulk_shared(struct warp *w, const struct insn *in, unsigned lane, u64 address, u64 bytes)
{
    const u64 window = WINDOW_OF(address);
    if (window != 0 && window != WINDOW_SHARED) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "a bulk copy at 0x%llx: this end of it must lie in shared memory",
              (unsigned long long)address);
        return NULL;
    }
    return exec_reach_cluster(w, in, lane, address & (WINDOW_BASE(1) - 1), (unsigned)bytes,
                              "bulk copy");
}

unsigned bulk_targets(struct warp *w, const struct insn *in, unsigned lane,
                      struct bulk_target *targets)
{
    const u64 to = bulk_operand(w, in->a, lane);
    const u64 mbarrier = in->e != NO_REF ? bulk_operand(w, in->e, lane) : 0;
    unsigned count = 0;
    if (in->d == NO_REF) {
        targets[0] = (struct bulk_target){to, mbarrier};
        return 1;
    }
    const u32 ranks = ((const u32 *)warp_ref(w, in->d))[lane] & 0xffffu;
    for (unsigned rank = 0; rank < MOST_CLUSTER_BLOCKS; rank++) {
        if (ranks >> rank & 1u) {
            const u64 high = (u64)(rank + 1) << CLUSTER_SHIFT;
            targets[count++] =
                (struct bulk_target){CLUSTER_OFFSET(to) | high, CLUSTER_OFFSET(mbarrier) | high};
        }
    }
    return count;
}

/* --- copies ----------------------------------------------------------------------------------- */

struct bulk {
    u64 a, b;
    u32 bytes;
};

static bool operands(struct warp *w, const struct insn *in, unsigned lane, struct bulk *c)
{
    c->a = bulk_operand(w, in->a, lane);
    c->b = bulk_operand(w, in->b, lane);
    c->bytes = ((const u32 *)warp_ref(w, in->c))[lane];
    if (c->bytes % BULK_UNIT != 0) {
        fault(w, in, lane, SIMT_MISALIGNED,
              "a bulk copy of %u bytes: their number must be a multiple of %d", c->bytes,
              BULK_UNIT);
        return false;
    }
    return bulk_aligned(w, in, lane, c->a, BULK_UNIT) && bulk_aligned(w, in, lane, c->b, BULK_UNIT);
}

/* The bytes at `from` go to all targets, whose mbarriers hear of it. */
static bool deliver(struct warp *w, const struct insn *in, unsigned lane, const uint8_t *from,
                    u32 bytes)
{
    struct bulk_target targets[MOST_CLUSTER_BLOCKS];
    const unsigned count = bulk_targets(w, in, lane, targets);
    for (unsigned i = 0; i < count; i++) {
        uint8_t *to = bulk_shared(w, in, lane, targets[i].to, bytes);
        if (to == NULL) {
            return false;
        }
        memmove(to, from, bytes);
        if (!exec_mbarrier_complete(w, in, lane, targets[i].mbarrier, bytes)) {
            return false;
        }
    }
    return true;
}

static bool load(struct warp *w, const struct insn *in, unsigned lane, const struct bulk *c)
{
    const uint8_t *from = bulk_global(w, in, lane, c->b, c->bytes, false);
    if (from == NULL || !deliver(w, in, lane, from, c->bytes)) {
        return false;
    }
    struct bulk_target targets[MOST_CLUSTER_BLOCKS]; /* each of them pays */
    w->sites[in->site].b +=
        (u64)bulk_targets(w, in, lane, targets) * access_bulk_sectors(c->b, c->a, c->bytes);
    return true;
}

static bool share(struct warp *w, const struct insn *in, unsigned lane, const struct bulk *c)
{
    const uint8_t *from = bulk_shared(w, in, lane, c->b, c->bytes);
    return from != NULL && deliver(w, in, lane, from, c->bytes);
}

static bool store(struct warp *w, const struct insn *in, unsigned lane, const struct bulk *c)
{
    const uint8_t *from = bulk_shared(w, in, lane, c->a, c->bytes);
    uint8_t *to = from != NULL ? bulk_global(w, in, lane, c->b, c->bytes, true) : NULL;
    if (to == NULL) {
        return false;
    }
    memcpy(to, from, c->bytes);
    w->sites[in->site].b += access_bulk_sectors(c->b, c->a, c->bytes);
    return true;
}

/* --- reductions: unlike red.global, they do not flush small floats to zero -------------------- */

static void reduce(uint8_t *to, const uint8_t *from, u32 bytes, exec_update update, unsigned size)
{
    for (u32 i = 0; i < bytes; i += size) {
        update(to + i, from + i, PTX_SHARED);
    }
}

static bool reduce_global(struct warp *w, const struct insn *in, unsigned lane,
                          const struct bulk *c, exec_update update, unsigned size)
{
    const uint8_t *from = bulk_shared(w, in, lane, c->a, c->bytes);
    uint8_t *to = from != NULL ? bulk_global(w, in, lane, c->b, c->bytes, true) : NULL;
    if (to != NULL) {
        reduce(to, from, c->bytes, update, size);
        w->sites[in->site].b += access_bulk_sectors(c->b, c->a, c->bytes);
    }
    return to != NULL;
}

static bool reduce_shared(struct warp *w, const struct insn *in, unsigned lane,
                          const struct bulk *c, exec_update update, unsigned size)
{
    const uint8_t *from = bulk_shared(w, in, lane, c->b, c->bytes);
    uint8_t *to = from != NULL ? bulk_shared(w, in, lane, c->a, c->bytes) : NULL;
    if (to == NULL) {
        return false;
    }
    reduce(to, from, c->bytes, update, size);
    return exec_mbarrier_complete(w, in, lane, bulk_operand(w, in->e, lane), c->bytes);
}

/* --- st.async, red.async: a, c: address, mbarrier; b: elements, a row of registers ------------ */

static bool store_async(struct warp *w, const struct insn *in, unsigned lane)
{
    const unsigned size = in->bytes / in->elements;
    const u64 address = bulk_operand(w, in->a, lane);
    const u64 *row = warp_ref(w, in->b);
    uint8_t *to = bulk_shared(w, in, lane, address, in->bytes);
    if (to == NULL || !bulk_aligned(w, in, lane, address, in->bytes)) {
        return false;
    }
    for (unsigned i = 0; i < in->elements; i++) {
        memcpy(to + i * size, &row[i * WARP_LANES + lane], size);
    }
    return exec_mbarrier_complete(w, in, lane, bulk_operand(w, in->e, lane), in->bytes);
}

static bool reduce_async(struct warp *w, const struct insn *in, unsigned lane, exec_update update,
                         unsigned size)
{
    const u64 address = bulk_operand(w, in->a, lane);
    const u64 *row = warp_ref(w, in->b);
    uint8_t *to = bulk_shared(w, in, lane, address, size);
    if (to == NULL || !bulk_aligned(w, in, lane, address, size)) {
        return false;
    }
    update(to, &row[lane], PTX_SHARED);
    return exec_mbarrier_complete(w, in, lane, bulk_operand(w, in->e, lane), size);
}

/* --- handlers --------------------------------------------------------------------------------- */

/* A copy for each lane. */
#define EACH_COPY(copy)                                                                            \
    struct bulk c;                                                                                 \
    EACH_LANE(operands(w, in, lane, &c) && (copy))

HANDLER(bulk_load) { EACH_COPY(load(w, in, lane, &c)); }

HANDLER(bulk_shared) { EACH_COPY(share(w, in, lane, &c)); }

HANDLER(bulk_store) { EACH_COPY(store(w, in, lane, &c)); }

/* Counted as a store to another block's shared memory. */
HANDLER(st_async)
{
    const u64 *address = warp_ref(w, in->a);
    w->sites[in->site].a++;
    w->sites[in->site].b += access_global_sectors(address, w->active, in->bytes);
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        if (!store_async(w, in, first_lane(left))) {
            return NULL;
        }
    }
    return in + 1;
}

/* commit_group, wait_group: copies are complete when they are made. */
HANDLER(bulk_group)
{
    (void)w;
    return in + 1;
}

#define REDUCTION(name, size)                                                                      \
    HANDLER(bulk_store_##name)                                                                     \
    {                                                                                              \
        EACH_COPY(reduce_global(w, in, lane, &c, exec_update_##name, size));                       \
    }                                                                                              \
    HANDLER(bulk_shared_##name)                                                                    \
    {                                                                                              \
        EACH_COPY(reduce_shared(w, in, lane, &c, exec_update_##name, size));                       \
    }                                                                                              \
    HANDLER(red_async_##name) { EACH_LANE(reduce_async(w, in, lane, exec_update_##name, size)); }
REDUCTION_ROWS(REDUCTION)

#define ROWS_OF(name, size)                                                                        \
    HANDLER_ROW(bulk_store_##name, WORK, BULK, OPCODE),                                            \
        HANDLER_ROW(bulk_shared_##name, WORK, BULK, OPCODE),                                       \
        HANDLER_ROW(red_async_##name, WORK, BULK, OPCODE),
const struct handler exec_bulk_table[] = {
    HANDLER_ROW(bulk_group, WORK, BULK, OPCODE),  HANDLER_ROW(bulk_load, WORK, BULK, OPCODE),
    HANDLER_ROW(bulk_shared, WORK, BULK, OPCODE), HANDLER_ROW(bulk_store, WORK, BULK, OPCODE),
    HANDLER_ROW(st_async, WORK, BULK, OPCODE),    REDUCTION_ROWS(ROWS_OF){0}};
