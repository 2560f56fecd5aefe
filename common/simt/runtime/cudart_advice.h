/* cudart_advice.h - advice that programs give about managed memory: where it should lie, which
 * device uses it. */
#ifndef SIMT_CUDART_ADVICE_H
#define SIMT_CUDART_ADVICE_H

#include "runtime/cudart.h"

/* Are these bytes inside managed memory? */
cudaError_t advice_check(const char *call, const void *pointer, size_t bytes);
/* cudaDeviceReset(): nothing has been said of the memory of that device. */
void advice_forget(int device);

#endif
