/* cudart_array.c - CUDA arrays: their formats, their memory, their levels. Copies of them are in
 * cudart_array_copy.c. A card keeps texels in an order of its own that no program sees; here they
 * lie row behind row. */
#include "runtime/cudart_array.h"

#include <inttypes.h>
#include <string.h>

#include "base/handles.h"
#include "check/host/host_order.h"

static struct handle_pool arrays = HANDLE_POOL(struct cudaArray);
static struct handle_pool mipmaps = HANDLE_POOL(struct cudaMipmappedArray);

enum { LAYERED_OR_CUBE = cudaArrayLayered | cudaArrayCubemap };

void arrays_forget(void)
{
    handle_destroy_all(&mipmaps);
    handle_destroy_all(&arrays);
}

struct cudaArray *array_find(const char *call, cudaArray_const_t array)
{
    if (array == NULL || !handle_is_live(&arrays, array)) {
        cuda_error_saying(cudaErrorInvalidResourceHandle, call,
                          array == NULL ? "the array is a null pointer"
                                        : "this is no CUDA array, or it has been freed");
        return NULL;
    }
    return (struct cudaArray *)(uintptr_t)array;
}

struct cudaMipmappedArray *array_find_mipmap(const char *call, cudaMipmappedArray_const_t mipmap)
{
    if (mipmap == NULL || !handle_is_live(&mipmaps, mipmap)) {
        cuda_error_saying(cudaErrorInvalidResourceHandle, call,
                          mipmap == NULL ? "the mipmapped array is a null pointer"
                                         : "this is no mipmapped array, or it has been freed");
        return NULL;
    }
    return (struct cudaMipmappedArray *)(uintptr_t)mipmap;
}

unsigned array_dimensions(const struct cudaArray *a)
{
    const bool is_flat = (a->flags & LAYERED_OR_CUBE) != 0 || a->extent.depth == 0;
    return a->extent.height == 0 ? 1 : is_flat ? 2 : 3;
}

/* ---- formats --------------------------------------------------------------------------------- */

/* The kinds whose integers are read as floats: eight and sixteen bits, one, two and four channels.
 */
static bool is_normalised_kind(enum cudaChannelFormatKind kind, enum texture_number *number)
{
    const bool is_signed = kind >= cudaChannelFormatKindSignedNormalized8X1;
    *number = is_signed ? TEXTURE_SIGNED : TEXTURE_UNSIGNED;
    return kind >= cudaChannelFormatKindUnsignedNormalized8X1 &&
           kind <= cudaChannelFormatKindSignedNormalized16X4;
}

static bool is_plain_kind(enum cudaChannelFormatKind kind, enum texture_number *number)
{
    *number = kind == cudaChannelFormatKindFloat    ? TEXTURE_FLOAT
              : kind == cudaChannelFormatKindSigned ? TEXTURE_SIGNED
                                                    : TEXTURE_UNSIGNED;
    return kind <= cudaChannelFormatKindFloat;
}

bool array_format(const char *call, const struct cudaChannelFormatDesc *desc,
                  struct texture_format *format, bool *reads_floats)
{
    enum texture_number number = TEXTURE_UNSIGNED;
    const int bits[4] = {desc->x, desc->y, desc->z, desc->w};
    unsigned channels = 0;
    *reads_floats = is_normalised_kind(desc->f, &number);
    const bool is_kind = *reads_floats || is_plain_kind(desc->f, &number);
    while (channels < 4 && bits[channels] == desc->x) {
        channels++;
    }
    bool good = is_kind && (channels == 1 || channels == 2 || channels == 4);
    for (unsigned i = channels; i < 4; i++) {
        good &= bits[i] == 0;
    }
    good &= desc->x == 16 || desc->x == 32 || (desc->x == 8 && number != TEXTURE_FLOAT);
    if (!good) {
        cuda_error_saying(cudaErrorInvalidChannelDescriptor, call,
                          "channels of %d, %d, %d and %d bits, kind %d: a texel has 1, 2 or 4 "
                          "channels of 8, 16 or 32 bits each (a float 16 or 32)",
                          desc->x, desc->y, desc->z, desc->w, (int)desc->f);
        return false;
    }
    *format = (struct texture_format){number, (uint8_t)desc->x, (uint8_t)channels};
    return true;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* The array of a call that begins; NULL: *code says why not. */
static struct cudaArray *enter_array(const char *call, cudaArray_const_t array, cudaError_t *code)
{
    *code = runtime_enter();
    struct cudaArray *a = *code == cudaSuccess ? array_find(call, array) : NULL;
    *code = *code == cudaSuccess && a == NULL ? cudaErrorInvalidResourceHandle : *code;
    return a;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    const char *call = "cudaGetChannelDesc";
    cudaError_t code;
    const struct cudaArray *a = enter_array(call, array, &code);
    if (a == NULL) {
        return code;
    }
    if (desc == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "the description has no address");
    }
    *desc = a->desc;
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    cudaError_t code;
    const struct cudaArray *a = enter_array("cudaArrayGetInfo", array, &code);
    if (a == NULL) {
        return code;
    }
    if (desc != NULL) {
        *desc = a->desc;
    }
    if (extent != NULL) {
        *extent = a->extent;
    }
    if (flags != NULL) {
        *flags = a->flags;
    }
    return cudaSuccess;
}

