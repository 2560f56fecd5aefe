/* cudart_fill.c - fills of the CUDA API: linear, pitched, three-dimensional. */
#include "runtime/cudart_copy.h"

static cudaError_t fill_box(const char *call, void *to, const struct box *b, int value,
                            struct copy_mode mode)
{
    return copy_fill_box(call, to, b, (unsigned)value, 1, mode);
}

cudaError_t copy_fill_rows(const char *call, const struct copy_fill *f, struct copy_mode mode)
{
    const struct box b = {f->width, f->height, 1, f->height > 1 ? f->pitch : f->width, 0};
    const cudaError_t code = cudart_check_stream(call, mode.stream);
    return code == cudaSuccess ? copy_fill_box(call, f->to, &b, f->value, f->element, mode) : code;
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    struct box line = box_of_line(bytes);
    return fill_box("cudaMemset", pointer, &line, value, COPY_WAITS);
}
PER_THREAD(cudaMemset, _ptds);

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
    struct box line = box_of_line(bytes);
    cudaError_t code = cudart_check_stream("cudaMemsetAsync", stream);
    return code == cudaSuccess
               ? fill_box("cudaMemsetAsync", pointer, &line, value, COPY_QUEUED(stream))
               : code;
}
PER_THREAD(cudaMemsetAsync, _ptsz);

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    struct box plane = box_of_plane(width, height, pitch);
    return fill_box("cudaMemset2D", pointer, &plane, value, COPY_WAITS);
}
PER_THREAD(cudaMemset2D, _ptds);

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    struct box plane = box_of_plane(width, height, pitch);
    cudaError_t code = cudart_check_stream("cudaMemset2DAsync", stream);
    return code == cudaSuccess
               ? fill_box("cudaMemset2DAsync", pointer, &plane, value, COPY_QUEUED(stream))
               : code;
}
PER_THREAD(cudaMemset2DAsync, _ptsz);

/* ---- three-dimensional ----------------------------------------------------------------------- */

static struct box space_box(struct cudaExtent extent, const struct cudaPitchedPtr *p)
{
    return (struct box){extent.width, extent.height, extent.depth, p->pitch, p->pitch * p->ysize};
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent)
{
    struct box space = space_box(extent, &pointer);
    return fill_box("cudaMemset3D", pointer.ptr, &space, value, COPY_WAITS);
}
PER_THREAD(cudaMemset3D, _ptds);

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    struct box space = space_box(extent, &pointer);
    cudaError_t code = cudart_check_stream("cudaMemset3DAsync", stream);
    return code == cudaSuccess
               ? fill_box("cudaMemset3DAsync", pointer.ptr, &space, value, COPY_QUEUED(stream))
               : code;
}
PER_THREAD(cudaMemset3DAsync, _ptsz);
