/* cudart_copy.h - what copies to and from variables take from copies of memory. */
#ifndef SIMT_CUDART_COPY_H
#define SIMT_CUDART_COPY_H

#include "cuda/cudart.h"

/* A synchronous call waits for the device, so it tells of a fault; an asynchronous one does not,
 * and its work is dropped if there was one. */
enum copy_mode { COPY_WAITS, COPY_QUEUED };

cudaError_t copy_enter(enum copy_mode mode);
/* `call` is what messages name. Every range is judged before a byte moves. */
cudaError_t copy_line(const char *call, void *to, const void *from, size_t bytes,
                      enum cudaMemcpyKind kind, enum copy_mode mode);

#endif
