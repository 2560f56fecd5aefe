/* simt/external_memory.h - memory and semaphores of other APIs, and resources of graphics APIs:
 * programs compile, and each call is rejected by name when it is made. Fields and values are those
 * of the CUDA runtime API's documentation. */
#ifndef SIMT_EXTERNAL_MEMORY_H
#define SIMT_EXTERNAL_MEMORY_H

#include "../driver_types.h"
#include "array_types.h"

typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;

#define cudaExternalMemoryDedicated                    0x1
#define cudaExternalSemaphoreSignalSkipNvSciBufMemSync 0x01
#define cudaExternalSemaphoreWaitSkipNvSciBufMemSync   0x02

enum cudaExternalMemoryHandleType {
    cudaExternalMemoryHandleTypeOpaqueFd = 1,
    cudaExternalMemoryHandleTypeOpaqueWin32 = 2,
    cudaExternalMemoryHandleTypeOpaqueWin32Kmt = 3,
    cudaExternalMemoryHandleTypeD3D12Heap = 4,
    cudaExternalMemoryHandleTypeD3D12Resource = 5,
    cudaExternalMemoryHandleTypeD3D11Resource = 6,
    cudaExternalMemoryHandleTypeD3D11ResourceKmt = 7,
    cudaExternalMemoryHandleTypeNvSciBuf = 8
};

enum cudaExternalSemaphoreHandleType {
    cudaExternalSemaphoreHandleTypeOpaqueFd = 1,
    cudaExternalSemaphoreHandleTypeOpaqueWin32 = 2,
    cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt = 3,
    cudaExternalSemaphoreHandleTypeD3D12Fence = 4,
    cudaExternalSemaphoreHandleTypeD3D11Fence = 5,
    cudaExternalSemaphoreHandleTypeNvSciSync = 6,
    cudaExternalSemaphoreHandleTypeKeyedMutex = 7,
    cudaExternalSemaphoreHandleTypeKeyedMutexKmt = 8,
    cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd = 9,
    cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32 = 10
};

enum cudaGraphicsRegisterFlags {
    cudaGraphicsRegisterFlagsNone = 0,
    cudaGraphicsRegisterFlagsReadOnly = 1,
    cudaGraphicsRegisterFlagsWriteDiscard = 2,
    cudaGraphicsRegisterFlagsSurfaceLoadStore = 4,
    cudaGraphicsRegisterFlagsTextureGather = 8
};

enum cudaGraphicsMapFlags {
    cudaGraphicsMapFlagsNone = 0,
    cudaGraphicsMapFlagsReadOnly = 1,
    cudaGraphicsMapFlagsWriteDiscard = 2
};

struct cudaExternalMemoryHandleDesc {
    enum cudaExternalMemoryHandleType type;
    union {
        int fd;
        struct {
            void *handle;
            const void *name;
        } win32;
        const void *nvSciBufObject;
    } handle;
    unsigned long long size;
    unsigned int flags;
    unsigned int reserved[16];
};

struct cudaExternalMemoryBufferDesc {
    unsigned long long offset;
    unsigned long long size;
    unsigned int flags;
    unsigned int reserved[16];
};

struct cudaExternalMemoryMipmappedArrayDesc {
    unsigned long long offset;
    struct cudaChannelFormatDesc formatDesc;
    struct cudaExtent extent;
    unsigned int flags;
    unsigned int numLevels;
    unsigned int reserved[16];
};

struct cudaExternalSemaphoreHandleDesc {
    enum cudaExternalSemaphoreHandleType type;
    union {
        int fd;
        struct {
            void *handle;
            const void *name;
        } win32;
        const void *nvSciSyncObj;
    } handle;
    unsigned int flags;
    unsigned int reserved[16];
};

struct cudaExternalSemaphoreSignalParams {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void *fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
        } keyedMutex;
        unsigned int reserved[12];
    } params;
    unsigned int flags;
    unsigned int reserved[16];
};

struct cudaExternalSemaphoreWaitParams {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void *fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
            unsigned int timeoutMs;
        } keyedMutex;
        unsigned int reserved[10];
    } params;
    unsigned int flags;
    unsigned int reserved[16];
};

#ifdef __cplusplus
#define SIMT_IN_STREAM cudaStream_t stream = 0
extern "C" {
#else
#define SIMT_IN_STREAM cudaStream_t stream
#endif
cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *memory,
                                     const struct cudaExternalMemoryHandleDesc *handle);
cudaError_t cudaExternalMemoryGetMappedBuffer(void **pointer, cudaExternalMemory_t memory,
                                              const struct cudaExternalMemoryBufferDesc *buffer);
cudaError_t
cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap, cudaExternalMemory_t memory,
                                          const struct cudaExternalMemoryMipmappedArrayDesc *array);
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t memory);
cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t *semaphore,
                                        const struct cudaExternalSemaphoreHandleDesc *handle);
cudaError_t
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
                                  const struct cudaExternalSemaphoreSignalParams *params,
                                  unsigned int count, SIMT_IN_STREAM);
cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
                                            const struct cudaExternalSemaphoreWaitParams *params,
                                            unsigned int count, SIMT_IN_STREAM);
cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t semaphore);
cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t *resources, SIMT_IN_STREAM);
cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *resources,
                                       SIMT_IN_STREAM);
cudaError_t cudaGraphicsResourceGetMappedPointer(void **pointer, size_t *bytes,
                                                 cudaGraphicsResource_t resource);
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
                                                  cudaGraphicsResource_t resource,
                                                  unsigned int index, unsigned int level);
cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap,
                                                        cudaGraphicsResource_t resource);
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned int flags);
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource);
#ifdef __cplusplus
}
#endif
#undef SIMT_IN_STREAM

#endif
