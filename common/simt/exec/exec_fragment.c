/* exec_fragment.c - what moves fragments of matrices: ldmatrix, stmatrix, movmatrix, and the
 * addresses of wmma's loads and stores. */
#include "exec/exec_address.h"
#include "exec/exec_matrix.h"

#include <string.h>

/* --- all 32 lanes ----------------------------------------------------------------------------- */

const struct insn *exec_lanes_are_missing(struct warp *w, const struct insn *in)
{
    return fault(w, in, first_lane(w->active), SIMT_BAD_SHUFFLE,
                 "only the lanes 0x%08x execute a matrix instruction: all 32 of the warp hold its "
                 "operands and must take part",
                 w->active);
}

/* --- ldmatrix, stmatrix, movmatrix ------------------------------------------------------------ */

/* Lane i of the first 8, 16 or 32 has the address of row i mod 8 of matrix i / 8. */
static const u64 *row_addresses(struct warp *w, const struct insn *in, u64 *plain)
{
    const u64 *address = exec_reach_addresses(w, in);
    if (in->space != PTX_GENERIC) {
        return address;
    }
    for (unsigned i = 0; i < WARP_LANES; i++) {
        plain[i] = address[i] - WINDOW_BASE(WINDOW_SHARED);
    }
    return plain;
}

static bool reach_rows(struct warp *w, const struct insn *in, enum site_kind kind, struct reach *r)
{
    u64 plain[WARP_LANES];
    const u64 *address = row_addresses(w, in, plain);
    const unsigned site = in->site + (in->space == PTX_GENERIC ? 1 : 0);
    w->active = INSN_ROW_LANES(in);
    const bool good = exec_reach_shared(w, in, address, site, kind, r);
    w->active = FULL_MASK;
    return good;
}

/* Half `i` of lane's register in matrix m: of row lane / 4, or of column lane / 4. */
static u16 *element_at(const struct reach *r, unsigned matrix, unsigned lane, unsigned half,
                       bool transposed)
{
    const unsigned line = lane / 4, place = lane % 4 * 2 + half;
    const unsigned row = transposed ? place : line, column = transposed ? line : place;
    return (u16 *)(void *)reach_lane(r, matrix * 8 + row) + column;
}

static const struct insn *load_matrices(struct warp *w, const struct insn *in, bool transposed)
{
    struct reach r;
    u32 words[4][WARP_LANES];
    WAIT_FOR_WARP
    if (!reach_rows(w, in, SITE_SHARED_LOAD, &r)) {
        return NULL;
    }
    for (unsigned m = 0; m < in->elements; m++) {
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            words[m][lane] = *element_at(&r, m, lane, 0, transposed) |
                             (u32)*element_at(&r, m, lane, 1, transposed) << 16;
        }
    }
    for (unsigned m = 0; m < in->elements; m++) {
        if (in->element[m] != NO_REF) {
            memcpy(warp_ref(w, in->element[m]), words[m], sizeof words[m]);
        }
    }
    return in + 1;
}

HANDLER(ld_matrix) { return load_matrices(w, in, false); }

HANDLER(ld_matrix_trans) { return load_matrices(w, in, true); }

static const struct insn *store_matrices(struct warp *w, const struct insn *in, bool transposed)
{
    struct reach r;
    WAIT_FOR_WARP
    if (!reach_rows(w, in, SITE_SHARED_STORE, &r)) {
        return NULL;
    }
    for (unsigned m = 0; m < in->elements; m++) {
        const u32 *words = warp_ref(w, in->element[m]);
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            *element_at(&r, m, lane, 0, transposed) = (u16)words[lane];
            *element_at(&r, m, lane, 1, transposed) = (u16)(words[lane] >> 16);
        }
    }
    return in + 1;
}

HANDLER(st_matrix) { return store_matrices(w, in, false); }

HANDLER(st_matrix_trans) { return store_matrices(w, in, true); }

