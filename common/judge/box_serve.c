/* box_serve.c - what a program in its box asks of the GPU is done here, by the judge's own runtime.
 * It may name memory that it allocated or was granted, streams and events that it got; anything
 * else is an error of its call, as it would be of a program alone. */
#include "common/judge/box_state.h"
#include "common/judge/learner.h"

#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static union {
    struct cudaDeviceProp properties;
    struct cudaFuncAttributes attributes;
    struct cudaPointerAttributes pointer;
    struct box_layout layout;
    char text[256];
} out;

/* --- the first call that failed, which the program may not have looked at --------------------- */

static struct {
    const char *what; /* NULL: none failed */
    uint64_t site;
    cudaError_t code;
} failed;

static const char *call_named(uint32_t what)
{
    static const char *const names[] = {[BOX_ALLOCATE] = "cudaMalloc",
                                        [BOX_ALLOCATE_SHARED] = "cudaMallocManaged",
                                        [BOX_ALLOCATE_PITCH] = "cudaMallocPitch",
                                        [BOX_FREE] = "cudaFree",
                                        [BOX_WRITE] = "a copy to the GPU",
                                        [BOX_FETCH] = "a copy to the host",
                                        [BOX_FETCH_LATER] = "a copy to the host",
                                        [BOX_MOVE] = "a copy on the GPU",
                                        [BOX_SET] = "cudaMemset",
                                        [BOX_LAUNCH] = "the launch"};
    return what < sizeof names / sizeof names[0] ? names[what] : NULL;
}

/* Errors of a kernel, which later calls repeat, have a verdict of their own. */
static void note_failure(const struct box_request *r, cudaError_t code)
{
    const bool of_call = code == cudaErrorInvalidValue || code == cudaErrorInvalidConfiguration ||
                         code == cudaErrorMemoryAllocation || code == cudaErrorInvalidDevicePointer;
    if (of_call && failed.what == NULL && call_named(r->what) != NULL) {
        failed.what = call_named(r->what);
        failed.site = r->site;
        failed.code = code;
    }
}

void box_failure(char *text, size_t size)
{
    char line[128];
    text[0] = '\0';
    if (failed.what != NULL) {
        box_line(failed.site, line, sizeof line);
        snprintf(text, size, "The first call that failed: %s%s%s, %s\n", failed.what,
                 line[0] != '\0' ? " at " : "", line, cudaGetErrorString(failed.code));
    }
}

/* --- a kernel that the judge lets fail ---------------------------------------------------------
 */

static bool next_wait_fails, failure_is_news;

void box_fail_next_wait(void) { next_wait_fails = true; }

static cudaError_t waited(cudaError_t code)
{
    if (!next_wait_fails) {
        return code;
    }
    next_wait_fails = false;
    failure_is_news = true;
    return cudaErrorLaunchFailure;
}

static cudaError_t last_error(bool forget)
{
    if (!failure_is_news) {
        return forget ? cudaGetLastError() : cudaPeekAtLastError();
    }
    failure_is_news = !forget;
    return cudaErrorLaunchFailure;
}

/* --- kernels ---------------------------------------------------------------------------------- */

static cudaError_t launch(struct judge *j, const unsigned char *data, uint32_t bytes)
{
    static char nothing[16];
    struct box_launch l;
    struct box_layout layout;
    void *parameters[BOX_PARAMETERS];
    if (bytes <= sizeof l || data[bytes - 1] != 0) {
        return cudaErrorInvalidValue;
    }
    memcpy(&l, data, sizeof l);
    const char *const name = (const char *)data + sizeof l;
    const void *const kernel = learner_kernel(name, &layout);
    const unsigned char *at = (const unsigned char *)name + strlen(name) + 1;
    size_t left = (size_t)(data + bytes - at), needed = 0;
    for (uint32_t i = 0; kernel != NULL && i < layout.count; i++) {
        parameters[i] = (void *)(uintptr_t)(at + needed);
        needed += (layout.bytes[i] + 15u) / 16 * 16;
    }
    const dim3 grid = {l.grid[0], l.grid[1], l.grid[2]};
    const dim3 block = {l.block[0], l.block[1], l.block[2]};
    if (kernel == NULL || needed + 1 > left) {
        return cudaLaunchKernel(nothing, grid, block, parameters, 0, 0);
    }
    j->host_launches++;
    return l.cooperative ? cudaLaunchCooperativeKernel(kernel, grid, block, parameters,
                                                       l.shared_bytes, box_stream(l.stream))
                         : cudaLaunchKernel(kernel, grid, block, parameters, l.shared_bytes,
                                            box_stream(l.stream));
}

