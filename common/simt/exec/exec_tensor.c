/* exec_tensor.c - cp.async.bulk.tensor: boxes of arrays that a tensor map describes (exec_box.h),
 * to shared memory and back. Elements outside of the array are zero, or the special NaN, and are
 * not stored. */
#include "exec/exec_atomic.h"
#include "exec/exec_box.h"
#include "exec/exec_bulk.h"
#include "exec/exec_mbarrier.h"
#include "exec/exec_types.h"
#include "machine/cluster.h"

#include <string.h>

enum { SHARED_UNIT = 128 };

HANDLER(tensor_load_im2col);

static bool is_im2col(const struct insn *in) { return in->handler == exec_tensor_load_im2col; }

/* --- values ----------------------------------------------------------------------------------- */

/* The nearest number with the ten bits of fraction that TF32 has, a tie to the even one. */
static u32 round_tf32(u32 bits)
{
    enum { DROPPED = 13 };
    const u32 half = (u32)1 << (DROPPED - 1), odd = bits >> DROPPED & 1;
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return 0x7fffe000u;
    }
    return (bits + half - 1 + odd) >> DROPPED << DROPPED;
}

/* What the copy engine does to elements that it loads; those of FLOAT32_FTZ stay as they are. */
static void convert(const struct tensor_map *m, uint8_t *row, u64 bytes)
{
    const bool rounds = m->type == TENSOR_TF32 || m->type == TENSOR_TF32_FTZ;
    u32 *words = (u32 *)(void *)row;
    for (u64 i = 0; i < bytes / sizeof *words && rounds; i++) {
        words[i] = round_tf32(words[i]);
    }
}

/* Zeros, or the NaN that an H200 puts there for every type: 0x7ff7 again and again. */
static void fill(const struct tensor_map *m, uint8_t *row, u64 bytes)
{
    static const u16 nan = 0x7ff7;
    memset(row, 0, bytes);
    for (u64 i = 0; i < bytes / sizeof nan && m->fills_nan; i++) {
        memcpy(row + i * sizeof nan, &nan, sizeof nan);
    }
}

/* --- loads ------------------------------------------------------------------------------------ */

static bool load_row(struct warp *w, const struct insn *in, unsigned lane, const struct box *x,
                     const struct walk *at, uint8_t *bytes, u64 shared, unsigned copies)
{
    const struct row r = exec_find_row(x, at, false);
    w->sites[in->site].b += (u64)copies * exec_row_sectors(x, at, &r, shared, false);
    const u64 count = (u64)(r.end - r.begin) * x->size;
    fill(&x->map, bytes, (u64)at->length * x->size);
    if (count == 0) {
        return true;
    }
    const uint8_t *from =
        bulk_global(w, in, lane, r.address + (u64)r.begin * x->size, count, false);
    if (from == NULL) {
        return false;
    }
    memcpy(bytes + r.begin * x->size, from, count);
    convert(&x->map, bytes + r.begin * x->size, count);
    return true;
}

/* Bytes between a row in registers' order and shared memory, whose address decides the swizzle. */
static void put_row(const struct box *x, uint8_t *memory, u64 address, const uint8_t *row,
                    u32 bytes)
{
    for (u32 i = 0; i < bytes; i += BOX_PIECE) {
        const u64 to = exec_swizzled(&x->map, address + i);
        memcpy(memory + (s64)(to - address), row + i, BOX_PIECE);
    }
}

static void get_row(const struct box *x, const uint8_t *memory, u64 address, uint8_t *row,
                    u32 bytes)
{
    for (u32 i = 0; i < bytes; i += BOX_PIECE) {
        const u64 from = exec_swizzled(&x->map, address + i);
        memcpy(row + i, memory + (s64)(from - address), BOX_PIECE);
    }
}

static bool load_box(struct warp *w, const struct insn *in, unsigned lane, const struct box *x,
                     uint8_t *const *to, const struct bulk_target *targets, unsigned count)
{
    struct walk at = exec_first_row(x);
    alignas(16) uint8_t row[BOX_MOST_ROW];
    u32 offset = 0;
    do {
        const u64 shared = CLUSTER_OFFSET(targets[0].to) + offset;
        if (!load_row(w, in, lane, x, &at, row, shared, count)) {
            return false;
        }
        for (unsigned i = 0; i < count; i++) {
            put_row(x, to[i] + offset, CLUSTER_OFFSET(targets[i].to) + offset, row,
                    at.length * x->size);
        }
        offset += exec_row_pitch(x, &at);
    } while (exec_next_row(x, &at));
    return true;
}

