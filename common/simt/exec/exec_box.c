/* exec_box.c - see exec_box.h. */
#include "exec/exec_box.h"
#include "exec/exec_bulk.h"

#include "common/gpu/access.h"

#include <string.h>

/* --- maps ------------------------------------------------------------------------------------- */

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

/* What tensormap.replace may have made of a map. */
static bool makes_sense(const struct tensor_map *m)
{
    bool good = m->rank > 0 && m->rank <= TENSOR_MOST_RANK && m->type < TENSOR_TYPES &&
                m->interleave <= TENSOR_INTERLEAVE_32B && m->swizzle < TENSOR_SWIZZLES &&
                (m->interleave == TENSOR_INTERLEAVE_NONE || m->rank >= 3);
    for (unsigned i = 0; i < TENSOR_MOST_RANK && i < m->rank; i++) {
        good = good && m->box[i] > 0 && m->box[i] <= 256 && m->step[i] > 0;
    }
    return good && m->box[0] * tensor_bytes(m->type) % BOX_PIECE == 0;
}

/* A map that the instruction can have. */
static bool read_map_of(struct warp *w, const struct insn *in, unsigned lane, bool by_pixels,
                        struct tensor_map *m)
{
    if (!read_map(w, in, lane, bulk_operand(w, in->b, lane), m)) {
        return false;
    }
    if (!makes_sense(m)) {
        fault(w, in, lane, SIMT_ILLEGAL_INSTRUCTION,
              "a tensor map that cuTensorMapEncodeTiled would reject: tensormap.replace has made "
              "it so");
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

/* --- a box ------------------------------------------------------------------------------------ */

/* By im2col, the first pixel lies in the bounding box: an H200 ended all of 20 copies that began
 * outside with an illegal instruction. The image may be any; the pixels of one that the array does
 * not have are filled. */
static bool begins_in_box(struct warp *w, const struct insn *in, unsigned lane, const struct box *x)
{
    const struct tensor_map *m = &x->map;
    for (unsigned i = 0; i + 2 < m->rank; i++) {
        const unsigned at = i + x->walked;
        const s64 last = (s64)m->last[at] + m->upper[i];
        if (x->corner[at] < m->lower[i] || x->corner[at] > last) {
            fault(w, in, lane, SIMT_ILLEGAL_INSTRUCTION,
                  "a copy of pixels that begins at %d in dimension %u: the bounding box of the "
                  "tensor map has %d to %lld",
                  x->corner[at], at, m->lower[i], (long long)last);
            return false;
        }
    }
    return true;
}

static bool has_slices(const struct tensor_map *m)
{
    return m->interleave != TENSOR_INTERLEAVE_NONE;
}

/* Every so many-th element of a dimension is moved: of dimension 0 each one, unless it is
 * interleaved. */
static unsigned step_of(const struct tensor_map *m, unsigned dimension)
{
    return dimension > 0 || has_slices(m) ? m->step[dimension] : 1;
}

static unsigned count_of(const struct tensor_map *m, unsigned dimension)
{
    const bool is_slice = has_slices(m) && dimension + 2 == m->rank;
    const unsigned step = step_of(m, dimension);
    if (dimension >= m->rank || is_slice || (m->by_pixels && (dimension > 0 || has_slices(m)))) {
        return 1;
    }
    return (m->box[dimension] + step - 1) / step;
}

/* What the map alone says of elements and rows. */
static void measure(struct box *x)
{
    const struct tensor_map *m = &x->map;
    x->size = has_slices(m) ? (unsigned)BOX_PIECE << (m->interleave - 1) : tensor_bytes(m->type);
    x->walked = has_slices(m) && (m->by_pixels || m->step[0] > 1) ? 0 : 1;
    x->bytes = x->size * (m->by_pixels ? m->pixels : 1u);
    for (unsigned i = 0; i < TENSOR_MOST_RANK; i++) {
        x->count[i] = count_of(m, i);
        x->bytes *= x->count[i];
    }
    x->extent = x->bytes;
    if (m->swizzle != TENSOR_SWIZZLE_NONE && !has_slices(m)) { /* each row has a whole span */
        x->extent = x->bytes / (x->count[0] * x->size) * ((u32)BOX_PIECE << m->swizzle);
    }
}

bool exec_read_box(struct warp *w, const struct insn *in, unsigned lane, bool by_pixels,
                   struct box *x)
{
    const s32 *corner = warp_ref(w, in->c);
    if (!read_map_of(w, in, lane, by_pixels, &x->map)) {
        return false;
    }
    const unsigned offsets = by_pixels ? x->map.rank - 2u : 0;
    measure(x);
    for (unsigned i = 0; i < TENSOR_MOST_RANK; i++) {
        x->corner[i] = i < x->map.rank ? corner[i * WARP_LANES + lane] : 0;
        x->offset[i] = 0;
    }
    for (unsigned i = 0; i < offsets; i++) { /* behind the coordinates */
        x->offset[i + x->walked] = (u16)corner[(x->map.rank + i) * WARP_LANES + lane];
    }
    if (by_pixels && !begins_in_box(w, in, lane, x)) {
        return false;
    }
    if (x->corner[0] * (s64)x->size % BOX_PIECE != 0) {
        fault(w, in, lane, SIMT_ILLEGAL_INSTRUCTION,
              "a box that begins at element %d of a row: dimension 0 begins at multiples of 16 "
              "bytes, "
              "%u elements",
              x->corner[0], BOX_PIECE / x->size);
        return false;
    }
    return true;
}

/* --- rows ------------------------------------------------------------------------------------- */

u64 exec_swizzled(const struct tensor_map *m, u64 address)
{
    static const u64 masks[TENSOR_SWIZZLES] = {0, 0x10, 0x30, 0x70};
    return address ^ (address >> 3 & masks[m->swizzle]);
}

/* Of interleaved pixels a row has those of a line, as far as they end with 128 bytes of shared
 * memory. */
static unsigned length_of(const struct box *x, const struct walk *k)
{
    enum { LINE = 8, MOST = 256 };
    const struct tensor_map *m = &x->map;
    if (x->walked == 1) {
        return x->count[0];
    }
    if (!m->by_pixels || m->step[0] > 1) {
        return 1;
    }
    const s64 left = m->pixels - k->index[0], room = MOST - k->index[0] % LINE;
    const s64 line = (s64)m->last[0] + m->upper[0] - k->at[0] + 1;
    const s64 least = left < line ? left : line;
    return (unsigned)(least < room ? least : room);
}

struct walk exec_first_row(const struct box *x)
{
    struct walk k = {.index = {0}};
    for (unsigned i = 0; i < TENSOR_MOST_RANK; i++) {
        k.at[i] = x->corner[i];
    }
    k.length = length_of(x, &k);
    return k;
}

struct row exec_find_row(const struct box *x, const struct walk *k, bool stores)
{
    const struct tensor_map *m = &x->map;
    struct row r = {.address = m->address};
    bool inside = true;
    s64 length = (s64)m->last[0] + 1;
    if (stores) { /* whole pieces of 16 bytes, the last one beyond the array if need be */
        length = (s64)align_up((u64)length * x->size, BOX_PIECE) / (s64)x->size;
    }
    for (unsigned i = 1; i < m->rank; i++) {
        const s64 at = k->at[i] + x->offset[i];
        inside &= at >= 0 && at <= (s64)m->last[i];
        r.address += (u64)at * m->stride[i - 1];
    }
    const s64 first = k->at[0] + x->offset[0], room = length - first;
    const s64 begin = first < 0 ? -first : 0, most = k->length;
    const s64 end = room < most ? room : most;
    r.address += (u64)first * x->size;
    r.begin = (unsigned)(begin < most ? begin : most);
    r.end = inside && end > (s64)r.begin ? (unsigned)end : r.begin;
    return r;
}

/* The next pixel: of the line, else the first one of the next line, plane or image. */
static bool next_pixel(const struct box *x, struct walk *k)
{
    const struct tensor_map *m = &x->map;
    const unsigned moved = x->walked == 0 ? k->length : 1;
    k->index[0] += moved;
    if (k->index[0] >= m->pixels) {
        return false;
    }
    for (unsigned i = 0; i + 2 < m->rank; i++) {
        const unsigned at = i + x->walked;
        k->at[at] += i == 0 ? (s64)moved * m->step[at] : m->step[at];
        if (k->at[at] <= (s64)m->last[at] + m->upper[i]) {
            return true;
        }
        k->at[at] = m->lower[i];
    }
    k->at[m->rank - 1]++;
    return true;
}

static bool next_line(const struct box *x, struct walk *k)
{
    for (unsigned i = x->walked; i < x->map.rank; i++) {
        k->at[i] += step_of(&x->map, i);
        if (++k->index[i] < x->count[i]) {
            return true;
        }
        k->index[i] = 0;
        k->at[i] = x->corner[i];
    }
    return false;
}

bool exec_next_row(const struct box *x, struct walk *k)
{
    const bool more = x->map.by_pixels ? next_pixel(x, k) : next_line(x, k);
    k->length = length_of(x, k);
    return more;
}

u32 exec_row_pitch(const struct box *x, const struct walk *k)
{
    return x->map.swizzle != TENSOR_SWIZZLE_NONE && !has_slices(&x->map)
               ? (u32)BOX_PIECE << x->map.swizzle
               : k->length * x->size;
}

/* What lies outside of the array is as if it were at address 0, for each 128 bytes of shared memory
 * anew. */
static unsigned outside_sectors(u64 shared, u64 bytes)
{
    enum { LINE = 128 };
    unsigned sectors = 0;
    while (bytes > 0) {
        const u64 room = LINE - shared % LINE, piece = bytes < room ? bytes : room;
        sectors += access_bulk_sectors(0, shared, piece);
        shared += piece;
        bytes -= piece;
    }
    return sectors;
}

/* In a load, the elements before those inside and those behind them cost sectors of their own. */
unsigned exec_row_sectors(const struct box *x, const struct walk *k, const struct row *r,
                          u64 shared, bool stores)
{
    const u64 bytes = (u64)k->length * x->size, begin = (u64)r->begin * x->size;
    const u64 end = r->end > r->begin ? (u64)r->end * x->size : begin;
    const unsigned inside = access_bulk_sectors(r->address + begin, shared + begin, end - begin);
    if (stores) {
        return inside;
    }
    if (end == begin) {
        return outside_sectors(shared, bytes);
    }
    return inside + outside_sectors(shared, begin) + outside_sectors(shared + end, bytes - end);
}
