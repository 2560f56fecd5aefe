/* driver_array.c - arrays, textures and surfaces of the driver API: the runtime's, under other
 * descriptions. */
#include "runtime/cudart_array.h"
#include "runtime/driver.h"
#include "runtime/driver_array.h"

#include <string.h>

/* ---- descriptions ---------------------------------------------------------------------------- */

static const struct {
    CUarray_format format;
    int bits;
    enum cudaChannelFormatKind kind;
} formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
               {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};

/* A format that the simulator has not becomes one without bits, which the runtime rejects. */
static struct cudaChannelFormatDesc channels_of(CUarray_format format, unsigned channels)
{
    for (unsigned i = 0; i < ARRAY_LENGTH(formats); i++) {
        if (formats[i].format == format) {
            int bits[4] = {formats[i].bits};
            for (unsigned c = 1; c < 4 && c < channels; c++) {
                bits[c] = formats[i].bits;
            }
            return cudaCreateChannelDesc(bits[0], bits[1], bits[2], bits[3], formats[i].kind);
        }
    }
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

static CUarray_format format_of(const struct cudaChannelFormatDesc *desc)
{
    for (unsigned i = 0; i < ARRAY_LENGTH(formats); i++) {
        if (formats[i].bits == desc->x && formats[i].kind == desc->f) {
            return formats[i].format;
        }
    }
    return (CUarray_format)0;
}

static cudaError_t missing(const void *argument)
{
    return argument == NULL
               ? cuda_error_saying(cudaErrorInvalidValue, NULL, "an argument is a null pointer")
               : cudaSuccess;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static cudaError_t create(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    cudaError_t code = missing(d);
    if (code != cudaSuccess) {
        return code;
    }
    const struct cudaChannelFormatDesc desc = channels_of(d->Format, d->NumChannels);
    const struct cudaExtent extent = {d->Width, d->Height, d->Depth};
    return cudaMalloc3DArray((cudaArray_t *)array, &desc, extent, d->Flags);
}

static cudaError_t create_flat(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d)
{
    cudaError_t code = missing(d);
    if (code != cudaSuccess) {
        return code;
    }
    const CUDA_ARRAY3D_DESCRIPTOR whole = {
        .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    return create(array, &whole);
}

static cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;
    cudaError_t code = missing(d);
    AND_THEN(code, cudaArrayGetInfo(&desc, &extent, &d->Flags, (cudaArray_t)array));
    if (code == cudaSuccess) {
        d->Width = extent.width, d->Height = extent.height, d->Depth = extent.depth;
        d->Format = format_of(&desc);
        d->NumChannels = desc.w != 0 ? 4 : desc.y != 0 ? 2 : 1;
    }
    return code;
}

static cudaError_t describe_flat(CUDA_ARRAY_DESCRIPTOR *d, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR whole;
    cudaError_t code = missing(d);
    AND_THEN(code, describe(&whole, array));
    if (code == cudaSuccess) {
        *d = (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
    }
    return code;
}

static cudaError_t create_mipmap(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                 unsigned levels)
{
    cudaError_t code = missing(d);
    if (code != cudaSuccess) {
        return code;
    }
    const struct cudaChannelFormatDesc desc = channels_of(d->Format, d->NumChannels);
    const struct cudaExtent extent = {d->Width, d->Height, d->Depth};
    return cudaMallocMipmappedArray((cudaMipmappedArray_t *)mipmap, &desc, extent, levels,
                                    d->Flags);
}

FORWARD(cuArrayCreate, (CUarray * array, const CUDA_ARRAY_DESCRIPTOR *description),
        create_flat(array, description))
FORWARD(cuArray3DCreate, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *description),
        create(array, description))
FORWARD(cuArrayGetDescriptor, (CUDA_ARRAY_DESCRIPTOR * description, CUarray array),
        describe_flat(description, array))
FORWARD(cuArray3DGetDescriptor, (CUDA_ARRAY3D_DESCRIPTOR * description, CUarray array),
        describe(description, array))
FORWARD(cuArrayDestroy, (CUarray array), cudaFreeArray((cudaArray_t)array))
FORWARD(cuMipmappedArrayCreate,
        (CUmipmappedArray * mipmap, const CUDA_ARRAY3D_DESCRIPTOR *description,
         unsigned int levels),
        create_mipmap(mipmap, description, levels))
FORWARD(cuMipmappedArrayGetLevel, (CUarray * array, CUmipmappedArray mipmap, unsigned int level),
        cudaGetMipmappedArrayLevel((cudaArray_t *)array, (cudaMipmappedArray_t)mipmap, level))
FORWARD(cuMipmappedArrayDestroy, (CUmipmappedArray mipmap),
        cudaFreeMipmappedArray((cudaMipmappedArray_t)mipmap))

/* ---- copies ---------------------------------------------------------------------------------- */

FORWARD(cuMemcpyHtoA, (CUarray to, size_t offset, const void *from, size_t bytes),
        cudaMemcpyToArray((cudaArray_t)to, offset, 0, from, bytes, cudaMemcpyHostToDevice))
FORWARD(cuMemcpyAtoH, (void *to, CUarray from, size_t offset, size_t bytes),
        cudaMemcpyFromArray(to, (cudaArray_t)from, offset, 0, bytes, cudaMemcpyDeviceToHost))
FORWARD(cuMemcpyHtoAAsync,
        (CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream),
        cudaMemcpyToArrayAsync((cudaArray_t)to, offset, 0, from, bytes, cudaMemcpyHostToDevice,
                               stream))
FORWARD(cuMemcpyAtoHAsync, (void *to, CUarray from, size_t offset, size_t bytes, CUstream stream),
        cudaMemcpyFromArrayAsync(to, (cudaArray_t)from, offset, 0, bytes, cudaMemcpyDeviceToHost,
                                 stream))
FORWARD(cuMemcpyDtoA, (CUarray to, size_t offset, CUdeviceptr from, size_t bytes),
        cudaMemcpyToArray((cudaArray_t)to, offset, 0, driver_pointer(from), bytes,
                          cudaMemcpyDeviceToDevice))
FORWARD(cuMemcpyAtoD, (CUdeviceptr to, CUarray from, size_t offset, size_t bytes),
        cudaMemcpyFromArray(driver_pointer(to), (cudaArray_t)from, offset, 0, bytes,
                            cudaMemcpyDeviceToDevice))
FORWARD(cuMemcpyAtoA, (CUarray to, size_t toOffset, CUarray from, size_t fromOffset, size_t bytes),
        cudaMemcpyArrayToArray((cudaArray_t)to, toOffset, 0, (cudaArray_t)from, fromOffset, 0,
                               bytes, cudaMemcpyDeviceToDevice))

/* One end: an array at a place in texels, or memory from there on. */
struct side {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
};

static void set_side(const struct side *s, uint64_t texel, size_t width, cudaArray_t *array,
                     struct cudaPos *at, struct cudaPitchedPtr *memory)
{
    if (s->type == CU_MEMORYTYPE_ARRAY) {
        *array = (cudaArray_t)s->array;
        *at = (struct cudaPos){s->x / texel, s->y, s->z};
        return;
    }
    const size_t pitch = s->pitch != 0 ? s->pitch : s->x + width;
    const size_t offset = (s->z * s->height + s->y) * pitch + s->x;
    const unsigned char *base = s->type == CU_MEMORYTYPE_HOST ? s->host : driver_pointer(s->device);
    *memory = (struct cudaPitchedPtr){(void *)(uintptr_t)(base + offset), pitch, width, s->height};
}

cudaError_t driver_copy_array(const CUDA_MEMCPY3D *c, bool waits, CUstream stream)
{
    const struct side from = {
        c->srcMemoryType, c->srcHost,     c->srcDevice,
        c->srcArray,      c->srcXInBytes, c->srcY,
        c->srcZ,          c->srcPitch,    c->srcHeight != 0 ? c->srcHeight : c->srcY + c->Height};
    const struct side to = {
        c->dstMemoryType, c->dstHost,     c->dstDevice,
        c->dstArray,      c->dstXInBytes, c->dstY,
        c->dstZ,          c->dstPitch,    c->dstHeight != 0 ? c->dstHeight : c->dstY + c->Height};
    const struct cudaArray *a =
        array_find(NULL, (cudaArray_t)(from.type == CU_MEMORYTYPE_ARRAY ? from.array : to.array));
    if (a == NULL) {
        return cudaErrorInvalidResourceHandle;
    }
    const uint64_t texel = texture_texel_bytes(a->format);
    if (c->WidthInBytes % texel != 0 || (from.type == CU_MEMORYTYPE_ARRAY && from.x % texel != 0) ||
        (to.type == CU_MEMORYTYPE_ARRAY && to.x % texel != 0)) {
        return cuda_error_saying(cudaErrorInvalidValue, NULL,
                                 "%zu bytes: the array's texels have %u bytes each",
                                 c->WidthInBytes, (unsigned)texel);
    }
    struct cudaMemcpy3DParms p = {.extent = {c->WidthInBytes / texel, c->Height, c->Depth},
                                  .kind = cudaMemcpyDefault};
    set_side(&from, texel, c->WidthInBytes, &p.srcArray, &p.srcPos, &p.srcPtr);
    set_side(&to, texel, c->WidthInBytes, &p.dstArray, &p.dstPos, &p.dstPtr);
    return waits ? cudaMemcpy3D(&p) : cudaMemcpy3DAsync(&p, stream);
}

/* ---- textures and surfaces ------------------------------------------------------------------- */

static struct cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC *r)
{
    struct cudaResourceDesc to = {.resType = (enum cudaResourceType)r->resType};
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        to.res.array.array = (cudaArray_t)r->res.array.hArray;
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        to.res.mipmap.mipmap = (cudaMipmappedArray_t)r->res.mipmap.hMipmappedArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        to.res.linear.devPtr = driver_pointer(r->res.linear.devPtr);
        to.res.linear.desc = channels_of(r->res.linear.format, r->res.linear.numChannels);
        to.res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        break;
    default:
        to.res.pitch2D.devPtr = driver_pointer(r->res.pitch2D.devPtr);
        to.res.pitch2D.desc = channels_of(r->res.pitch2D.format, r->res.pitch2D.numChannels);
        to.res.pitch2D.width = r->res.pitch2D.width;
        to.res.pitch2D.height = r->res.pitch2D.height;
        to.res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
    }
    return to;
}

