/* cudart_pool.h - what ends with the GPU's memory pools. */
#ifndef SIMT_CUDART_POOL_H
#define SIMT_CUDART_POOL_H

void pools_forget(void); /* cudaDeviceReset() */

#endif
