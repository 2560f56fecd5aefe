/* driver_memory.c - memory, copies and fills of the driver API, through the runtime's. */
#include "runtime/driver.h"
#include "runtime/driver_array.h"

#include <string.h>

#include "base/describe.h"
#include "runtime/cudart_copy.h"

/* ---- allocate and free ----------------------------------------------------------------------- */

static cudaError_t allocate(const char *call, CUdeviceptr *pointer, size_t bytes,
                            enum memory_kind kind, const void *site)
{
    void *at = NULL;
    if (bytes == 0) { /* unlike cudaMalloc() */
        return cuda_error_saying(cudaErrorInvalidValue, call, "0 bytes");
    }
    const cudaError_t code = runtime_allocate(call, &at, bytes, kind, site);
    *pointer = (CUdeviceptr)(uintptr_t)at;
    return code;
}

FORWARD(cuMemGetInfo, (size_t * free, size_t *total), cudaMemGetInfo(free, total))
FORWARD(cuMemAlloc, (CUdeviceptr * pointer, size_t bytes),
        allocate("cuMemAlloc", pointer, bytes, MEMORY_DEVICE, CALL_SITE()))
FORWARD(cuMemAllocManaged, (CUdeviceptr * pointer, size_t bytes, unsigned int flags),
        cudaMallocManaged((void **)pointer, bytes, flags))
FORWARD(cuMemAllocAsync, (CUdeviceptr * pointer, size_t bytes, CUstream stream),
        cudaMallocAsync((void **)pointer, bytes, stream))
FORWARD(cuMemAllocFromPoolAsync,
        (CUdeviceptr * pointer, size_t bytes, CUmemoryPool pool, CUstream stream),
        cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream))
FORWARD(cuMemFree, (CUdeviceptr pointer), cudaFree(driver_pointer(pointer)))
FORWARD(cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream),
        cudaFreeAsync(driver_pointer(pointer), stream))
FORWARD(cuMemAllocHost, (void **pointer, size_t bytes), cudaMallocHost(pointer, bytes))
FORWARD(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned int flags),
        cudaHostAlloc(pointer, bytes, flags))
FORWARD(cuMemFreeHost, (void *pointer), cudaFreeHost(pointer))
FORWARD(cuMemHostRegister, (void *pointer, size_t bytes, unsigned int flags),
        cudaHostRegister(pointer, bytes, flags))
FORWARD(cuMemHostUnregister, (void *pointer), cudaHostUnregister(pointer))
FORWARD(cuMemHostGetDevicePointer, (CUdeviceptr * device, void *host, unsigned int flags),
        cudaHostGetDevicePointer((void **)device, host, flags))
FORWARD(cuMemHostGetFlags, (unsigned int *flags, void *host), cudaHostGetFlags(flags, host))

static cudaError_t allocate_rows(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                                 unsigned int element)
{
    if (element != 4 && element != 8 && element != 16) {
        return cuda_error_saying(cudaErrorInvalidValue, "cuMemAllocPitch",
                                 "elements of %u bytes: 4, 8 or 16 are possible", element);
    }
    return cudaMallocPitch((void **)pointer, pitch, width, height);
}

FORWARD(cuMemAllocPitch,
        (CUdeviceptr * pointer, size_t *pitch, size_t width, size_t height, unsigned int element),
        allocate_rows(pointer, pitch, width, height, element))

/* ---- what a pointer is ----------------------------------------------------------------------- */

static const struct allocation *holder_of(CUdeviceptr pointer)
{
    return memory_find(runtime()->memory, pointer);
}

static cudaError_t range_of(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer)
{
    const struct allocation *a = holder_of(pointer);
    if (a == NULL) {
        char text[800];
        cudart_explain_pointer(driver_pointer(pointer), text, sizeof text);
        return cuda_error_saying(cudaErrorInvalidSymbol, NULL, "%s", text);
    }
    if (base != NULL) {
        *base = a->begin;
    }
    if (bytes != NULL) {
        *bytes = a->bytes;
    }
    return cudaSuccess;
}

