/* cudart_capture.c - see cudart_capture.h. */
#include "runtime/cudart_capture.h"

#include <stdatomic.h>

static struct {
    atomic_uint count;
    const struct capture_hooks *hooks; /* once set it stays */
} capture;

void capture_begin(const struct capture_hooks *hooks)
{
    capture.hooks = hooks;
    atomic_fetch_add(&capture.count, 1);
}

void capture_end(void) { atomic_fetch_sub(&capture.count, 1); }

const struct capture_hooks *capture_under_way(void)
{
    return atomic_load_explicit(&capture.count, memory_order_relaxed) > 0 ? capture.hooks : NULL;
}

const struct capture_hooks *capture_of(cudaStream_t stream)
{
    const struct capture_hooks *hooks = capture_under_way();
    return hooks != NULL && hooks->captures(stream) ? hooks : NULL;
}

cudaError_t capture_judge(const char *call, cudaStream_t stream, bool any_stream)
{
    const struct capture_hooks *hooks = capture_under_way();
    return hooks != NULL ? hooks->judge(call, stream, any_stream) : cudaSuccess;
}

/* The pitches between slices are multiples of those between rows, or there is one slice. */
static struct cudaPitchedPtr pitched(const struct capture_side *s, size_t width)
{
    const size_t rows = s->row_pitch > 0 ? s->slice_pitch / s->row_pitch : 0;
    return (struct cudaPitchedPtr){(void *)(uintptr_t)s->base, s->row_pitch, width, rows};
}

cudaError_t capture_box(const struct capture_side *to, const struct capture_side *from,
                        struct cudaExtent extent, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct cudaMemcpy3DParms p = {.srcPtr = pitched(from, extent.width),
                                        .dstPtr = pitched(to, extent.width),
                                        .extent = extent,
                                        .kind = kind};
    return capture_of(stream)->copy(&p, stream);
}
