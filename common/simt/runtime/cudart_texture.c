/* cudart_texture.c - texture and surface objects: from CUDA's descriptions to what a kernel reads.
 * The rules are those of the "CUDA Runtime API" reference, "Texture Object Management". */
#include "runtime/cudart_array.h"
#include "base/room.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/describe.h"
#include "machine/images.h"

enum { LINEAR_ALIGNMENT = 512, PITCH_ALIGNMENT = 32, MOST_LINEAR_TEXELS = 1 << 28 };

/* What the program described, to be returned when it asks. */
struct described {
    uint64_t handle;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
    bool has_view;
    struct handle made; /* by which call, and where */
    struct described *next;
};

static struct described *all_described;
static const char create_surface[] = "cudaCreateSurfaceObject";
static pthread_mutex_t described_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the memory behind an object ------------------------------------------------------------- */

static void set_level(struct image *image, unsigned level, const struct cudaArray *a)
{
    image->texture.levels[level] =
        (struct texture_level){.texels = memory_host(runtime()->memory, a->begin, a->bytes),
                               .width = (uint32_t)a->extent.width,
                               .height = (uint32_t)a->rows,
                               .depth = (uint32_t)a->slices,
                               .row_bytes = a->row_bytes,
                               .slice_bytes = a->slice_bytes};
    image->texture.level_count = level + 1;
}

static void set_array(struct image *image, const struct cudaArray *a)
{
    image->dimensions = array_dimensions(a);
    image->begin = a->begin;
    image->bytes = a->bytes;
    image->allocation = a->allocation;
    image->texture.format = a->format;
    image->texture.reads_floats = a->reads_floats;
    image->texture.is_layered = (a->flags & cudaArrayLayered) != 0;
    image->texture.is_cube = (a->flags & cudaArrayCubemap) != 0;
    set_level(image, 0, a);
}

/* Device memory that the program gave by pointer: one level of it. */
static cudaError_t set_memory(const char *call, struct image *image, const void *pointer,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                              size_t pitch)
{
    const uint64_t begin = (uint64_t)(uintptr_t)pointer;
    const uint64_t bytes = (height - 1) * pitch + width;
    if (!array_format(call, desc, &image->texture.format, &image->texture.reads_floats)) {
        return cudaErrorInvalidChannelDescriptor;
    }
    if (begin % LINEAR_ALIGNMENT != 0) {
        return cuda_error_saying(
            cudaErrorInvalidValue, call,
            "%p: a texture of plain memory begins at a multiple of %d bytes, as "
            "cudaMalloc gives it",
            pointer, LINEAR_ALIGNMENT);
    }
    const unsigned char *host =
        cudart_resolve_pointer(call, "resource", pointer, bytes, SIDE_DEVICE);
    if (host == NULL) {
        return cudaErrorInvalidValue;
    }
    image->begin = begin;
    image->bytes = bytes;
    image->allocation = memory_find(runtime()->memory, begin)->serial;
    image->texture.level_count = 1;
    image->texture.levels[0] = (struct texture_level){
        .texels = host,
        .width = (uint32_t)(width / texture_texel_bytes(image->texture.format)),
        .height = (uint32_t)height,
        .depth = 1,
        .row_bytes = pitch,
        .slice_bytes = bytes};
    return cudaSuccess;
}

static cudaError_t set_linear(const char *call, struct image *image,
                              const struct cudaResourceDesc *r)
{
    const size_t bytes = r->res.linear.sizeInBytes;
    if (bytes == 0) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "a resource of 0 bytes");
    }
    image->is_linear = true;
    image->dimensions = 1;
    /* As a card does, it takes sizes that are too large: a kernel's fetch beyond the memory is the
     * mistake. */
    const uint64_t begin = (uint64_t)(uintptr_t)r->res.linear.devPtr;
    const struct allocation *a = memory_find(runtime()->memory, begin);
    const uint64_t there = a != NULL ? a->begin + a->bytes - begin : bytes;
    const size_t used = there < bytes ? (size_t)there : bytes;
    cudaError_t code =
        set_memory(call, image, r->res.linear.devPtr, &r->res.linear.desc, used, 1, used);
    image->texels = image->texture.levels[0].width;
    if (code == cudaSuccess) {
        image->texture.levels[0].width =
            (uint32_t)(bytes / texture_texel_bytes(image->texture.format));
    }
    if (code == cudaSuccess && image->texture.levels[0].width > MOST_LINEAR_TEXELS) {
        code = cuda_error_saying(cudaErrorInvalidValue, call, "%u texels: at most %d are possible",
                                 image->texture.levels[0].width, MOST_LINEAR_TEXELS);
    }
    return code;
}