FORWARD(cuMemGetAddressRange, (CUdeviceptr * base, size_t *bytes, CUdeviceptr pointer),
        range_of(base, bytes, pointer))

static cudaError_t attribute_of(void *value, CUpointer_attribute attribute, CUdeviceptr pointer)
{
    const struct allocation *a = holder_of(pointer);
    if (a == NULL && attribute == CU_POINTER_ATTRIBUTE_MAPPED) {
        *(int *)value = 0;
        return cudaSuccess;
    }
    if (a == NULL || value == NULL) {
        return cudaErrorInvalidValue; /* programs ask this of host pointers, too */
    }
    const bool host = a->kind == MEMORY_PINNED;
    struct cudaPointerAttributes known;
    cudaPointerGetAttributes(&known, driver_pointer(pointer));
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)value = driver_current_context();
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)value = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)value = pointer;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)value = known.hostPointer;
        return known.hostPointer != NULL ? cudaSuccess : cudaErrorInvalidValue;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(unsigned *)value = 0;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)value = a->serial;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(int *)value = a->kind == MEMORY_MANAGED;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)value = known.device;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)value = a->begin;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)value = a->bytes;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(int *)value = 1;
        return cudaSuccess;
    default:
        return cuda_error_saying(cudaErrorNotSupported, NULL, "attribute %d is not simulated",
                                 (int)attribute);
    }
}

FORWARD(cuPointerGetAttribute, (void *value, CUpointer_attribute attribute, CUdeviceptr pointer),
        attribute_of(value, attribute, pointer))

static cudaError_t attributes_of(unsigned int count, CUpointer_attribute *attributes, void **values,
                                 CUdeviceptr pointer)
{
    cudaError_t code = cudaSuccess;
    for (unsigned i = 0; i < count && code == cudaSuccess; i++) {
        code = attribute_of(values[i], attributes[i], pointer);
    }
    return code;
}

FORWARD(cuPointerGetAttributes,
        (unsigned int count, CUpointer_attribute *attributes, void **values, CUdeviceptr pointer),
        attributes_of(count, attributes, values, pointer))

/* ---- copies ---------------------------------------------------------------------------------- */

#define LINE(name, TO, FROM, to, from, kind)                                                       \
    FORWARD_FROM(driver_begin, #name, name, (TO, FROM, size_t bytes),                              \
                 cudaMemcpy(to, from, bytes, kind))                                                \
    FORWARD_FROM(driver_begin, #name "Async", name##Async,                                         \
                 (TO, FROM, size_t bytes, CUstream stream),                                        \
                 cudaMemcpyAsync(to, from, bytes, kind, stream))

LINE(cuMemcpy, CUdeviceptr to, CUdeviceptr from, driver_pointer(to), driver_pointer(from),
     cudaMemcpyDefault)
LINE(cuMemcpyHtoD, CUdeviceptr to, const void *from, driver_pointer(to), from,
     cudaMemcpyHostToDevice)
LINE(cuMemcpyDtoH, void *to, CUdeviceptr from, to, driver_pointer(from), cudaMemcpyDeviceToHost)
LINE(cuMemcpyDtoD, CUdeviceptr to, CUdeviceptr from, driver_pointer(to), driver_pointer(from),
     cudaMemcpyDeviceToDevice)

static int device_of(CUcontext context) { return context != NULL ? context->device : -1; }

FORWARD(cuMemcpyPeer,
        (CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext,
         size_t bytes),
        cudaMemcpyPeer(driver_pointer(to), device_of(toContext), driver_pointer(from),
                       device_of(fromContext), bytes))
FORWARD(cuMemcpyPeerAsync,
        (CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes,
         CUstream stream),
        cudaMemcpyPeerAsync(driver_pointer(to), device_of(toContext), driver_pointer(from),
                            device_of(fromContext), bytes, stream))

/* One side of a pitched copy. false: no type of memory. */
static bool side(CUmemorytype type, const void *host, CUdeviceptr device, size_t pitch,
                 size_t width, size_t height, struct cudaPitchedPtr *out)
{
    *out = (struct cudaPitchedPtr){.pitch = pitch != 0 ? pitch : width,
                                   .xsize = width,
                                   .ysize = height,
                                   .ptr = type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)host
                                                                     : driver_pointer(device)};
    return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE ||
           type == CU_MEMORYTYPE_UNIFIED;
}