static bool load(struct warp *w, const struct insn *in, unsigned lane)
{
    struct bulk_target targets[MOST_CLUSTER_BLOCKS];
    uint8_t *to[MOST_CLUSTER_BLOCKS] = {NULL};
    struct box x;
    if (!exec_read_box(w, in, lane, is_im2col(in), &x)) {
        return false;
    }
    const unsigned count = bulk_targets(w, in, lane, targets);
    for (unsigned i = 0; i < count; i++) {
        to[i] = bulk_shared(w, in, lane, targets[i].to, x.extent);
        if (to[i] == NULL || !bulk_aligned(w, in, lane, targets[i].to, SHARED_UNIT)) {
            return false;
        }
    }
    if (!load_box(w, in, lane, &x, to, targets, count)) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!exec_mbarrier_complete(w, in, lane, targets[i].mbarrier, x.bytes)) {
            return false;
        }
    }
    return true;
}

/* --- stores and reductions -------------------------------------------------------------------- */

static bool store_row(struct warp *w, const struct insn *in, unsigned lane, const struct box *x,
                      const struct walk *at, const uint8_t *row, u64 shared, exec_update update)
{
    const struct row r = exec_find_row(x, at, true);
    w->sites[in->site].b += exec_row_sectors(x, at, &r, shared, true);
    const u64 bytes = (u64)(r.end - r.begin) * x->size;
    if (r.begin == r.end) {
        return true;
    }
    uint8_t *to = bulk_global(w, in, lane, r.address + (u64)r.begin * x->size, bytes, true);
    if (to == NULL) {
        return false;
    }
    if (update == NULL) {
        memcpy(to, row + r.begin * x->size, bytes);
        return true;
    }
    for (u64 i = 0; i < bytes; i += tensor_bytes(x->map.type)) {
        update(to + i, row + r.begin * x->size + i, PTX_SHARED);
    }
    return true;
}

/* updates: by element type; NULL: a plain store. */
static bool store(struct warp *w, const struct insn *in, unsigned lane, const exec_update *updates)
{
    const u64 address = bulk_operand(w, in->a, lane);
    alignas(16) uint8_t row[BOX_MOST_ROW];
    struct box x;
    if (!exec_read_box(w, in, lane, is_im2col(in), &x)) {
        return false;
    }
    for (unsigned i = 0; i < x.map.rank; i++) {
        if (x.corner[i] < 0) {
            fault(w, in, lane, SIMT_ILLEGAL_INSTRUCTION,
                  "a store of a box that begins at %d in dimension %u: stores may end behind the "
                  "array, but not begin before it",
                  x.corner[i], i);
            return false;
        }
    }
    if (updates != NULL && updates[x.map.type] == NULL) {
        fault(w, in, lane, SIMT_ILLEGAL_INSTRUCTION,
              "a reduction that the tensor map's type of elements does not have");
        return false;
    }
    const uint8_t *from = bulk_shared(w, in, lane, address, x.extent);
    if (from == NULL || !bulk_aligned(w, in, lane, address, SHARED_UNIT)) {
        return false;
    }
    struct walk at = exec_first_row(&x);
    u32 offset = 0;
    do {
        get_row(&x, from + offset, CLUSTER_OFFSET(address) + offset, row, at.length * x.size);
        if (!store_row(w, in, lane, &x, &at, row, CLUSTER_OFFSET(address) + offset,
                       updates != NULL ? updates[x.map.type] : NULL)) {
            return false;
        }
        offset += exec_row_pitch(&x, &at);
    } while (exec_next_row(&x, &at));
    return true;
}

HANDLER(tensor_load) { EACH_LANE(load(w, in, lane)); }

HANDLER(tensor_load_im2col) { EACH_LANE(load(w, in, lane)); }

HANDLER(tensor_store) { EACH_LANE(store(w, in, lane, NULL)); }

