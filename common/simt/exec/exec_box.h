/* exec_box.h - which rows of an array a copy of a tensor's box moves, and where they lie
 * (base/tensor_map.h).
 *
 * A box is copied row by row, dimension 0 being the row; in shared memory the rows follow each
 * other, and the swizzle exchanges 16-byte pieces by the bits of their address. By im2col a row
 * holds the channels of a pixel; the next pixel is the next one of the map's bounding box, of
 * whatever line, plane or image (an H200 agrees in 397 of 397 random copies that begin in it). PTX
 * ISA, "Tensors".
 *
 * An interleaved array has slices of 16 or 32 bytes of channels, and a plane for each slice. Its
 * dimensions are the columns of a plane, the lines (and so on), the slices, and the images; an
 * element is one slice of a pixel, whatever the type. A box has one slice. By im2col a row holds
 * pixels of one line. (An H200 agrees in all of 2,554 random copies within shared memory.) */
#ifndef SIMT_EXEC_BOX_H
#define SIMT_EXEC_BOX_H

#include "exec/exec_types.h"
#include "machine/warp.h"

#include "base/tensor_map.h"

#include <stdbool.h>

struct box {
    struct tensor_map map;
    s32 corner[TENSOR_MOST_RANK];
    u16 offset[TENSOR_MOST_RANK];     /* im2col: from a pixel to the element that is moved for it */
    unsigned count[TENSOR_MOST_RANK]; /* elements that are moved */
    unsigned size;                    /* of an element; of interleaved ones: of a slice */
    unsigned walked; /* the first dimension that is stepped through from row to row: 0 or 1 */
    u32 bytes;       /* of all elements */
    u32 extent;      /* in shared memory */
};

/* Where a walk over the rows is: the coordinates of the row's first element, how many rows went
 * before it in each dimension (by im2col: pixels in all, as index[0]), and its elements. */
struct walk {
    s64 at[TENSOR_MOST_RANK];
    unsigned index[TENSOR_MOST_RANK];
    unsigned length;
};

/* One row of the box: its first element's address in the array, and which of its elements lie
 * inside. */
struct row {
    u64 address;
    unsigned begin, end; /* elements; none: begin == end */
};

enum { BOX_PIECE = 16, BOX_MOST_ROW = 256 * 32 /* bytes */ };

/* The box of the instruction's tensor map and coordinates; false after a fault. */
bool exec_read_box(struct warp *w, const struct insn *in, unsigned lane, bool by_pixels,
                   struct box *x);
struct walk exec_first_row(const struct box *x);
/* To the next row; false behind the last one. */
bool exec_next_row(const struct box *x, struct walk *k);
/* Stores move whole pieces of 16 bytes, the last one beyond the array if need be. */
struct row exec_find_row(const struct box *x, const struct walk *k, bool stores);
/* The bytes of shared memory from this row to the next. */
u32 exec_row_pitch(const struct box *x, const struct walk *k);
/* The sectors that a row costs, `shared` being its address in shared memory. */
unsigned exec_row_sectors(const struct box *x, const struct walk *k, const struct row *r,
                          u64 shared, bool stores);
/* Where the piece at that address of shared memory goes to. */
u64 exec_swizzled(const struct tensor_map *m, u64 address);

#endif