/* Integers of 8 and 16 bits are read as floats unless the program says otherwise. */
static bool is_small_integer(const struct cudaResourceDesc *r)
{
    struct cudaChannelFormatDesc d = r->res.linear.desc;
    if (r->resType == cudaResourceTypePitch2D) {
        d = r->res.pitch2D.desc;
    } else if (r->resType != cudaResourceTypeLinear) {
        const struct cudaMipmappedArray *m = r->resType == cudaResourceTypeMipmappedArray
                                                 ? array_find_mipmap(NULL, r->res.mipmap.mipmap)
                                                 : NULL;
        const struct cudaArray *a = m != NULL ? m->levels[0] : array_find(NULL, r->res.array.array);
        d = a != NULL ? a->desc : d;
    }
    return d.x < 32 && d.f != cudaChannelFormatKindFloat;
}

static cudaError_t create_texture(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                  const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *view)
{
    cudaError_t code = missing(resource);
    AND_THEN(code, missing(t));
    if (code != cudaSuccess) {
        return code;
    }
    const struct cudaResourceDesc r = resource_of(resource);
    const bool as_floats = !(t->flags & CU_TRSF_READ_AS_INTEGER) && is_small_integer(&r);
    struct cudaTextureDesc d = {
        .filterMode = (enum cudaTextureFilterMode)t->filterMode,
        .readMode = as_floats ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
        .sRGB = (t->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (t->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = t->maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)t->mipmapFilterMode,
        .mipmapLevelBias = t->mipmapLevelBias,
        .minMipmapLevelClamp = t->minMipmapLevelClamp,
        .maxMipmapLevelClamp = t->maxMipmapLevelClamp,
        .seamlessCubemap = (t->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0};
    for (unsigned i = 0; i < 3; i++) {
        d.addressMode[i] = (enum cudaTextureAddressMode)t->addressMode[i];
    }
    memcpy(d.borderColor, t->borderColor, sizeof d.borderColor);
    struct cudaResourceViewDesc v = {0};
    if (view != NULL) {
        v = (struct cudaResourceViewDesc){.format = (enum cudaResourceViewFormat)view->format,
                                          .width = view->width,
                                          .height = view->height,
                                          .depth = view->depth,
                                          .firstMipmapLevel = view->firstMipmapLevel,
                                          .lastMipmapLevel = view->lastMipmapLevel,
                                          .firstLayer = view->firstLayer,
                                          .lastLayer = view->lastLayer};
    }
    return cudaCreateTextureObject(object, &r, &d, view != NULL ? &v : NULL);
}

static cudaError_t create_surface(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    cudaError_t code = missing(resource);
    if (code != cudaSuccess) {
        return code;
    }
    const struct cudaResourceDesc r = resource_of(resource);
    return cudaCreateSurfaceObject(object, &r);
}

FORWARD(cuTexObjectCreate,
        (CUtexObject * object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
         const CUDA_RESOURCE_VIEW_DESC *view),
        create_texture(object, resource, texture, view))
FORWARD(cuTexObjectDestroy, (CUtexObject object), cudaDestroyTextureObject(object))
FORWARD(cuSurfObjectCreate, (CUsurfObject * object, const CUDA_RESOURCE_DESC *resource),
        create_surface(object, resource))
FORWARD(cuSurfObjectDestroy, (CUsurfObject object), cudaDestroySurfaceObject(object))
