/* cudart_fill.c - fills of the CUDA API: linear, pitched, three-dimensional. */
#include "runtime/cudart_copy.h"

static cudaError_t fill_box(const char *call, void *to, struct box b, int value,
                            struct copy_mode mode)
{
    return copy_fill_box(call, to, &b, (unsigned)value, 1, mode);
}

cudaError_t copy_fill_rows(const char *call, const struct copy_fill *f, struct copy_mode mode)
{
    const struct box b = {f->width, f->height, 1, f->height > 1 ? f->pitch : f->width, 0};
    const cudaError_t code = cudart_check_stream(call, mode.stream);
    return code == cudaSuccess ? copy_fill_box(call, f->to, &b, f->value, f->element, mode) : code;
}

static struct box space_box(struct cudaExtent extent, const struct cudaPitchedPtr *p)
{
    return (struct box){extent.width, extent.height, extent.depth, p->pitch, p->pitch * p->ysize};
}

COPY_CALLS(cudaMemset, fill_box(call, pointer, box_of_line(bytes), value, mode), void *pointer,
           int value, size_t bytes);
COPY_CALLS(cudaMemset2D, fill_box(call, pointer, box_of_plane(width, height, pitch), value, mode),
           void *pointer, size_t pitch, int value, size_t width, size_t height);
COPY_CALLS(cudaMemset3D, fill_box(call, pointer.ptr, space_box(extent, &pointer), value, mode),
           struct cudaPitchedPtr pointer, int value, struct cudaExtent extent);
