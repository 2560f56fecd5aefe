/* cudart_pool_memory.h - what a pool of cudaMallocAsync() holds: the bytes that the program has
 * taken, and those that the pool keeps for it. A card reserves memory in pieces of 32 MiB and gives
 * back what is above the release threshold when the host waits for the device; here, where the host
 * asks for the number. Memory that was freed in a stream is found again by the next request for as
 * many bytes in that stream, as on a card; not under SIMT_CHECK, which reports pointers that were
 * used too long. */
#ifndef SIMT_CUDART_POOL_MEMORY_H
#define SIMT_CUDART_POOL_MEMORY_H

#include "runtime/cudart.h"

enum { POOL_FREED = 16 }; /* places that are remembered to be found again */

struct pool_bytes {
    uint64_t used, used_high, reserved, reserved_high;
};

struct pool_memory {
    unsigned owners; /* the pool itself, and every piece that is taken */
    uint64_t release_threshold;
    struct pool_bytes bytes;
    struct {
        uint64_t begin, bytes;
        cudaStream_t stream;
    } freed[POOL_FREED];
    unsigned freed_next;
};

struct pool_memory *pool_memory_new(void);
/* The pool is destroyed; what was taken from it stays valid. */
void pool_memory_release(struct pool_memory *p);
/* Where the next so many bytes of that stream may lie again; 0: anywhere. Asked once each. */
uint64_t pool_memory_place(struct pool_memory *p, uint64_t bytes, cudaStream_t stream);
void pool_memory_never_again(void); /* SIMT_CHECK */
/* The program has so many bytes of the pool there. */
void pool_memory_taken(struct pool_memory *p, const void *pointer, uint64_t bytes);
/* The memory at that address has been freed, by cudaFreeAsync() in that stream or by cudaFree(). */
void pool_memory_freed(const void *pointer, bool in_stream, cudaStream_t stream);
struct pool_bytes pool_memory_bytes(struct pool_memory *p);
void pool_memory_reset_high(struct pool_memory *p, bool used);
void pool_memory_trim(struct pool_memory *p, uint64_t keep_bytes);
void pool_memory_forget(void); /* cudaDeviceReset(): all that was taken is gone */

#endif
