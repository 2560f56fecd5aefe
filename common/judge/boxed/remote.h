/* remote.h - the CUDA runtime that a learner's program has in its box: a telephone. Everything is
 * asked of the judge (protocol.h). Nothing here can be trusted or needs to be, for the learner's
 * code runs in the same process. */
#ifndef JUDGE_BOXED_REMOTE_H
#define JUDGE_BOXED_REMOTE_H

#include "common/judge/boxed/protocol.h"

#include <cuda_runtime.h>

#include <stdbool.h>
#include <stddef.h>

/* As addr2line counts, from the program's beginning. */
extern char __executable_start[];
#define CALL_SITE                                                                                  \
    ((uint64_t)((uintptr_t)__builtin_return_address(0) - (uintptr_t)__executable_start))

/* One request; up to `room` bytes of its answer land at `into`. Returns the answer's code. */
cudaError_t remote(enum box_request_kind what, const uint64_t *arguments, uint64_t site,
                   const void *data, size_t bytes, uint64_t *results, void *into, size_t room);
#define ARGUMENTS(...)   ((const uint64_t[8]){__VA_ARGS__})
#define POINTER_VALUE(p) ((uint64_t)(uintptr_t)(p))

/* memory.c: managed memory is the same at both ends when a kernel begins, and when it was waited
 * for; copies that need not be waited for have arrived when something was. */
void remote_before_launch(void);
void remote_waited(void);

/* launch.c: the name of a kernel or variable of this program, or "". */
const char *remote_name(const void *address);

#endif
