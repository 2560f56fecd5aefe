/* exec_tensormap.c - tensormap.replace, tensormap.cp_fenceproxy, and where the bytes of a tensor
 * map lie (base/tensor_map.h). */
#include "exec/exec_bulk.h"
#include "exec/exec_types.h"

#include "base/tensor_map.h"

#include <string.h>

/* Through clang, which has no __grid_constant__, a parameter is a copy in local memory. */
void *exec_tensor_map_at(const struct warp *w, unsigned lane, u64 address, bool in_shared)
{
    const struct block *b = w->block;
    const u64 window = in_shared ? WINDOW_SHARED : WINDOW_OF(address);
    const u64 offset = address & (WINDOW_BASE(1) - 1);
    const u64 bytes = sizeof(struct tensor_map);
    if (window == WINDOW_PARAM) {
        const u64 size = b->kernel->param_bytes;
        return offset <= size && size - offset >= bytes ? (uint8_t *)(uintptr_t)b->params + offset
                                                        : NULL;
    }
    if (window == WINDOW_SHARED) {
        return offset + bytes <= b->shared_bytes ? b->shared + offset : NULL;
    }
    if (window == WINDOW_LOCAL && b->kernel->module->copies_params) {
        return offset + bytes <= b->local_stride ? warp_local(w, lane) + offset : NULL;
    }
    return memory_host(b->memory, address, bytes);
}

/* a: the map (INSN_CLUSTER: in shared memory), b: the new value, c: the dimension. */
static struct tensor_map *changed(struct warp *w, const struct insn *in, unsigned lane)
{
    struct tensor_map *m =
        exec_tensor_map_at(w, lane, bulk_operand(w, in->a, lane), (in->flags & INSN_CLUSTER) != 0);
    if (m == NULL || m->magic != TENSOR_MAGIC) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS, "there is no tensor map at 0x%llx",
              (unsigned long long)bulk_operand(w, in->a, lane));
        return NULL;
    }
    return m;
}

#define REPLACE(name, R, statement)                                                                \
    HANDLER(tensormap_##name)                                                                      \
    {                                                                                              \
        for (lane_mask left = w->active; left != 0; left &= left - 1) {                            \
            const unsigned lane = first_lane(left);                                                \
            struct tensor_map *m = changed(w, in, lane);                                           \
            const u32 at = ((const u32 *)warp_ref(w, in->c))[lane] % TENSOR_MOST_RANK;             \
            const R value = ((const R *)warp_ref(w, in->b))[lane];                                 \
            if (m == NULL) {                                                                       \
                return NULL;                                                                       \
            }                                                                                      \
            (void)at;                                                                              \
            statement;                                                                             \
        }                                                                                          \
        return in + 1;                                                                             \
    }
REPLACE(global_address, u64, m->address = value)
REPLACE(rank, u32, m->rank = (uint8_t)(value + 1))
REPLACE(box_dim, u32, m->box[at] = (uint16_t)value)
REPLACE(global_dim, u32, m->last[at] = value - 1)
REPLACE(global_stride, u64, if (at + 1 < TENSOR_MOST_RANK) m->stride[at] = value)
REPLACE(element_stride, u32, m->step[at] = (uint8_t)value)
REPLACE(elemtype, u32, m->type = (uint8_t)value)
REPLACE(interleave_layout, u32, m->interleave = (uint8_t)value)
REPLACE(swizzle_mode, u32, m->swizzle = (uint8_t)value)
REPLACE(fill_mode, u32, m->fills_nan = (uint8_t)value)

/* The warp copies a map from shared to global memory. */
HANDLER(tensormap_copy)
{
    const unsigned lane = first_lane(w->active);
    const u64 from = bulk_operand(w, in->b, lane), to = bulk_operand(w, in->a, lane);
    const void *map = exec_tensor_map_at(w, lane, from, true);
    uint8_t *at =
        map != NULL ? bulk_global(w, in, lane, to, sizeof(struct tensor_map), true) : NULL;
    if (map == NULL) {
        return fault(w, in, lane, SIMT_ILLEGAL_ADDRESS, "there is no tensor map at 0x%llx",
                     (unsigned long long)from);
    }
    if (at != NULL) {
        memcpy(at, map, sizeof(struct tensor_map));
    }
    return at != NULL ? in + 1 : NULL;
}

const struct handler exec_tensormap_table[] = {
    WORK_ROW(tensormap_global_address), WORK_ROW(tensormap_rank),
    WORK_ROW(tensormap_box_dim),        WORK_ROW(tensormap_global_dim),
    WORK_ROW(tensormap_global_stride),  WORK_ROW(tensormap_element_stride),
    WORK_ROW(tensormap_elemtype),       WORK_ROW(tensormap_interleave_layout),
    WORK_ROW(tensormap_swizzle_mode),   WORK_ROW(tensormap_fill_mode),
    WORK_ROW(tensormap_copy),           {0}};
