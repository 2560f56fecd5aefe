/* box_state.h - what a program in its box has on the GPU, and what it does with it; for
 * box_serve.c, box_names.c and box_memory.c alone. */
#ifndef JUDGE_BOX_STATE_H
#define JUDGE_BOX_STATE_H

#include "common/judge/learner.h"

#include <cuda_runtime.h>

struct memory {
    uint64_t address, bytes, site;
    enum { OF_PROGRAM, OF_JUDGE, OF_MODULE } whose; /* the first is freed in the end */
    bool freed;
};

/* box_names.c. NULL: the program may not name these bytes. */
struct memory *box_memory_at(uint64_t address, uint64_t bytes);
/* The address, or one that no runtime takes for memory, so that it reports the error. */
void *box_address(uint64_t address, uint64_t bytes);
bool box_remember(uint64_t address, uint64_t bytes, uint64_t site, int whose);
/* What findings call memory that begins there, until box_allocations_named() says where it was
 * made. */
const char *box_name_of(uint64_t address);
/* An unknown stream becomes a number that no stream has, an unknown event NULL. */
cudaStream_t box_stream(uint64_t value);
cudaEvent_t box_event(uint64_t value);
cudaError_t box_new_handle(void *handle, bool event, cudaError_t code, uint64_t *result);
void box_forget_handle(uint64_t value);
void box_forget_names(void);

/* box_memory.c: the requests of the same names. */
cudaError_t box_allocate(const struct box_request *r, uint64_t *result);
cudaError_t box_release(uint64_t address);
cudaError_t box_write(struct judge *j, const struct box_request *r, const unsigned char *data,
                      uint32_t bytes);
struct box_answer box_fetch(const struct box_request *r);
cudaError_t box_fetch_later(const struct box_request *r, uint64_t *number);
struct box_answer box_give_fetched(const struct box_request *r);
cudaError_t box_move(struct judge *j, const struct box_request *r);
cudaError_t box_fill(const struct box_request *r);
cudaError_t box_symbol(const char *name, const struct box_request *r, uint64_t *result);
void box_forget_copies(void);

#endif