static cudaError_t set_pitched(const char *call, struct image *image,
                               const struct cudaResourceDesc *r)
{
    const size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height;
    const size_t pitch = r->res.pitch2D.pitchInBytes;
    const struct cudaChannelFormatDesc *desc = &r->res.pitch2D.desc;
    const size_t texel = (size_t)(desc->x + desc->y + desc->z + desc->w) / 8;
    if (width == 0 || height == 0 || pitch % PITCH_ALIGNMENT != 0 || pitch < width * texel) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "%zu x %zu texels of %zu bytes with a pitch of %zu bytes: the "
                                 "pitch is a multiple of %d and holds a row, as cudaMallocPitch "
                                 "gives it",
                                 width, height, texel, pitch, PITCH_ALIGNMENT);
    }
    image->dimensions = 2;
    return set_memory(call, image, r->res.pitch2D.devPtr, desc, width * texel, height, pitch);
}

static cudaError_t set_resource(const char *call, struct image *image,
                                const struct cudaResourceDesc *r)
{
    const struct cudaArray *a = NULL;
    const struct cudaMipmappedArray *m = NULL;
    switch (r->resType) {
    case cudaResourceTypeArray:
        a = array_find(call, r->res.array.array);
        break;
    case cudaResourceTypeMipmappedArray:
        m = array_find_mipmap(call, r->res.mipmap.mipmap);
        a = m != NULL ? m->levels[0] : NULL;
        break;
    case cudaResourceTypeLinear:
        return set_linear(call, image, r);
    case cudaResourceTypePitch2D:
        return set_pitched(call, image, r);
    default:
        return cuda_error_saying(cudaErrorInvalidValue, call, "resource type %d is none",
                                 (int)r->resType);
    }
    if (a == NULL) {
        return cudaErrorInvalidResourceHandle;
    }
    set_array(image, a);
    for (unsigned l = 1; m != NULL && l < m->level_count; l++) {
        set_level(image, l, m->levels[l]);
    }
    return cudaSuccess;
}

/* ---- how it is read -------------------------------------------------------------------------- */

static cudaError_t check_reading(const char *call, const struct image *image,
                                 const struct cudaTextureDesc *d)
{
    const struct texture_format f = image->texture.format;
    const bool is_integer = f.number != TEXTURE_FLOAT && !image->texture.reads_floats;
    if (d->readMode == cudaReadModeNormalizedFloat && is_integer && f.bits == 32) {
        return cuda_error_saying(
            cudaErrorInvalidNormSetting, call,
            "cudaReadModeNormalizedFloat: integers of 8 or 16 bits can be read "
            "as floats, not those of 32");
    }
    if (d->filterMode == cudaFilterModeLinear && is_integer &&
        d->readMode != cudaReadModeNormalizedFloat) {
        return cuda_error_saying(
            cudaErrorInvalidFilterSetting, call,
            "cudaFilterModeLinear: only floats are filtered; integers are with "
            "cudaReadModeNormalizedFloat");
    }
    if (image->texture.level_count > 1 && !d->normalizedCoords) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "a mipmap has normalised coordinates");
    }
    if (d->seamlessCubemap) {
        return cuda_error_saying(cudaErrorNotSupported, call,
                                 "filtering across the edges of a cube is not simulated");
    }
    return cudaSuccess;
}

static void set_reading(struct texture *t, const struct cudaTextureDesc *d)
{
    t->is_linear = d->filterMode == cudaFilterModeLinear;
    t->is_linear_between_levels = d->mipmapFilterMode == cudaFilterModeLinear;
    t->is_normalised = d->normalizedCoords != 0;
    t->reads_floats |=
        d->readMode == cudaReadModeNormalizedFloat && t->format.number != TEXTURE_FLOAT;
    t->is_srgb = d->sRGB != 0;
    for (unsigned i = 0; i < 3; i++) {
        t->address[i] = (enum texture_address)d->addressMode[i];
    }
    memcpy(t->border, d->borderColor, sizeof t->border);
    t->level_bias = d->mipmapLevelBias;
    t->least_level = d->minMipmapLevelClamp;
    t->most_level = d->maxMipmapLevelClamp;
}