HANDLER(matrix_transpose)
{
    u16 from[8][8];
    const u32 *a = warp_ref(w, in->a);
    u32 *d = warp_ref(w, in->d);
    WAIT_FOR_WARP
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        from[lane / 4][lane % 4 * 2] = (u16)a[lane];
        from[lane / 4][lane % 4 * 2 + 1] = (u16)(a[lane] >> 16);
    }
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        d[lane] = from[lane % 4 * 2][lane / 4] | (u32)from[lane % 4 * 2 + 1][lane / 4] << 16;
    }
    return in + 1;
}

/* --- fragments of wmma ------------------------------------------------------------------------ */

/* Where a matrix lies in shared memory, does each row begin at a multiple of 16 bytes? Lane 4 g
 * holds the first element of row g. An H200 refuses others. */
static bool check_rows(struct warp *w, const struct insn *in, const u64 *address, const u32 *stride)
{
    for (unsigned i = 0; i < WARP_LANES; i += 4) {
        const bool shared = in->space == PTX_SHARED || address[i] >> WINDOW_SHIFT == WINDOW_SHARED;
        if (shared && address[i] % ROW_OF_FRAGMENT != 0) {
            fault(
                w, in, i, SIMT_MISALIGNED,
                "a row of the matrix in shared memory is misaligned: its address 0x%llx must be a "
                "multiple of %u (the stride is %u elements of %u bits)",
                (unsigned long long)address[i], ROW_OF_FRAGMENT, stride[i], in->bytes);
            return false;
        }
    }
    return true;
}

/* The address of each lane's element: operand a (plus in->offset) is the matrix, b the stride in
 * elements. c holds the element's coordinates in lane 0, e whether the first one is the line in
 * memory. count_bytes: fragments that come row by row. */
HANDLER(fragment_address)
{
    u64 *d = warp_ref(w, in->d);
    const u64 *base = exec_reach_addresses(w, in);
    const u32 *stride = warp_ref(w, in->b);
    const u32 first = in->c >> 16, second = in->c & 0xffffu;
    WAIT_FOR_WARP
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const u32 one = first + i / 4, other = second + i % 4 * in->elements;
        const u64 line = in->e != 0 ? one : other, place = in->e != 0 ? other : one;
        d[i] = base[i] + (u64)in->offset + (line * stride[i] + place) * in->bytes / 8;
    }
    if (in->count_bytes != 0 && !check_rows(w, in, d, stride)) {
        return NULL;
    }
    return in + 1;
}

/* Element number `elements` of register d becomes a; register d becomes that element of a. */
HANDLER(fragment_insert)
{
    u32 *d = warp_ref(w, in->d);
    const u32 *a = warp_ref(w, in->a);
    const unsigned shift = in->elements * in->bytes;
    const u32 mask = ((1u << in->bytes) - 1) << shift;
    WRITE_LANES(u32, d, (d[i] & ~mask) | (a[i] << shift & mask));
    return in + 1;
}

HANDLER(fragment_repeat)
{
    u32 *d = warp_ref(w, in->d);
    const u32 *a = warp_ref(w, in->a);
    WRITE_LANES(u32, d, a[i]);
    return in + 1;
}

const struct handler exec_fragment_table[] = {HANDLER_ROW(matrix_transpose, WORK, QUIET, ALL),
                                              HANDLER_ROW(ld_matrix, WORK, LOAD, OPCODE),
                                              HANDLER_ROW(ld_matrix_trans, WORK, LOAD, OPCODE),
                                              HANDLER_ROW(st_matrix, WORK, STORE, OPCODE),
                                              HANDLER_ROW(st_matrix_trans, WORK, STORE, OPCODE),
                                              HANDLER_ROW(fragment_address, WORK, QUIET, CLEAR),
                                              HANDLER_ROW(fragment_insert, WORK, QUIET, JOIN),
                                              HANDLER_ROW(fragment_repeat, WORK, QUIET, COPY),
                                              {0}};
