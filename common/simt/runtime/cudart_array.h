/* cudart_array.h - CUDA arrays, as copies, textures and surfaces see them. */
#ifndef SIMT_CUDART_ARRAY_H
#define SIMT_CUDART_ARRAY_H

#include "common/gpu/texture.h"
#include "runtime/cudart.h"

/* Texels lie row behind row and slice behind slice, without gaps. */
struct cudaArray {
    struct handle handle;
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as the program gave it: a height or depth may be 0 */
    unsigned flags;
    struct texture_format format;
    bool reads_floats;     /* the format itself says that integers are read as floats */
    uint64_t begin, bytes; /* device memory */
    uint64_t allocation;   /* its serial number */
    uint64_t row_bytes, rows, slices, slice_bytes;
    bool is_level; /* it belongs to a mipmapped array */
};

struct cudaMipmappedArray {
    struct handle handle;
    unsigned level_count;
    cudaArray_t levels[TEXTURE_MOST_LEVELS];
};

/* NULL after saying what is wrong with the handle. */
struct cudaArray *array_find(const char *call, cudaArray_const_t array);
struct cudaMipmappedArray *array_find_mipmap(const char *call, cudaMipmappedArray_const_t mipmap);
/* The texels of one channel format; false after saying what is wrong with it. */
bool array_format(const char *call, const struct cudaChannelFormatDesc *desc,
                  struct texture_format *format, bool *reads_floats);
unsigned array_dimensions(const struct cudaArray *a);

/* cudaDeviceReset(): all are gone. */
void arrays_forget(void);
void images_forget(void); /* texture and surface objects */
void images_visit(bool surfaces, void (*visit)(void *state, const struct handle *h), void *state);

#endif
