/* exec_tensor.c - cp.async.bulk.tensor: boxes of arrays that a tensor map describes
 * (base/tensor_map.h).
 *
 * A box is copied row by row, dimension 0 being the row; in shared memory the rows follow each
 * other, and the swizzle exchanges 16-byte pieces by the bits of their address. Elements outside of
 * the array are zero, or the special NaN, and are not stored. By im2col a row holds the channels of
 * a pixel; the next pixel is the next one of the map's bounding box, of whatever line, plane or
 * image (an H200 agrees in 397 of 397 random copies that begin in it). PTX ISA, "Tensors". */
#include "exec/exec_atomic.h"
#include "exec/exec_bulk.h"
#include "exec/exec_mbarrier.h"
#include "exec/exec_types.h"
#include "exec/exec_values.h"
#include "machine/cluster.h"

#include "base/tensor_map.h"
#include "common/gpu/access.h"

#include <string.h>

enum { SHARED_UNIT = 128, PIECE = 16, MOST_ROW = 256 * 8 };

static bool read_map(struct warp *w, const struct insn *in, unsigned lane, u64 address,
                     struct tensor_map *m)
{
    const void *at = exec_tensor_map_at(w, lane, address, false);
    if (at == NULL || address % 64 != 0) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "a tensor map at 0x%llx: it must lie in global, constant or parameter memory, at a "
              "multiple of 64",
              (unsigned long long)address);
        return false;
    }
    memcpy(m, at, sizeof *m);
    if (m->magic != TENSOR_MAGIC) {
        fault(
            w, in, lane, SIMT_ILLEGAL_INSTRUCTION,
            "a tensor map at 0x%llx that cuTensorMapEncodeTiled has not made: a kernel takes it as "
            "const __grid_constant__ CUtensorMap",
            (unsigned long long)address);
        return false;
    }
    return true;
}

/* --- a box ------------------------------------------------------------------------------------ */

struct box {
    struct tensor_map map;
    s32 corner[TENSOR_MOST_RANK];
    u16 offset[TENSOR_MOST_RANK];     /* im2col: from a pixel to the element that is moved for it */
    unsigned count[TENSOR_MOST_RANK]; /* elements that are moved */
    unsigned size;                    /* of an element */
    u32 bytes;                        /* of all of them */
    u32 pitch, extent; /* in shared memory: from one row to the next; of the whole box */
};

HANDLER(tensor_load_im2col);

static bool is_im2col(const struct insn *in) { return in->handler == exec_tensor_load_im2col; }

/* A map that the instruction can have. */
static bool read_map_of(struct warp *w, const struct insn *in, unsigned lane, struct tensor_map *m)
{
    const bool by_pixels = is_im2col(in);
    if (!read_map(w, in, lane, bulk_operand(w, in->b, lane), m)) {
        return false;
    }
    if (m->rank != in->elements) {
        fault(w, in, lane, SIMT_ILLEGAL_INSTRUCTION,
              "a tensor map of %u dimensions for an instruction of %u", m->rank, in->elements);
        return false;
    }
    if (m->by_pixels != by_pixels) {
        fault(w, in, lane, SIMT_ILLEGAL_INSTRUCTION,
              "a tensor map of cuTensorMapEncode%s for an instruction %s",
              by_pixels ? "Tiled" : "Im2col", by_pixels ? "with .im2col" : "with .tile");
        return false;
    }
    return true;
}

/* By im2col, the first pixel lies in the bounding box: an H200 ended all of 20 copies that began
 * outside with an illegal instruction. The image may be any; the pixels of one that the array does
 * not have are filled. */
static bool begins_in_box(struct warp *w, const struct insn *in, unsigned lane, const struct box *x)
{
    const struct tensor_map *m = &x->map;
    for (unsigned i = 1; i + 1 < m->rank; i++) {
        const s64 last = (s64)m->last[i] + m->upper[i - 1];
        if (x->corner[i] < m->lower[i - 1] || x->corner[i] > last) {
            fault(w, in, lane, SIMT_ILLEGAL_INSTRUCTION,
                  "a copy of pixels that begins at %d in dimension %u: the bounding box of the "
                  "tensor map has %d to %lld",
                  x->corner[i], i, m->lower[i - 1], (long long)last);
            return false;
        }
    }
    return true;
}

