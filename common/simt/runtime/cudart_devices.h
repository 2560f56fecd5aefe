/* cudart_devices.h - several simulated GPUs: how many there are, and whose memory an address is.
 *
 * Each has memory of its own; no address is of two. Pinned and managed memory is known to all, and
 * a GPU's own memory to those that cudaDeviceEnablePeerAccess() has been called for. With one GPU
 * none of this costs more than a comparison. */
#ifndef SIMT_CUDART_DEVICES_H
#define SIMT_CUDART_DEVICES_H

#include "runtime/cudart.h"

/* SIMT_GPU, SIMT_DEVICES. */
bool devices_read_environment(runtime_part opened, struct err *e);

cudaError_t devices_check(const char *call, int device);

/* Of the GPU that owns the memory at the pointer; of the thread's, if none does. */
struct runtime *devices_owner(const void *pointer);
static inline struct memory *devices_memory_of(const void *pointer)
{
    return devices_owner(pointer)->memory;
}

/* A GPU has been opened, has allocated memory or has freed it. The GPUs that may use its memory
 * learn of it. */
void devices_opened(const struct runtime *gpu);
void devices_allocated(const struct runtime *gpu, const struct allocation *a);
void devices_freed(const struct runtime *gpu, uint64_t address);
bool devices_are_peers(int device, int peer); /* may kernels of `device` use memory of `peer`? */
void devices_set_peer(int device, int peer, bool access);
void devices_closes(void); /* the thread's */

#endif