static enum cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to)
{
    if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) {
        return cudaMemcpyDefault;
    }
    if (from == CU_MEMORYTYPE_HOST) {
        return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    }
    return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

static cudaError_t copy_box(const CUDA_MEMCPY3D *c, bool waits, CUstream stream)
{
    if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY || c->dstMemoryType == CU_MEMORYTYPE_ARRAY) {
        return driver_copy_array(c, waits, stream);
    }
    struct cudaMemcpy3DParms p = {
        .srcPos = {c->srcXInBytes, c->srcY, c->srcZ},
        .dstPos = {c->dstXInBytes, c->dstY, c->dstZ},
        .extent = {c->WidthInBytes, c->Height, c->Depth},
        .kind = kind_of(c->srcMemoryType, c->dstMemoryType),
    };
    const size_t from_rows = c->srcHeight != 0 ? c->srcHeight : c->srcY + c->Height;
    const size_t to_rows = c->dstHeight != 0 ? c->dstHeight : c->dstY + c->Height;
    if (!side(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcPitch,
              c->srcXInBytes + c->WidthInBytes, from_rows, &p.srcPtr) ||
        !side(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstPitch,
              c->dstXInBytes + c->WidthInBytes, to_rows, &p.dstPtr)) {
        return cuda_error_saying(cudaErrorInvalidValue, NULL, "a memory type that is none");
    }
    return waits ? cudaMemcpy3D(&p) : cudaMemcpy3DAsync(&p, stream);
}

static cudaError_t copy_rows(const CUDA_MEMCPY2D *c, bool waits, CUstream stream)
{
    const CUDA_MEMCPY3D box = {
        .srcXInBytes = c->srcXInBytes,
        .srcY = c->srcY,
        .srcMemoryType = c->srcMemoryType,
        .srcHost = c->srcHost,
        .srcDevice = c->srcDevice,
        .srcArray = c->srcArray,
        .srcPitch = c->srcPitch,
        .dstXInBytes = c->dstXInBytes,
        .dstY = c->dstY,
        .dstMemoryType = c->dstMemoryType,
        .dstHost = c->dstHost,
        .dstDevice = c->dstDevice,
        .dstArray = c->dstArray,
        .dstPitch = c->dstPitch,
        .WidthInBytes = c->WidthInBytes,
        .Height = c->Height,
        .Depth = 1,
    };
    return copy_box(&box, waits, stream);
}

FORWARD(cuMemcpy2D, (const CUDA_MEMCPY2D *copy), copy_rows(copy, true, NULL))
FORWARD(cuMemcpy2DUnaligned, (const CUDA_MEMCPY2D *copy), copy_rows(copy, true, NULL))
FORWARD(cuMemcpy2DAsync, (const CUDA_MEMCPY2D *copy, CUstream stream),
        copy_rows(copy, false, stream))
FORWARD(cuMemcpy3D, (const CUDA_MEMCPY3D *copy), copy_box(copy, true, NULL))
FORWARD(cuMemcpy3DAsync, (const CUDA_MEMCPY3D *copy, CUstream stream),
        copy_box(copy, false, stream))

/* Addresses say whose memory they are, so the contexts, where another copy has nothing, are not
 * needed. */
static CUDA_MEMCPY3D without_contexts(const CUDA_MEMCPY3D_PEER *copy)
{
    CUDA_MEMCPY3D c;
    _Static_assert(sizeof c == sizeof *copy, "a context takes the place of a reserved pointer");
    memcpy(&c, copy, sizeof c);
    c.reserved0 = c.reserved1 = NULL;
    return c;
}

static cudaError_t copy_peers(const CUDA_MEMCPY3D_PEER *copy, bool waits, CUstream stream)
{
    if (copy == NULL) {
        return cudaErrorInvalidValue;
    }
    const CUDA_MEMCPY3D c = without_contexts(copy);
    return copy_box(&c, waits, stream);
}