static bool read_box(struct warp *w, const struct insn *in, unsigned lane, struct box *x)
{
    const s32 *corner = warp_ref(w, in->c);
    if (!read_map_of(w, in, lane, &x->map)) {
        return false;
    }
    const unsigned offsets = x->map.by_pixels ? x->map.rank - 2u : 0;
    x->size = tensor_bytes(x->map.type);
    x->bytes = x->size;
    for (unsigned i = 0; i < TENSOR_MOST_RANK; i++) {
        const bool there = i < x->map.rank;
        const unsigned step = there ? x->map.step[i] : 1;
        x->corner[i] = there ? corner[i * WARP_LANES + lane] : 0;
        x->count[i] = there ? (x->map.box[i] + step - 1) / step : 1;
        x->bytes *= x->count[i];
        x->offset[i] = 0;
    }
    for (unsigned i = 0; i < offsets; i++) { /* behind the coordinates */
        x->offset[i + 1] = (u16)corner[(x->map.rank + i) * WARP_LANES + lane];
    }
    if (x->map.by_pixels) {
        x->bytes *= x->map.pixels;
        if (!begins_in_box(w, in, lane, x)) {
            return false;
        }
    }
    if (x->corner[0] * (s64)x->size % PIECE != 0) {
        fault(w, in, lane, SIMT_ILLEGAL_INSTRUCTION,
              "a box that begins at element %d of a row: dimension 0 begins at multiples of 16 "
              "bytes, "
              "%u elements",
              x->corner[0], PIECE / x->size);
        return false;
    }
    const u32 row = x->count[0] * x->size;
    x->pitch = x->map.swizzle != TENSOR_SWIZZLE_NONE ? (u32)PIECE << x->map.swizzle : row;
    x->extent = x->bytes / row * x->pitch;
    return true;
}

/* Where the piece at that address of shared memory goes to. */
static u64 swizzled(const struct tensor_map *m, u64 address)
{
    static const u64 masks[TENSOR_SWIZZLES] = {0, 0x10, 0x30, 0x70};
    return address ^ (address >> 3 & masks[m->swizzle]);
}

/* One row of the box: its first element's address in the array, and which of its elements lie
 * inside. */
struct row {
    u64 address;
    unsigned begin, end; /* elements; none: begin == end */
    bool inside;         /* by all other dimensions */
};

/* Where a walk over the rows is: the coordinates of the row, and how many went before it, in each
 * dimension; by im2col in all, as index[1]. */
struct walk {
    s64 at[TENSOR_MOST_RANK];
    unsigned index[TENSOR_MOST_RANK];
};

static struct walk first_row(const struct box *x)
{
    struct walk k = {.index = {0}};
    for (unsigned i = 0; i < TENSOR_MOST_RANK; i++) {
        k.at[i] = x->corner[i];
    }
    return k;
}

static struct row find_row(const struct box *x, const struct walk *k, bool stores)
{
    const struct tensor_map *m = &x->map;
    struct row r = {.address = m->address};
    bool inside = true;
    s64 length = (s64)m->last[0] + 1;
    if (stores) { /* whole pieces of 16 bytes, the last one beyond the array if need be */
        length = (s64)align_up((u64)length * x->size, PIECE) / (s64)x->size;
    }
    for (unsigned i = 1; i < m->rank; i++) {
        const s64 at = k->at[i] + x->offset[i];
        inside &= at >= 0 && at <= (s64)m->last[i];
        r.address += (u64)at * m->stride[i - 1];
    }
    const s64 first = x->corner[0], room = length - first;
    const s64 begin = first < 0 ? -first : 0, most = x->count[0];
    const s64 end = room < most ? room : most;
    r.address += (u64)first * x->size;
    r.begin = (unsigned)(begin < most ? begin : most);
    r.end = inside && end > (s64)r.begin ? (unsigned)end : r.begin;
    r.inside = inside;
    return r;
}

/* The next pixel: of the line, else the first one of the next line, plane or image. */
static bool next_pixel(const struct box *x, struct walk *k)
{
    const struct tensor_map *m = &x->map;
    if (++k->index[1] == m->pixels) {
        return false;
    }
    for (unsigned i = 1; i + 1 < m->rank; i++) {
        k->at[i] += m->step[i];
        if (k->at[i] <= (s64)m->last[i] + m->upper[i - 1]) {
            return true;
        }
        k->at[i] = m->lower[i - 1];
    }
    k->at[m->rank - 1]++;
    return true;
}

/* To the next row; false behind the last one. */
static bool next_row(const struct box *x, struct walk *k)
{
    if (x->map.by_pixels) {
        return next_pixel(x, k);
    }
    for (unsigned i = 1; i < x->map.rank; i++) {
        k->at[i] += x->map.step[i];
        if (++k->index[i] < x->count[i]) {
            return true;
        }
        k->index[i] = 0;
        k->at[i] = x->corner[i];
    }
    return false;
}

/* The sectors that a row costs; in a load, one outside of the array costs as if it lay at its
 * beginning. */
