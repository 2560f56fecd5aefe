/* exec_conditional.h - values of conditional nodes of CUDA graphs: kernels set them with
 * cudaGraphSetConditional(), the runtime reads them. */
#ifndef SIMT_EXEC_CONDITIONAL_H
#define SIMT_EXEC_CONDITIONAL_H

#include "base/base.h"

uint64_t conditional_create(uint32_t value); /* a handle; 0: there are too many */
void conditional_retain(uint64_t handle);
void conditional_free(uint64_t handle); /* as often as created and retained */
/* false: it is no handle. */
bool conditional_set(uint64_t handle, uint32_t value);
bool conditional_get(uint64_t handle, uint32_t *value);

#endif