/* ---- allocate -------------------------------------------------------------------------------- */

static cudaError_t check_shape(const char *call, struct cudaExtent e, unsigned flags)
{
    enum { MOST_SIDE = 131072 };
    const unsigned known =
        cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
    if ((flags & ~known) != 0) {
        return cuda_error_saying(cudaErrorNotSupported, call,
                                 "flags 0x%x: sparse arrays, deferred mapping and colour "
                                 "attachments are not simulated",
                                 flags & ~known);
    }
    if (e.width == 0 || e.width > MOST_SIDE || e.height > MOST_SIDE || e.depth > MOST_SIDE) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "%zu x %zu x %zu texels: a width of 1 to %d is needed", e.width,
                                 e.height, e.depth, MOST_SIDE);
    }
    const bool is_cube = (flags & cudaArrayCubemap) != 0;
    const bool is_layered = (flags & cudaArrayLayered) != 0;
    if (is_cube && (e.width != e.height || (is_layered ? e.depth % 6 != 0 : e.depth != 6))) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "%zu x %zu x %zu texels: a cube has six square faces", e.width,
                                 e.height, e.depth);
    }
    if ((is_layered && e.depth == 0) ||
        (!is_layered && !is_cube && e.depth != 0 && e.height == 0)) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "%zu x %zu x %zu texels: %s", e.width,
                                 e.height, e.depth,
                                 is_layered ? "a layered array has a depth, its layers"
                                            : "an array with a depth has a height");
    }
    return cudaSuccess;
}

static cudaError_t make_array(const char *call, struct cudaArray **made,
                              const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned flags, const void *site)
{
    struct cudaArray like = {.desc = *desc, .extent = extent, .flags = flags};
    void *pointer;
    cudaError_t code = check_shape(call, extent, flags);
    if (code != cudaSuccess) {
        return code;
    }
    if (!array_format(call, desc, &like.format, &like.reads_floats)) {
        return cudaErrorInvalidChannelDescriptor;
    }
    like.rows = extent.height != 0 ? extent.height : 1;
    like.slices = extent.depth != 0 ? extent.depth : 1;
    like.row_bytes = extent.width * texture_texel_bytes(like.format);
    like.slice_bytes = like.row_bytes * like.rows; /* at most 2^38 */
    like.bytes = like.slice_bytes * like.slices;
    code = runtime_allocate(call, &pointer, like.bytes, MEMORY_ARRAY, site);
    if (code != cudaSuccess) {
        return code;
    }
    like.begin = (uint64_t)(uintptr_t)pointer;
    like.allocation = memory_find(runtime()->memory, like.begin)->serial;
    *made = handle_create(&arrays);
    like.handle = (*made)->handle;
    like.handle.made_by = call;
    like.handle.made_at = site;
    **made = like;
    return cudaSuccess;
}

static cudaError_t enter_with(const char *call, const void *out,
                              const struct cudaChannelFormatDesc *desc)
{
    cudaError_t code = runtime_enter();
    if (code == cudaSuccess && (out == NULL || desc == NULL)) {
        code = cuda_error_saying(cudaErrorInvalidValue, call, "the %s has no address",
                                 out == NULL ? "array" : "format");
    }
    return code;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags)
{
    const char *call = "cudaMalloc3DArray";
    cudaError_t code = enter_with(call, array, desc);
    return code == cudaSuccess ? make_array(call, array, desc, extent, flags, CALL_SITE()) : code;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags)
{
    const char *call = "cudaMallocArray";
    cudaError_t code = enter_with(call, array, desc);
    const struct cudaExtent extent = {width, height, 0};
    if (code == cudaSuccess && (flags & LAYERED_OR_CUBE) != 0) {
        code = cuda_error_saying(cudaErrorInvalidValue, call,
                                 "layers and cubes are made by cudaMalloc3DArray");
    }
    return code == cudaSuccess ? make_array(call, array, desc, extent, flags, CALL_SITE()) : code;
}