/* A view shows some of the levels and layers. */
static cudaError_t set_view(const char *call, struct texture *t,
                            const struct cudaResourceViewDesc *v)
{
    if (v->format != cudaResViewFormatNone) {
        return cuda_error_saying(cudaErrorNotSupported, call,
                                 "views in another format than the array's are not simulated");
    }
    if (v->firstMipmapLevel > v->lastMipmapLevel || v->lastMipmapLevel >= t->level_count ||
        v->firstLayer > v->lastLayer || v->lastLayer >= t->levels[0].depth) {
        return cuda_error_saying(cudaErrorInvalidValue, call,
                                 "levels %u to %u and layers %u to %u of %u levels and %u layers",
                                 v->firstMipmapLevel, v->lastMipmapLevel, v->firstLayer,
                                 v->lastLayer, t->level_count, t->levels[0].depth);
    }
    t->level_count = v->lastMipmapLevel - v->firstMipmapLevel + 1;
    memmove(t->levels, t->levels + v->firstMipmapLevel, t->level_count * sizeof *t->levels);
    for (unsigned l = 0; (t->is_layered || t->is_cube) && l < t->level_count; l++) {
        t->levels[l].texels += v->firstLayer * t->levels[l].slice_bytes;
        t->levels[l].depth = v->lastLayer - v->firstLayer + 1;
    }
    return cudaSuccess;
}

/* ---- objects --------------------------------------------------------------------------------- */

static cudaError_t keep(const char *call, const struct image *image, struct described like,
                        unsigned long long *object)
{
    struct described *d = room_raw(1, sizeof *d);
    const uint64_t handle = images_add(image);
    if (handle == 0) {
        free(d);
        return cuda_error_saying(cudaErrorMemoryAllocation, call, "too many objects");
    }
    *d = like;
    d->handle = handle;
    pthread_mutex_lock(&described_lock);
    d->next = all_described;
    all_described = d;
    pthread_mutex_unlock(&described_lock);
    *object = handle;
    return cudaSuccess;
}

/* False: there is no such object. remove: it goes. */
static bool look_up(uint64_t handle, struct described *found, bool remove)
{
    struct described *d = NULL;
    pthread_mutex_lock(&described_lock);
    for (struct described **at = &all_described; *at != NULL; at = &(*at)->next) {
        if ((*at)->handle == handle) {
            d = *at;
            *found = *d;
            *at = remove ? d->next : d;
            break;
        }
    }
    pthread_mutex_unlock(&described_lock);
    if (remove) {
        free(d);
    }
    return d != NULL;
}

void images_visit(bool surfaces, void (*visit)(void *state, const struct handle *h), void *state)
{
    pthread_mutex_lock(&described_lock);
    for (const struct described *d = all_described; d != NULL; d = d->next) {
        if ((strcmp(d->made.made_by, create_surface) == 0) == surfaces) {
            visit(state, &d->made);
        }
    }
    pthread_mutex_unlock(&described_lock);
}

void images_forget(void)
{
    pthread_mutex_lock(&described_lock);
    while (all_described != NULL) {
        struct described *d = all_described;
        all_described = d->next;
        free(d);
    }
    pthread_mutex_unlock(&described_lock);
    images_remove_all();
}

