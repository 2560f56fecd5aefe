/* box_serve.c - what a program in its box asks of the GPU is done here, by the judge's own runtime.
 * It may name memory that it allocated or was granted, streams and events that it got; anything
 * else is an error of its call, as it would be of a program alone. */
#include "common/judge/learner.h"

#include <cuda_runtime.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_MEMORY = 512, MOST_HANDLES = 512, MOST_PENDING = 512 };

struct memory {
    uint64_t address, bytes, site;
    enum { OF_PROGRAM, OF_JUDGE, OF_MODULE } whose; /* the first is freed in the end */
    bool freed;
};
static struct memory memories[MOST_MEMORY];
static unsigned memory_count;

static struct {
    void *handle;
    bool event;
} handles[MOST_HANDLES];
static unsigned handle_count;

static struct {
    unsigned char *bytes;
    uint64_t count, from;
} pending[MOST_PENDING];
static unsigned pending_count;

static union {
    struct cudaDeviceProp properties;
    struct cudaFuncAttributes attributes;
    struct cudaPointerAttributes pointer;
    struct box_layout layout;
    char text[256];
} out;
static unsigned char *fetched;

/* --- a kernel that failed, so to speak ---------------------------------------------------------
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

/* --- what it may name ------------------------------------------------------------------------- */

static struct memory *memory_at(uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < memory_count; i++) {
        struct memory *m = &memories[i];
        if (!m->freed && address >= m->address && address - m->address <= m->bytes &&
            bytes <= m->bytes - (address - m->address)) {
            return m;
        }
    }
    return NULL;
}

static bool remember(uint64_t address, uint64_t bytes, uint64_t site, int whose)
{
    unsigned i = memory_count;
    for (unsigned k = 0; i == MOST_MEMORY && k < MOST_MEMORY; k++) {
        i = memories[k].freed ? k : i;
    }
    if (i == MOST_MEMORY) {
        return false;
    }
    memory_count += i == memory_count;
    memories[i] = (struct memory){.address = address, .bytes = bytes, .site = site, .whose = whose};
    return true;
}

void box_grant(uint64_t address, uint64_t bytes) { remember(address, bytes, 0, OF_JUDGE); }

uint64_t box_site_of(uint64_t address)
{
    uint64_t best = UINT64_C(1) << 20, site = 0;
    for (unsigned i = 0; i < memory_count; i++) {
        const struct memory *m = &memories[i];
        const uint64_t end = m->address + m->bytes;
        const uint64_t away = address < m->address ? m->address - address
                              : address >= end     ? address - end
                                                   : 0;
        if (m->whose == OF_PROGRAM && away < best) {
            best = away;
            site = m->site;
        }
    }
    return site;
}

static bool handle_is(uint64_t value, bool event)
{
    for (unsigned i = 0; i < handle_count; i++) {
        if ((uint64_t)(uintptr_t)handles[i].handle == value && handles[i].event == event) {
            return true;
        }
    }
    return false;
}

/* Stream 0 and the two that CUDA names by 1 and 2 are everybody's. An unknown one becomes a number
 * that no stream has. */
static cudaStream_t stream_of(uint64_t value)
{
    return (cudaStream_t)(uintptr_t)(value <= 2 || handle_is(value, false) ? value : 3);
}

static cudaEvent_t event_of(uint64_t value)
{
    return (cudaEvent_t)(uintptr_t)(handle_is(value, true) ? value : 0);
}

static cudaError_t new_handle(void *handle, bool event, cudaError_t code, uint64_t *result)
{
    if (code == cudaSuccess && handle_count == MOST_HANDLES) {
        code = cudaErrorMemoryAllocation;
    }
    if (code == cudaSuccess) {
        handles[handle_count].handle = handle;
        handles[handle_count++].event = event;
        *result = (uint64_t)(uintptr_t)handle;
    }
    return code;
}

