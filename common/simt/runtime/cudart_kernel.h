/* cudart_kernel.h - what the runtime's calls return on the host and in kernels alike. */
#ifndef SIMT_CUDART_KERNEL_H
#define SIMT_CUDART_KERNEL_H

#include "runtime/cudart.h"

struct CUkern_st;

/* Of a kernel that is loaded, on the thread's device. */
void kernel_describe(const struct CUkern_st *k, struct cudaFuncAttributes *out);
unsigned kernel_blocks_per_sm(const struct CUkern_st *k, unsigned threads, uint64_t dynamic_shared);

/* cudart_device.c: false: there is no such attribute. */
bool device_attribute_value(int device, int attribute, int *value);
enum cudaFuncCache device_cache_config(void);
/* cudart_limit.c: false: there is no such limit. */
bool limit_value(int limit, uint64_t *bytes);

#endif