static cudaError_t enter_with(const char *call, const void *a, const void *b, const void *c)
{
    cudaError_t code = runtime_enter();
    if (code == cudaSuccess && (a == NULL || b == NULL || c == NULL)) {
        code = cuda_error_saying(cudaErrorInvalidValue, call, "an argument is a null pointer");
    }
    return code;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                    const struct cudaResourceDesc *pResDesc,
                                    const struct cudaTextureDesc *pTexDesc,
                                    const struct cudaResourceViewDesc *pResViewDesc)
{
    const char *call = "cudaCreateTextureObject";
    struct image image = {0};
    struct described like = {.has_view = pResViewDesc != NULL,
                             .made = {.made_by = call, .made_at = CALL_SITE()}};
    cudaError_t code = enter_with(call, pTexObject, pResDesc, pTexDesc);
    AND_THEN(code, set_resource(call, &image, pResDesc));
    AND_THEN(code, check_reading(call, &image, pTexDesc));
    if (code != cudaSuccess) {
        return code;
    }
    set_reading(&image.texture, pTexDesc);
    like.resource = *pResDesc;
    like.texture = *pTexDesc;
    if (pResViewDesc != NULL) {
        like.view = *pResViewDesc;
        code = set_view(call, &image.texture, pResViewDesc);
    }
    return code == cudaSuccess ? keep(call, &image, like, pTexObject) : code;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                    const struct cudaResourceDesc *pResDesc)
{
    const char *call = create_surface;
    const struct described like = {.resource =
                                       pResDesc != NULL ? *pResDesc : (struct cudaResourceDesc){0},
                                   .made = {.made_by = call, .made_at = CALL_SITE()}};
    struct image image = {.is_surface = true};
    cudaError_t code = enter_with(call, pSurfObject, pResDesc, pResDesc);
    if (code == cudaSuccess && pResDesc->resType != cudaResourceTypeArray) {
        code = cuda_error_saying(cudaErrorInvalidValue, call, "a surface is a CUDA array");
    }
    AND_THEN(code, set_resource(call, &image, pResDesc));
    return code == cudaSuccess ? keep(call, &image, like, pSurfObject) : code;
}

static cudaError_t destroy(const char *call, uint64_t object)
{
    struct described gone;
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess || object == 0) {
        return code;
    }
    runtime_lock(); /* kernels that use it end first */
    const bool was_there = look_up(object, &gone, true) && images_remove(object);
    runtime_unlock();
    return was_there ? cudaSuccess
                     : cuda_error_saying(cudaErrorInvalidValue, call,
                                         "object %" PRIu64 " does not exist", object);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject)
{
    return destroy("cudaDestroyTextureObject", texObject);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject)
{
    return destroy("cudaDestroySurfaceObject", surfObject);
}

/* ---- questions ------------------------------------------------------------------------------- */

/* A member of what is known of the object, to `out`. */
static cudaError_t ask(const char *call, void *out, uint64_t object, size_t offset, size_t bytes)
{
    struct described d;
    const cudaError_t code = enter_with(call, out, out, out);
    if (code != cudaSuccess) {
        return code;
    }
    if (!look_up(object, &d, false)) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "object %" PRIu64 " does not exist",
                                 object);
    }
    if (offset == offsetof(struct described, view) && !d.has_view) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "the object was made without a view");
    }
    memcpy(out, (const char *)&d + offset, bytes);
    return cudaSuccess;
}

#define QUESTION(function, description, handle, member)                                            \
    cudaError_t function(struct description *out, handle object)                                   \
    {                                                                                              \
        return ask(#function, out, object, offsetof(struct described, member),                     \
                   sizeof(((struct described *)0)->member));                                       \
    }
QUESTION(cudaGetTextureObjectResourceDesc, cudaResourceDesc, cudaTextureObject_t, resource)
QUESTION(cudaGetTextureObjectTextureDesc, cudaTextureDesc, cudaTextureObject_t, texture)
QUESTION(cudaGetTextureObjectResourceViewDesc, cudaResourceViewDesc, cudaTextureObject_t, view)
QUESTION(cudaGetSurfaceObjectResourceDesc, cudaResourceDesc, cudaSurfaceObject_t, resource)

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                 const struct cudaChannelFormatDesc *fmtDesc,
                                                 int device)
{
    const char *call = "cudaDeviceGetTexture1DLinearMaxWidth";
    struct texture_format format;
    bool reads_floats;
    cudaError_t code = enter_with(call, maxWidthInElements, fmtDesc, fmtDesc);
    if (code != cudaSuccess) {
        return code;
    }
    if (device != 0) {
        return cuda_error_saying(cudaErrorInvalidDevice, call, "device %d: there is device 0 only",
                                 device);
    }
    if (!array_format(call, fmtDesc, &format, &reads_floats)) {
        return cudaErrorInvalidChannelDescriptor;
    }
    *maxWidthInElements = MOST_LINEAR_TEXELS;
    return cudaSuccess;
}