#define U(name) exec_update_##name
static const exec_update adds[TENSOR_TYPES] = {
    [TENSOR_U32] = U(add_u32), [TENSOR_S32] = U(add_u32),   [TENSOR_U64] = U(add_u64),
    [TENSOR_S64] = U(add_u64), [TENSOR_F16] = U(add_f16),   [TENSOR_F32] = U(add_f32),
    [TENSOR_F64] = U(add_f64), [TENSOR_BF16] = U(add_bf16), [TENSOR_F32_FTZ] = U(add_f32)};
static const exec_update mins[TENSOR_TYPES] = {
    [TENSOR_U32] = U(min_u32), [TENSOR_S32] = U(min_s32), [TENSOR_U64] = U(min_u64),
    [TENSOR_S64] = U(min_s64), [TENSOR_F16] = U(min_f16), [TENSOR_BF16] = U(min_bf16)};
static const exec_update maxs[TENSOR_TYPES] = {
    [TENSOR_U32] = U(max_u32), [TENSOR_S32] = U(max_s32), [TENSOR_U64] = U(max_u64),
    [TENSOR_S64] = U(max_s64), [TENSOR_F16] = U(max_f16), [TENSOR_BF16] = U(max_bf16)};
static const exec_update incs[TENSOR_TYPES] = {[TENSOR_U32] = U(inc_u32)};
static const exec_update decs[TENSOR_TYPES] = {[TENSOR_U32] = U(dec_u32)};
#define LOGIC(name)                                                                                \
    {                                                                                              \
        [TENSOR_U32] = U(name##_b32), [TENSOR_S32] = U(name##_b32), [TENSOR_U64] = U(name##_b64),  \
        [TENSOR_S64] = U(name##_b64)                                                               \
    }
static const exec_update ands[TENSOR_TYPES] = LOGIC(and);
static const exec_update ors[TENSOR_TYPES] = LOGIC(or);
static const exec_update xors[TENSOR_TYPES] = LOGIC(xor);

#define TENSOR_REDUCTION(name)                                                                     \
    HANDLER(tensor_store_##name) { EACH_LANE(store(w, in, lane, name##s)); }
TENSOR_REDUCTION(add)
TENSOR_REDUCTION(min)
TENSOR_REDUCTION(max)
TENSOR_REDUCTION(inc)
TENSOR_REDUCTION(dec)
TENSOR_REDUCTION(and)
TENSOR_REDUCTION(or)
TENSOR_REDUCTION(xor)

/* --- for observers -------------------------------------------------------------------------- */

bool exec_is_tensor(const struct insn *in)
{
    const exec_fn run = in->handler;
    return run == exec_tensor_load || run == exec_tensor_load_im2col || run == exec_tensor_store ||
           run == exec_tensor_store_add || run == exec_tensor_store_min ||
           run == exec_tensor_store_max || run == exec_tensor_store_inc ||
           run == exec_tensor_store_dec || run == exec_tensor_store_and ||
           run == exec_tensor_store_or || run == exec_tensor_store_xor;
}

uint64_t exec_tensor_extent(struct warp *w, const struct insn *in, unsigned lane)
{
    struct box x;
    const struct tensor_map *m = exec_tensor_map_at(w, lane, bulk_operand(w, in->b, lane), false);
    const bool known = m != NULL && m->magic == TENSOR_MAGIC && m->rank == in->elements &&
                       m->by_pixels == is_im2col(in);
    return known && exec_read_box(w, in, lane, is_im2col(in), &x) ? x.extent : 0;
}

const struct handler exec_tensor_table[] = {HANDLER_ROW(tensor_load, WORK, BULK, OPCODE),
                                            HANDLER_ROW(tensor_load_im2col, WORK, BULK, OPCODE),
                                            HANDLER_ROW(tensor_store, WORK, BULK, OPCODE),
                                            HANDLER_ROW(tensor_store_add, WORK, BULK, OPCODE),
                                            HANDLER_ROW(tensor_store_min, WORK, BULK, OPCODE),
                                            HANDLER_ROW(tensor_store_max, WORK, BULK, OPCODE),
                                            HANDLER_ROW(tensor_store_inc, WORK, BULK, OPCODE),
                                            HANDLER_ROW(tensor_store_dec, WORK, BULK, OPCODE),
                                            HANDLER_ROW(tensor_store_and, WORK, BULK, OPCODE),
                                            HANDLER_ROW(tensor_store_or, WORK, BULK, OPCODE),
                                            HANDLER_ROW(tensor_store_xor, WORK, BULK, OPCODE),
                                            {0}};