static struct box_answer about_kernel(const struct box_request *r, const char *name)
{
    struct box_answer a = {.reply = {.code = cudaErrorInvalidDeviceFunction}};
    const void *const kernel = learner_kernel(name, &out.layout);
    int blocks = 0;
    if (kernel == NULL) {
        return a;
    }
    switch (r->what) {
    case BOX_LAYOUT:
        a.reply.code = cudaSuccess;
        a.data = &out.layout;
        a.bytes = sizeof out.layout;
        break;
    case BOX_KERNEL_ATTRIBUTES:
        a.reply.code = cudaFuncGetAttributes(&out.attributes, kernel);
        a.data = &out.attributes;
        a.bytes = sizeof out.attributes;
        break;
    case BOX_KERNEL_SET:
        a.reply.code = cudaFuncSetAttribute(kernel, (enum cudaFuncAttribute)r->a[0], (int)r->a[1]);
        break;
    default:
        a.reply.code =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)r->a[0], r->a[1]);
        a.reply.out[0] = (uint64_t)blocks;
    }
    return a;
}

/* --- streams, events and questions ------------------------------------------------------------ */

static cudaError_t about_stream(const struct box_request *r, uint64_t *result)
{
    cudaStream_t stream = NULL;
    cudaError_t code;
    switch (r->what) {
    case BOX_STREAM_NEW:
        code = cudaStreamCreateWithPriority(&stream, (unsigned)r->a[0], (int)r->a[1]);
        return box_new_handle(stream, false, code, result);
    case BOX_STREAM_FREE:
        stream = box_stream(r->a[0]);
        box_forget_handle(r->a[0]);
        return cudaStreamDestroy(stream);
    case BOX_STREAM_WAIT:
        return waited(cudaStreamSynchronize(box_stream(r->a[0])));
    case BOX_STREAM_ASK:
        return cudaStreamQuery(box_stream(r->a[0]));
    default:
        return cudaStreamWaitEvent(box_stream(r->a[0]), box_event(r->a[1]), (unsigned)r->a[2]);
    }
}

static cudaError_t about_event(const struct box_request *r, uint64_t *result)
{
    cudaEvent_t event = NULL;
    cudaError_t code;
    float ms = 0.0f;
    switch (r->what) {
    case BOX_EVENT_NEW:
        code = cudaEventCreateWithFlags(&event, (unsigned)r->a[0]);
        return box_new_handle(event, true, code, result);
    case BOX_EVENT_FREE:
        event = box_event(r->a[0]);
        box_forget_handle(r->a[0]);
        return cudaEventDestroy(event);
    case BOX_EVENT_RECORD:
        return cudaEventRecord(box_event(r->a[0]), box_stream(r->a[1]));
    case BOX_EVENT_WAIT:
        return waited(cudaEventSynchronize(box_event(r->a[0])));
    case BOX_EVENT_ASK:
        return cudaEventQuery(box_event(r->a[0]));
    default:
        code = cudaEventElapsedTime(&ms, box_event(r->a[0]), box_event(r->a[1]));
        memcpy(result, &ms, sizeof ms);
        return code;
    }
}