static unsigned row_sectors(const struct box *x, const struct row *r, u64 shared, bool stores)
{
    const u32 bytes = x->count[0] * x->size;
    const u64 begin = r->address + (u64)r->begin * x->size;
    if (stores) {
        return access_bulk_sectors(begin, shared + r->begin * x->size,
                                   (r->end - r->begin) * x->size);
    }
    return access_bulk_sectors(r->inside ? r->address : 0, shared, bytes);
}

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
static void convert(const struct tensor_map *m, uint8_t *row, unsigned begin, unsigned end)
{
    const bool rounds = m->type == TENSOR_TF32 || m->type == TENSOR_TF32_FTZ;
    u32 *words = (u32 *)(void *)row;
    for (unsigned i = begin; i < end && rounds; i++) {
        words[i] = round_tf32(words[i]);
    }
}

/* Zeros, or the NaN that an H200 puts there for every type: 0x7ff7 again and again. */
static void fill(const struct box *x, uint8_t *row, unsigned count)
{
    static const u16 nan = 0x7ff7;
    memset(row, 0, count * x->size);
    for (unsigned i = 0; i < count * x->size / sizeof nan && x->map.fills_nan; i++) {
        memcpy(row + i * sizeof nan, &nan, sizeof nan);
    }
}

/* --- loads ------------------------------------------------------------------------------------ */

static bool load_row(struct warp *w, const struct insn *in, unsigned lane, const struct box *x,
                     const struct walk *at, uint8_t *bytes, u64 shared, unsigned copies)
{
    const struct row r = find_row(x, at, false);
    w->sites[in->site].b += (u64)copies * row_sectors(x, &r, shared, false);
    fill(x, bytes, x->count[0]);
    if (r.begin == r.end) {
        return true;
    }
    const uint8_t *from = bulk_global(w, in, lane, r.address + (u64)r.begin * x->size,
                                      (u64)(r.end - r.begin) * x->size, false);
    if (from == NULL) {
        return false;
    }
    memcpy(bytes + r.begin * x->size, from, (size_t)(r.end - r.begin) * x->size);
    convert(&x->map, bytes, r.begin, r.end);
    return true;
}

/* Bytes between a row in registers' order and shared memory, whose address decides the swizzle. */
static void put_row(const struct box *x, uint8_t *memory, u64 address, const uint8_t *row)
{
    const u32 bytes = x->count[0] * x->size;
    for (u32 i = 0; i < bytes; i += PIECE) {
        const u64 to = swizzled(&x->map, address + i);
        memcpy(memory + (s64)(to - address), row + i, PIECE);
    }
}

static void get_row(const struct box *x, const uint8_t *memory, u64 address, uint8_t *row)
{
    const u32 bytes = x->count[0] * x->size;
    for (u32 i = 0; i < bytes; i += PIECE) {
        const u64 from = swizzled(&x->map, address + i);
        memcpy(row + i, memory + (s64)(from - address), PIECE);
    }
}

static bool load_box(struct warp *w, const struct insn *in, unsigned lane, const struct box *x,
                     uint8_t *const *to, const struct bulk_target *targets, unsigned count)
{
    struct walk at = first_row(x);
    alignas(16) uint8_t row[MOST_ROW];
    u32 offset = 0;
    do {
        const u64 shared = CLUSTER_OFFSET(targets[0].to) + offset;
        if (!load_row(w, in, lane, x, &at, row, shared, count)) {
            return false;
        }
        for (unsigned i = 0; i < count; i++) {
            put_row(x, to[i] + offset, CLUSTER_OFFSET(targets[i].to) + offset, row);
        }
        offset += x->pitch;
    } while (next_row(x, &at));
    return true;
}

static bool load(struct warp *w, const struct insn *in, unsigned lane)
{
    struct bulk_target targets[MOST_CLUSTER_BLOCKS];
    uint8_t *to[MOST_CLUSTER_BLOCKS];
    struct box x;
    if (!read_box(w, in, lane, &x)) {
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
    const struct row r = find_row(x, at, true);
    w->sites[in->site].b += row_sectors(x, &r, shared, true);
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
    for (unsigned i = r.begin; i < r.end; i++) {
        update(to + (u64)(i - r.begin) * x->size, row + i * x->size, PTX_SHARED);
    }
    return true;
}

/* updates: by element type; NULL: a plain store. */
static bool store(struct warp *w, const struct insn *in, unsigned lane, const exec_update *updates)
{
    const u64 address = bulk_operand(w, in->a, lane);
    alignas(16) uint8_t row[MOST_ROW];
    struct box x;
    if (!read_box(w, in, lane, &x)) {
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
    struct walk at = first_row(&x);
    u32 offset = 0;
    do {
        get_row(&x, from + offset, CLUSTER_OFFSET(address) + offset, row);
        if (!store_row(w, in, lane, &x, &at, row, CLUSTER_OFFSET(address) + offset,
                       updates != NULL ? updates[x.map.type] : NULL)) {
            return false;
        }
        offset += x.pitch;
    } while (next_row(&x, &at));
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
    return known && read_box(w, in, lane, &x) ? x.extent : 0;
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