/* ---- levels ---------------------------------------------------------------------------------- */

static size_t halved(size_t side, unsigned times)
{
    return side == 0 ? 0 : side >> times != 0 ? side >> times : 1;
}

/* How often the longest side can be halved, and once more. */
static unsigned most_levels(struct cudaExtent e, unsigned flags)
{
    size_t side = e.width > e.height ? e.width : e.height;
    unsigned levels = 1;
    side = (flags & LAYERED_OR_CUBE) == 0 && e.depth > side ? e.depth : side;
    while (side >> levels != 0) {
        levels++;
    }
    return levels;
}

static void free_array(struct cudaArray *a, const void *site)
{
    runtime_lock(); /* launches that are running end first */
    memory_free(runtime()->memory, a->begin, site);
    runtime_unlock();
    handle_destroy(&arrays, a);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int numLevels,
                                     unsigned int flags)
{
    const char *call = "cudaMallocMipmappedArray";
    const void *site = CALL_SITE();
    cudaError_t code = enter_with(call, mipmappedArray, desc);
    if (code != cudaSuccess) {
        return code;
    }
    const unsigned most = most_levels(extent, flags);
    const unsigned count = numLevels < 1 ? 1 : numLevels > most ? most : numLevels;
    struct cudaMipmappedArray *m = handle_create(&mipmaps);
    m->handle.made_by = call;
    m->handle.made_at = site;
    for (m->level_count = 0; m->level_count < count && code == cudaSuccess; m->level_count++) {
        const unsigned l = m->level_count;
        const bool keeps_depth = (flags & LAYERED_OR_CUBE) != 0;
        const struct cudaExtent e = {halved(extent.width, l), halved(extent.height, l),
                                     keeps_depth ? extent.depth : halved(extent.depth, l)};
        code = make_array(call, &m->levels[l], desc, e, flags, site);
        if (code != cudaSuccess) {
            break;
        }
        m->levels[l]->is_level = true;
    }
    if (code != cudaSuccess) {
        for (unsigned l = 0; l < m->level_count; l++) {
            free_array(m->levels[l], site);
        }
        handle_destroy(&mipmaps, m);
        return code;
    }
    *mipmappedArray = m;
    return cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
                                       cudaMipmappedArray_const_t mipmappedArray,
                                       unsigned int level)
{
    const char *call = "cudaGetMipmappedArrayLevel";
    const cudaError_t code = runtime_enter();
    const struct cudaMipmappedArray *m =
        code == cudaSuccess ? array_find_mipmap(call, mipmappedArray) : NULL;
    if (m == NULL) {
        return code == cudaSuccess ? cudaErrorInvalidResourceHandle : code;
    }
    if (levelArray == NULL || level >= m->level_count) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "level %u of %u", level,
                                 m->level_count);
    }
    *levelArray = m->levels[level];
    return cudaSuccess;
}

/* ---- free ------------------------------------------------------------------------------------ */

cudaError_t cudaFreeArray(cudaArray_t array)
{
    const char *call = "cudaFreeArray";
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess || array == NULL) {
        return code;
    }
    struct cudaArray *a = array_find(call, array);
    if (a == NULL) {
        return cudaErrorInvalidResourceHandle;
    }
    if (a->is_level) {
        return cuda_error_saying(cudaErrorInvalidResourceHandle, call,
                                 "this is a level of a mipmapped array: cudaFreeMipmappedArray "
                                 "frees all of them");
    }
    host_order_host_waits_all(call);
    free_array(a, CALL_SITE());
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray)
{
    const char *call = "cudaFreeMipmappedArray";
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess || mipmappedArray == NULL) {
        return code;
    }
    struct cudaMipmappedArray *m = array_find_mipmap(call, mipmappedArray);
    if (m == NULL) {
        return cudaErrorInvalidResourceHandle;
    }
    host_order_host_waits_all(call);
    for (unsigned l = 0; l < m->level_count; l++) {
        free_array(m->levels[l], CALL_SITE());
    }
    handle_destroy(&mipmaps, m);
    return cudaSuccess;
}