static struct box_answer question(const struct box_request *r)
{
    struct box_answer a = {.reply = {.code = cudaSuccess}};
    size_t free_bytes = 0, total = 0;
    int value = 0;
    switch (r->what) {
    case BOX_ERROR_NAME:
    case BOX_ERROR_TEXT:
        strncpy(out.text,
                r->what == BOX_ERROR_NAME ? cudaGetErrorName((cudaError_t)r->a[0])
                                          : cudaGetErrorString((cudaError_t)r->a[0]),
                sizeof out.text - 1);
        a.data = out.text;
        a.bytes = sizeof out.text;
        break;
    case BOX_ATTRIBUTE:
        a.reply.code = cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)r->a[0], 0);
        a.reply.out[0] = (uint64_t)value;
        break;
    case BOX_PROPERTIES:
        a.reply.code = cudaGetDeviceProperties(&out.properties, 0);
        a.data = &out.properties;
        a.bytes = sizeof out.properties;
        break;
    case BOX_POINTER:
        a.reply.code = cudaPointerGetAttributes(&out.pointer, box_address(r->a[0], 0));
        a.data = &out.pointer;
        a.bytes = sizeof out.pointer;
        break;
    default:
        a.reply.code = cudaMemGetInfo(&free_bytes, &total);
        a.reply.out[0] = free_bytes;
        a.reply.out[1] = total;
    }
    return a;
}

static struct box_answer answer(struct judge *j, const struct box_request *r,
                                const unsigned char *data, uint32_t bytes)
{
    struct box_answer a = {.reply = {.code = cudaSuccess}};
    const bool named = bytes > 0 && data[bytes - 1] == 0;
    switch ((enum box_request_kind)r->what) {
    case BOX_ALLOCATE:
    case BOX_ALLOCATE_SHARED:
    case BOX_ALLOCATE_PITCH:
        a.reply.code = box_allocate(r, a.reply.out);
        return a;
    case BOX_FREE:
        a.reply.code = box_release(r->a[0]);
        return a;
    case BOX_WRITE:
        a.reply.code = box_write(j, r, data, bytes);
        return a;
    case BOX_FETCH:
        return box_fetch(r);
    case BOX_FETCH_LATER:
        a.reply.code = box_fetch_later(r, a.reply.out);
        return a;
    case BOX_FETCHED:
        return box_give_fetched(r);
    case BOX_MOVE:
        a.reply.code = box_move(j, r);
        return a;
    case BOX_SET:
        a.reply.code = box_fill(r);
        return a;
    case BOX_LAUNCH:
        a.reply.code = launch(j, data, bytes);
        return a;
    case BOX_SYMBOL:
        a.reply.code = box_symbol(named ? (const char *)data : "", r, a.reply.out);
        return a;
    case BOX_LAYOUT:
    case BOX_KERNEL_ATTRIBUTES:
    case BOX_KERNEL_SET:
    case BOX_OCCUPANCY:
        return about_kernel(r, named ? (const char *)data : "");
    case BOX_LAST_ERROR:
        a.reply.code = last_error(true);
        return a;
    case BOX_PEEK_ERROR:
        a.reply.code = last_error(false);
        return a;
    case BOX_SYNCHRONIZE:
        a.reply.code = waited(cudaDeviceSynchronize());
        return a;
    case BOX_STREAM_NEW:
    case BOX_STREAM_FREE:
    case BOX_STREAM_WAIT:
    case BOX_STREAM_ASK:
    case BOX_STREAM_AFTER:
        a.reply.code = about_stream(r, a.reply.out);
        return a;
    case BOX_EVENT_NEW:
    case BOX_EVENT_FREE:
    case BOX_EVENT_RECORD:
    case BOX_EVENT_WAIT:
    case BOX_EVENT_ASK:
    case BOX_EVENT_ELAPSED:
        a.reply.code = about_event(r, a.reply.out);
        return a;
    case BOX_ERROR_NAME:
    case BOX_ERROR_TEXT:
    case BOX_ATTRIBUTE:
    case BOX_PROPERTIES:
    case BOX_POINTER:
    case BOX_MEMORY:
        return question(r);
    default:
        a.reply.code = cudaErrorNotSupported;
        return a;
    }
}

struct box_answer box_serve(struct judge *j, const struct box_request *r, const unsigned char *data,
                            uint32_t bytes)
{
    const struct box_answer a = answer(j, r, data, bytes);
    note_failure(r, (cudaError_t)a.reply.code);
    return a;
}

void box_serve_forget(void)
{
    box_forget_names();
    box_forget_copies();
    next_wait_fails = failure_is_news = false;
    failed.what = NULL;
}
