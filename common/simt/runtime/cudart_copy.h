/* cudart_copy.h - what copies to and from variables, graphs and the driver API take from copies of
 * memory. */
#ifndef SIMT_CUDART_COPY_H
#define SIMT_CUDART_COPY_H

#include "runtime/cudart.h"

/* A synchronous call waits for the device, so it tells of a fault; an asynchronous one does not,
 * and its work is dropped if there was one. */
struct copy_mode {
    bool waits;
    cudaStream_t stream;
    bool is_staged; /* the source is a copy that the runtime has made of the program's */
};
#define COPY_WAITS          ((struct copy_mode){true, NULL, false})
#define COPY_QUEUED(stream) ((struct copy_mode){false, stream, false})

/* depth slices of height rows of width bytes; a row begins row_pitch behind the one before. */
struct box {
    uint64_t width, height, depth;
    uint64_t row_pitch, slice_pitch;
};

/* A function of CUDA and its Async twin. `expression` is what both return, in terms of their
 * parameters, of `call`, which is the function's name, and of `mode`. The twin's last parameter is
 * a stream, which is checked before anything else. */
#define COPY_CALLS(name, expression, ...)                                                          \
    cudaError_t name(__VA_ARGS__)                                                                  \
    {                                                                                              \
        const char *call = #name;                                                                  \
        const struct copy_mode mode = COPY_WAITS;                                                  \
        return expression;                                                                         \
    }                                                                                              \
    PER_THREAD(name, _ptds);                                                                       \
    cudaError_t name##Async(__VA_ARGS__, cudaStream_t stream)                                      \
    {                                                                                              \
        const char *call = #name "Async";                                                          \
        const struct copy_mode mode = COPY_QUEUED(stream);                                         \
        const cudaError_t code = cudart_check_stream(call, stream);                                \
        return code == cudaSuccess ? expression : code;                                            \
    }                                                                                              \
    PER_THREAD(name##Async, _ptsz)

cudaError_t copy_enter(struct copy_mode mode);
/* `call` is what messages name. Every range is judged before a byte moves. */
cudaError_t copy_between(const char *call, void *to, const struct box *to_box, const void *from,
                         const struct box *from_box, enum cudaMemcpyKind kind,
                         struct copy_mode mode);
cudaError_t copy_line(const char *call, void *to, const void *from, size_t bytes,
                      enum cudaMemcpyKind kind, struct copy_mode mode);

static inline struct box box_of_line(uint64_t bytes)
{
    return (struct box){bytes, 1, 1, bytes, bytes};
}

static inline struct box box_of_plane(uint64_t width, uint64_t height, uint64_t pitch)
{
    return (struct box){width, height, 1, pitch, 0};
}

/* The bytes of a box get a value of 1, 2 or 4 bytes. */
cudaError_t copy_fill_box(const char *call, void *to, const struct box *b, unsigned value,
                          unsigned element, struct copy_mode mode);

/* height rows of width bytes are filled with a value of 1, 2 or 4 bytes. */
struct copy_fill {
    void *to;
    size_t pitch, width, height;
    unsigned value, element;
};
cudaError_t copy_fill_rows(const char *call, const struct copy_fill *f, struct copy_mode mode);

#endif