FORWARD(cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *copy), copy_peers(copy, true, NULL))
FORWARD(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *copy, CUstream stream),
        copy_peers(copy, false, stream))

/* ---- fills ----------------------------------------------------------------------------------- */

struct fill {
    CUdeviceptr to;
    size_t pitch, width, height; /* in elements, but for the pitch */
    unsigned value, element;     /* bytes of an element: 1, 2 or 4 */
};

static cudaError_t fill(const struct fill *f, bool waits, CUstream stream)
{
    const struct copy_fill rows = {.to = driver_pointer(f->to),
                                   .pitch = f->pitch,
                                   .width = f->width * f->element,
                                   .height = f->height,
                                   .value = f->value,
                                   .element = f->element};
    if (f->to % f->element != 0 || (f->height > 1 && f->pitch % f->element != 0)) {
        return cuda_error_saying(cudaErrorInvalidValue, NULL,
                                 "0x%llx and the pitch %zu must be multiples of %u", f->to,
                                 f->pitch, f->element);
    }
    return copy_fill_rows(runtime_spoken_call(), &rows,
                          (struct copy_mode){.waits = waits, .stream = stream});
}

#define FILL(name, type, bytes)                                                                    \
    FORWARD_FROM(driver_begin, #name, name, (CUdeviceptr to, type value, size_t count),            \
                 fill(&(struct fill){to, 0, count, 1, value, bytes}, true, NULL))                  \
    FORWARD_FROM(driver_begin, #name "Async", name##Async,                                         \
                 (CUdeviceptr to, type value, size_t count, CUstream stream),                      \
                 fill(&(struct fill){to, 0, count, 1, value, bytes}, false, stream))
FILL(cuMemsetD8, unsigned char, 1)
FILL(cuMemsetD16, unsigned short, 2)
FILL(cuMemsetD32, unsigned int, 4)

#define FILL_ROWS(name, type, bytes)                                                               \
    FORWARD_FROM(driver_begin, #name, name,                                                        \
                 (CUdeviceptr to, size_t pitch, type value, size_t width, size_t height),          \
                 fill(&(struct fill){to, pitch, width, height, value, bytes}, true, NULL))         \
    FORWARD_FROM(                                                                                  \
        driver_begin, #name "Async", name##Async,                                                  \
        (CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, CUstream stream),  \
        fill(&(struct fill){to, pitch, width, height, value, bytes}, false, stream))
FILL_ROWS(cuMemsetD2D8, unsigned char, 1)
FILL_ROWS(cuMemsetD2D16, unsigned short, 2)
FILL_ROWS(cuMemsetD2D32, unsigned int, 4)

/* ---- pools and hints ------------------------------------------------------------------------- */

FORWARD(cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
        cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value))
FORWARD(cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
        cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value))
FORWARD(cuMemPoolTrimTo, (CUmemoryPool pool, size_t bytes), cudaMemPoolTrimTo(pool, bytes))

static struct cudaMemLocation location_of(CUmemLocation l)
{
    return (struct cudaMemLocation){(enum cudaMemLocationType)l.type, l.id};
}

FORWARD(cuMemAdvise,
        (CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation location),
        cudaMemAdvise(driver_pointer(pointer), bytes, (enum cudaMemoryAdvise)advice,
                      location_of(location)))
FORWARD(cuMemPrefetchAsync,
        (CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned int flags,
         CUstream stream),
        cudaMemPrefetchAsync(driver_pointer(pointer), bytes, location_of(location), flags, stream))
FORWARD(cuMemRangeGetAttribute,
        (void *data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr pointer,
         size_t bytes),
        cudaMemRangeGetAttribute(data, dataSize, (enum cudaMemRangeAttribute)attribute,
                                 driver_pointer(pointer), bytes))
FORWARD(cuMemRangeGetAttributes,
        (void **data, size_t *dataSizes, CUmem_range_attribute *attributes, size_t count,
         CUdeviceptr pointer, size_t bytes),
        cudaMemRangeGetAttributes(data, dataSizes, (enum cudaMemRangeAttribute *)(void *)attributes,
                                  count, driver_pointer(pointer), bytes))