static void forget_handle(uint64_t value)
{
    for (unsigned i = 0; i < handle_count; i++) {
        if ((uint64_t)(uintptr_t)handles[i].handle == value) {
            handles[i] = handles[--handle_count];
        }
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

/* An address that no runtime takes for memory, so that it reports the error and remembers it. */
static void *address_of(uint64_t address, uint64_t bytes)
{
    return (void *)(uintptr_t)(memory_at(address, bytes) != NULL ? address : 8);
}

static cudaError_t allocate(const struct box_request *r, uint64_t *result)
{
    void *address = NULL;
    size_t pitch = 0;
    const cudaError_t code = r->what == BOX_ALLOCATE ? cudaMalloc(&address, r->a[0])
                             : r->what == BOX_ALLOCATE_SHARED
                                 ? cudaMallocManaged(&address, r->a[0], cudaMemAttachGlobal)
                                 : cudaMallocPitch(&address, &pitch, r->a[0], r->a[1]);
    const uint64_t bytes = pitch > 0 ? pitch * r->a[1] : r->a[0];
    result[0] = (uint64_t)(uintptr_t)address;
    result[1] = pitch;
    if (code == cudaSuccess && address != NULL &&
        !remember(result[0], bytes, r->site, OF_PROGRAM)) {
        cudaFree(address);
        return cudaErrorMemoryAllocation;
    }
    return code;
}

static cudaError_t release(uint64_t address)
{
    struct memory *m = memory_at(address, 0);
    if (address == 0) {
        return cudaFree(NULL);
    }
    if (m == NULL || m->whose != OF_PROGRAM || m->address != address) {
        return cudaFree((void *)8);
    }
    m->freed = true; /* where it was made may still have to be said */
    return cudaFree((void *)(uintptr_t)address);
}

static cudaError_t write_memory(struct judge *j, const struct box_request *r,
                                const unsigned char *data, uint32_t bytes)
{
    struct memory *m = memory_at(r->a[0], bytes);
    void *const to = address_of(r->a[0], bytes);
    unsigned char *copy = malloc(bytes + 1);
    if (copy == NULL) {
        return cudaErrorMemoryAllocation;
    }
    memcpy(copy, data, bytes);
    if (m != NULL) {
        decoy_to_gpu(copy, bytes, r->a[0]);
        j->host_wrote = j->host_wrote || m->whose == OF_JUDGE;
    }
    cudaError_t code;
    if (r->a[2] == 0) {
        code = cudaMemcpy(to, copy, bytes, cudaMemcpyHostToDevice);
    } else {
        code = cudaMemcpyAsync(to, copy, bytes, cudaMemcpyHostToDevice, stream_of(r->a[1]));
        if (code == cudaSuccess) {
            cudaStreamSynchronize(stream_of(r->a[1])); /* the copy is gone in a moment */
        }
    }
    free(copy);
    return code;
}

static bool room_to_fetch(uint64_t bytes)
{
    free(fetched);
    fetched = bytes < BOX_MOST_BYTES ? malloc(bytes + 1) : NULL;
    return fetched != NULL;
}

static struct box_answer fetch(const struct box_request *r)
{
    struct box_answer a = {.reply = {.code = cudaErrorMemoryAllocation}};
    if (room_to_fetch(r->a[1])) {
        a.reply.code =
            cudaMemcpy(fetched, address_of(r->a[0], r->a[1]), r->a[1], cudaMemcpyDeviceToHost);
    }
    if (a.reply.code == cudaSuccess) {
        decoy_from_gpu(fetched, r->a[1], r->a[0]);
        a.data = fetched;
        a.bytes = (uint32_t)r->a[1];
    }
    return a;
}

/* Its bytes are the program's when it has waited for them. */
static cudaError_t fetch_later(const struct box_request *r, uint64_t *number)
{
    unsigned char *bytes = r->a[1] < BOX_MOST_BYTES ? malloc(r->a[1] + 1) : NULL;
    if (bytes == NULL || pending_count == MOST_PENDING) {
        free(bytes);
        return cudaErrorMemoryAllocation;
    }
    const cudaError_t code = cudaMemcpyAsync(bytes, address_of(r->a[0], r->a[1]), r->a[1],
                                             cudaMemcpyDeviceToHost, stream_of(r->a[2]));
    if (code != cudaSuccess) {
        free(bytes);
        return code;
    }
    pending[pending_count].bytes = bytes;
    pending[pending_count].count = r->a[1];
    pending[pending_count].from = r->a[0];
    *number = pending_count++;
    return code;
}

static struct box_answer give_fetched(const struct box_request *r)
{
    struct box_answer a = {.reply = {.code = cudaErrorInvalidValue}};
    if (r->a[0] < pending_count && pending[r->a[0]].bytes != NULL) {
        decoy_from_gpu(pending[r->a[0]].bytes, pending[r->a[0]].count, pending[r->a[0]].from);
        a.reply.code = cudaSuccess;
        a.data = pending[r->a[0]].bytes;
        a.bytes = (uint32_t)pending[r->a[0]].count;
    }
    return a;
}

static cudaError_t move(struct judge *j, const struct box_request *r)
{
    const struct memory *m = memory_at(r->a[0], r->a[2]);
    void *const to = address_of(r->a[0], r->a[2]), *const from = address_of(r->a[1], r->a[2]);
    if (m != NULL) {
        j->host_wrote = j->host_wrote || m->whose == OF_JUDGE;
        decoy_moved(r->a[0], r->a[1], r->a[2]);
    }
    return r->a[4] == 0
               ? cudaMemcpy(to, from, r->a[2], cudaMemcpyDeviceToDevice)
               : cudaMemcpyAsync(to, from, r->a[2], cudaMemcpyDeviceToDevice, stream_of(r->a[3]));
}

static cudaError_t set(const struct box_request *r)
{
    void *const to = address_of(r->a[0], r->a[2]);
    return r->a[4] == 0 ? cudaMemset(to, (int)r->a[1], r->a[2])
                        : cudaMemsetAsync(to, (int)r->a[1], r->a[2], stream_of(r->a[3]));
}

static cudaError_t symbol(const char *name, const struct box_request *r, uint64_t *result)
{
    const void *const shadow = learner_variable(name);
    void *address = NULL;
    size_t bytes = 0;
    cudaError_t code = shadow == NULL ? cudaErrorInvalidSymbol : cudaGetSymbolSize(&bytes, shadow);
    code = code == cudaSuccess ? cudaGetSymbolAddress(&address, shadow) : code;
    if (code == cudaSuccess && memory_at((uint64_t)(uintptr_t)address, bytes) == NULL) {
        remember((uint64_t)(uintptr_t)address, bytes, r->site, OF_MODULE);
    }
    result[0] = (uint64_t)(uintptr_t)address;
    result[1] = bytes;
    return code;
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
                                                       l.shared_bytes, stream_of(l.stream))
                         : cudaLaunchKernel(kernel, grid, block, parameters, l.shared_bytes,
                                            stream_of(l.stream));
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
        return new_handle(stream, false, code, result);
    case BOX_STREAM_FREE:
        stream = stream_of(r->a[0]);
        forget_handle(r->a[0]);
        return cudaStreamDestroy(stream);
    case BOX_STREAM_WAIT:
        return waited(cudaStreamSynchronize(stream_of(r->a[0])));
    case BOX_STREAM_ASK:
        return cudaStreamQuery(stream_of(r->a[0]));
    default:
        return cudaStreamWaitEvent(stream_of(r->a[0]), event_of(r->a[1]), (unsigned)r->a[2]);
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
        return new_handle(event, true, code, result);
    case BOX_EVENT_FREE:
        event = event_of(r->a[0]);
        forget_handle(r->a[0]);
        return cudaEventDestroy(event);
    case BOX_EVENT_RECORD:
        return cudaEventRecord(event_of(r->a[0]), stream_of(r->a[1]));
    case BOX_EVENT_WAIT:
        return waited(cudaEventSynchronize(event_of(r->a[0])));
    case BOX_EVENT_ASK:
        return cudaEventQuery(event_of(r->a[0]));
    default:
        code = cudaEventElapsedTime(&ms, event_of(r->a[0]), event_of(r->a[1]));
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
        a.reply.code = cudaPointerGetAttributes(&out.pointer, address_of(r->a[0], 0));
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

struct box_answer box_serve(struct judge *j, const struct box_request *r, const unsigned char *data,
                            uint32_t bytes)
{
    struct box_answer a = {.reply = {.code = cudaSuccess}};
    const bool named = bytes > 0 && data[bytes - 1] == 0;
    switch ((enum box_request_kind)r->what) {
    case BOX_ALLOCATE:
    case BOX_ALLOCATE_SHARED:
    case BOX_ALLOCATE_PITCH:
        a.reply.code = allocate(r, a.reply.out);
        return a;
    case BOX_FREE:
        a.reply.code = release(r->a[0]);
        return a;
    case BOX_WRITE:
        a.reply.code = write_memory(j, r, data, bytes);
        return a;
    case BOX_FETCH:
        return fetch(r);
    case BOX_FETCH_LATER:
        a.reply.code = fetch_later(r, a.reply.out);
        return a;
    case BOX_FETCHED:
        return give_fetched(r);
    case BOX_MOVE:
        a.reply.code = move(j, r);
        return a;
    case BOX_SET:
        a.reply.code = set(r);
        return a;
    case BOX_LAUNCH:
        a.reply.code = launch(j, data, bytes);
        return a;
    case BOX_SYMBOL:
        a.reply.code = symbol(named ? (const char *)data : "", r, a.reply.out);
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

void box_serve_forget(void)
{
    for (unsigned i = 0; i < memory_count; i++) {
        if (memories[i].whose == OF_PROGRAM && !memories[i].freed) {
            cudaFree((void *)(uintptr_t)memories[i].address);
        }
    }
    for (unsigned i = 0; i < pending_count; i++) {
        free(pending[i].bytes);
    }
    memory_count = handle_count = pending_count = 0;
    next_wait_fails = failure_is_news = false;
}
