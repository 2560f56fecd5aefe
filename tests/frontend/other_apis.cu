/* Memory, semaphores and resources of other APIs: a program that has them compiles, and each call
 * is rejected with cudaErrorNotSupported. */
#include "check.h"

static void memory()
{
    cudaExternalMemory_t memory = nullptr;
    cudaExternalMemoryHandleDesc from = {};
    from.type = cudaExternalMemoryHandleTypeOpaqueFd;
    from.handle.fd = 3;
    from.size = 4096;
    CHECK_ERROR(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &from));
    cudaExternalMemoryBufferDesc buffer = {};
    buffer.size = 4096;
    void *pointer = nullptr;
    CHECK_ERROR(cudaErrorNotSupported,
                cudaExternalMemoryGetMappedBuffer(&pointer, memory, &buffer));
    cudaExternalMemoryMipmappedArrayDesc levels = {};
    levels.numLevels = 1;
    cudaMipmappedArray_t mipmap = nullptr;
    CHECK_ERROR(cudaErrorNotSupported,
                cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &levels));
    CHECK_ERROR(cudaErrorNotSupported, cudaDestroyExternalMemory(memory));
    CHECK(!memory && !pointer && !mipmap);
}

static void semaphores()
{
    cudaExternalSemaphore_t semaphore = nullptr;
    cudaExternalSemaphoreHandleDesc from = {};
    from.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
    from.handle.fd = 3;
    CHECK_ERROR(cudaErrorNotSupported, cudaImportExternalSemaphore(&semaphore, &from));
    cudaExternalSemaphoreSignalParams given = {};
    given.params.fence.value = 1;
    CHECK_ERROR(cudaErrorNotSupported, cudaSignalExternalSemaphoresAsync(&semaphore, &given, 1));
    cudaExternalSemaphoreWaitParams wanted = {};
    wanted.params.keyedMutex.timeoutMs = 1;
    CHECK_ERROR(cudaErrorNotSupported, cudaWaitExternalSemaphoresAsync(&semaphore, &wanted, 1, 0));
    CHECK_ERROR(cudaErrorNotSupported, cudaDestroyExternalSemaphore(semaphore));
}

static void graphics()
{
    cudaGraphicsResource_t resource = nullptr;
    void *pointer = nullptr;
    size_t bytes = 7;
    cudaArray_t array = nullptr;
    CHECK_ERROR(cudaErrorNotSupported,
                cudaGraphicsResourceSetMapFlags(resource, cudaGraphicsMapFlagsReadOnly));
    CHECK_ERROR(cudaErrorNotSupported, cudaGraphicsMapResources(1, &resource));
    CHECK_ERROR(cudaErrorNotSupported,
                cudaGraphicsResourceGetMappedPointer(&pointer, &bytes, resource));
    CHECK_ERROR(cudaErrorNotSupported,
                cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    CHECK_ERROR(cudaErrorNotSupported, cudaGraphicsUnmapResources(1, &resource, 0));
    CHECK_ERROR(cudaErrorNotSupported, cudaGraphicsUnregisterResource(resource));
    CHECK(!pointer && bytes == 7 && !array);
}

int main()
{
    if (!on_simulator)
        return 0; /* a GPU has other errors for such calls */
    memory();
    semaphores();
    graphics();
    return check_result();
}
