/* cudart_launch.c - kernel launches, by <<<>>> and by the API: arguments are packed as the kernel's
 * parameters, and run. See cudart.h. */
#include "runtime/cudart.h"
#include "base/room.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cudart_capture.h"
#include "runtime/cudart_children.h"
#include "runtime/cudart_cluster.h"
#include "runtime/cudart_estimate.h"
#include "runtime/cudart_flight.h"
#include "runtime/cudart_request.h"
#include "runtime/registry.h"
#include "runtime/unread.h"
#include "machine/beside.h"
#include "report/report.h"
#include "report/show.h"
#include "api/simt_last.h"

enum { MOST_PARAM_BYTES = 32764 }; /* CUDA's limit since compute capability 7.0 */

/* Of the launch that was issued last; protected by the work lock. */
static struct {
    _Atomic uint64_t count; /* launches so far */
    struct simt_counters counters;
} last;

static struct {
    void (*seen)(void *state, const struct simt_kernel *kernel,
                 const struct simt_counters *counters);
    void *state;
} watcher; /* protected by the work lock */

/* ---- running --------------------------------------------------------------------------------- */

static cudaError_t pack(const struct request *r, const struct simt_kernel *k, unsigned char *params)
{
    unsigned count = simt_kernel_param_count(k);
    if (count > 0 && r->arguments == NULL) {
        return cuda_error_saying(cudaErrorInvalidValue, r->kernel->plain, "it needs %u arguments",
                                 count);
    }
    if (simt_kernel_param_bytes(k) > MOST_PARAM_BYTES) {
        return cuda_error_saying(cudaErrorInvalidValue, r->kernel->plain,
                                 "%" PRIu64 " bytes of arguments: at most %d are possible",
                                 simt_kernel_param_bytes(k), MOST_PARAM_BYTES);
    }
    for (unsigned i = 0; i < count; i++) {
        uint64_t offset, bytes;
        simt_kernel_param(k, i, &offset, &bytes);
        if (r->arguments[i] == NULL) {
            return cuda_error_saying(cudaErrorInvalidValue, r->kernel->plain,
                                     "argument %u of %u has no address", i + 1, count);
        }
        memcpy(params + offset, r->arguments[i], bytes);
    }
    return cudaSuccess;
}

static struct simt_dim dim_of(dim3 d) { return (struct simt_dim){d.x, d.y, d.z}; }

/* A launch that has been judged. */
struct judged {
    struct request request; /* without its arguments */
    const struct simt_kernel
        *kernel; /* of the GPU at hand: another thread may reset it meanwhile */
    uint64_t number, stream;
    _Alignas(64) unsigned char params[MOST_PARAM_BYTES + 4];
};

static void add_to_report(const struct judged *j, const struct simt_counters *counters)
{
    const struct request *r = &j->request;
    report_add(&(struct report_row){
        .kernel = r->kernel->plain,
        .handle = j->kernel,
        .launch = j->number,
        .stream = j->stream,
        .grid = dim_of(r->grid),
        .block = dim_of(r->block),
        .shared_bytes = r->shared_bytes + r->kernel->attributes.static_shared_bytes,
        .counters = *counters,
        .estimate = estimate_last(),
    });
}

/* What becomes of a launch's counters and of what observers saw. */
struct sight {
    const struct judged *judged;
    struct simt_waiting *waiting;
    bool seen;
};

/* Of a launch that is observed this is called while no other one can begin; else with the lock. */
static void see(void *state, const struct simt_counters *counters)
{
    struct sight *s = state;
    const struct judged *j = s->judged;
    const char *kernel = j->request.kernel->plain;
    s->seen = true;
    if (s->waiting != NULL) {
        simt_publish(j->kernel, s->waiting);
    }
    if (show_wanted()) {
        show_launch(kernel, j->number);
    }
    estimate_tell_sample(kernel);
    estimate_add_to_total();
    if (report_wanted()) {
        add_to_report(j, counters);
    }
    if (watcher.seen != NULL) {
        watcher.seen(watcher.state, j->kernel, counters);
    }
}

static void tell_lost_lines(const struct simt *gpu)
{
    const char *line = simt_last_printf_loss(gpu);
    if (line[0] != '\0') {
        host_order_tells_loss(line);
    }
}

static bool run_child(void *touched, const struct request *r, const void *params,
                      const struct children_place *place);

/* A launch that holds the lock may wait for others; a thread that waits for the lock does not help
 * them. */
static void lock_beside(void)
{
    struct listener nothing_heard = {0};
    beside_leave(host_order_beside(), &nothing_heard);
    runtime_lock();
    beside_join(host_order_beside());
}

/* A grid, and what it launches. waiting: not NULL in a thread of its own, where copies and fills go
 * on meanwhile; then the lock is taken behind the grid. */
static bool run_grid(const struct judged *j, struct simt_waiting *waiting,
                     struct touched_bytes_of *touched, const struct children_place *place)
{
    const struct request *r = &j->request;
    struct sight sight = {.judged = j, .waiting = waiting};
    struct device_queue queue;
    device_queue_open(&queue, place->depth, runtime_limits());
    queue.tail_of = place->tail_of;
    queue.host = &device_calls;
    queue.grid = r;
    struct simt_launch launch = {
        .kernel = j->kernel,
        .grid = dim_of(r->grid),
        .block = dim_of(r->block),
        .cluster = dim_of(r->cluster),
        .dynamic_shared_bytes = (uint32_t)r->shared_bytes,
        .params = j->params,
        .cooperative = r->cooperative,
        .touched = touched,
        .queue = &queue,
        .waiting = waiting,
        .beside = host_order_beside(),
        .seen = see,
        .seen_state = &sight,
    };
    struct simt_counters counters;
    struct err e;
    err_clear(&e);
    struct simt *gpu = simt_of_kernel(j->kernel);
    if (host_order_is_needed()) {
        simt_count_printf(gpu, limit_of_printf());
    }
    bool ok = simt_run(gpu, &launch, &counters, &e);
    if (waiting != NULL) {
        lock_beside();
    }
    if (!sight.seen) {
        see(&sight, &counters);
    }
    if (j->number + 1 == last.count) {
        last.counters = counters;
    }
    if (!ok) {
        runtime_fault(&e);
    }
    const bool children = children_run(&queue, r, run_child, touched);
    return ok && children;
}

static bool run_child(void *touched, const struct request *r, const void *params,
                      const struct children_place *place)
{
    struct judged *child = room_aligned(1, sizeof *child);
    child->request = *r;
    child->kernel = r->kernel->kernel;
    child->number = last.count++;
    memcpy(child->params, params, simt_kernel_param_bytes(r->kernel->kernel));
    const bool good = run_grid(child, NULL, touched, place);
    free(child);
    return good;
}

static bool execute(void *state, struct simt_waiting *waiting, struct touched_bytes_of *touched)
{
    const struct judged *j = state;
    if (waiting == NULL) {
        runtime_lock();
    } else {
        runtime_set_device(j->request.kernel->device); /* a new thread works on device 0 */
    }
    const bool ok = run_grid(j, waiting, touched, &(struct children_place){0});
    runtime_unlock();
    return ok;
}

/* Behind a launch that went on by itself, in its thread. */
static void run_later(void *state, struct simt_waiting *waiting)
{
    struct judged *j = state;
    struct host_order_work work;
    if (!runtime_is_lost()) {
        host_order_begin_launch(&work, NULL, j->request.kernel->plain, runtime_site());
        host_order_end_launch(&work, execute(j, waiting, host_order_touched(&work)));
    }
}

static void run(struct judged *j, cudaStream_t stream)
{
    j->stream = (uint64_t)(uintptr_t)stream;
    const struct request *r = &j->request;
    const bool alone = host_order_may_wait_for_host() && simt_kernel_may_wait(j->kernel);
    memory_check_registered(runtime()->memory);
    j->number = last.count++;
    if (host_order_put_off(stream, run_later, j, sizeof *j)) {
        return;
    }
    if (!alone && !host_order_is_needed()) {
        execute(j, NULL, NULL);
        return;
    }
    struct host_order_work work;
    const void *site = runtime_site();
    host_order_begin_launch(&work, stream, r->kernel->plain, site);
    if (r->begins_early) {
        host_order_begins_early(&work);
    }
    if (alone) {
        flight_launch(&work, stream, site, execute, j, sizeof *j);
    } else {
        host_order_end_launch(&work, execute(j, NULL, host_order_touched(&work)));
    }
    tell_lost_lines(simt_of_kernel(j->kernel));
}

static cudaError_t judge_and_run(const struct request *asked, cudaStream_t stream)
{
    struct judged judged;
    struct request *r = &judged.request;
    cudaError_t code = runtime_enter_async();
    if (code != cudaSuccess) {
        return code;
    }
    if (asked->kernel == NULL) {
        return cuda_error(cudaErrorInvalidDeviceFunction);
    }
    code = registry_load_kernel(asked->kernel);
    AND_THEN(code, cudart_check_stream_of_device(asked->kernel->plain, stream));
    *r = *asked; /* not sooner: the caller's stores of single numbers are still on their way */
    AND_THEN(code, cluster_of(r->kernel, &r->cluster));
    AND_THEN(code, request_check(r));
    const struct capture_hooks *capture = capture_of(stream);
    if (code == cudaSuccess && capture != NULL) {
        r->begins_early = false; /* the order of a graph's nodes is its own */
        return capture->kernel(r, stream);
    }
    judged.kernel = r->kernel->kernel;
    if (code == cudaSuccess && judged.kernel == NULL) {
        return cuda_error_saying(cudaErrorDevicesUnavailable, r->kernel->plain,
                                 "another thread has called cudaDeviceReset() meanwhile");
    }
    AND_THEN(code, pack(r, judged.kernel, judged.params));
    if (code == cudaSuccess && !runtime_is_lost()) {
        run(&judged, stream);
    }
    return code;
}

/* The result of a launch is known: a program that does not ask for errors is warned. */
static void keep_unread(cudaError_t code, const char *kernel)
{
    if (code != cudaSuccess && runtime_launch_site() != NULL && !runtime_is_lost()) {
        unread_add(&(struct unread_error){code, kernel, runtime_launch_site()});
    }
    runtime_set_launch_site(NULL);
}

cudaError_t cudart_launch(const struct request *r, cudaStream_t stream)
{
    const bool held = runtime_hold();
    cudaError_t code = judge_and_run(r, stream);
    if (held) {
        runtime_release();
    }
    keep_unread(code, r->kernel != NULL ? r->kernel->plain : "a kernel");
    return code;
}

bool simt_last_counters(struct simt_counters *out)
{
    host_order_wait_for_launches();
    runtime_lock();
    bool any = last.count > 0;
    if (any) {
        *out = last.counters;
        report_measured(last.count - 1, last.count);
    }
    runtime_unlock();
    return any;
}

uint64_t cudart_launches_issued(void) { return last.count; }

void simt_watch_launches(void (*seen)(void *state, const struct simt_kernel *kernel,
                                      const struct simt_counters *counters),
                         void *state)
{
    runtime_lock();
    watcher.seen = seen;
    watcher.state = state;
    runtime_unlock();
}

/* ---- the API --------------------------------------------------------------------------------- */

/* The request lacks its kernel. */
static cudaError_t launch_function(const void *function, struct request *r, cudaStream_t stream)
{
    r->kernel = registry_kernel(function);
    if (r->kernel != NULL) {
        return cudart_launch(r, stream);
    }
    cudaError_t code = runtime_enter_async();
    AND_THEN(code, registry_no_kernel("kernel launch", function));
    keep_unread(code, "a kernel");
    return code;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t sharedBytes, cudaStream_t stream)
{
    struct request r = {NULL, grid, block, sharedBytes, arguments, false, {0, 0, 0}, false};
    return launch_function(function, &r, stream);
}
PER_THREAD(cudaLaunchKernel, _ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                        void **arguments, size_t sharedBytes, cudaStream_t stream)
{
    struct request r = {NULL, grid, block, sharedBytes, arguments, true, {0, 0, 0}, false};
    return launch_function(function, &r, stream);
}
PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);

/* The attributes that change what a kernel computes are cooperative launches and clusters; a launch
 * that may begin early computes the same, unless it has a race. */
static void read_attributes(const cudaLaunchConfig_t *config, struct request *r)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttributeValue *value = &config->attrs[i].val;
        switch (config->attrs[i].id) {
        case cudaLaunchAttributeCooperative:
            r->cooperative = value->cooperative != 0;
            break;
        case cudaLaunchAttributeClusterDimension:
            r->cluster = cluster_asked(value);
            break;
        case cudaLaunchAttributeProgrammaticStreamSerialization:
            r->begins_early = value->programmaticStreamSerializationAllowed != 0;
            break;
        default:
            break;
        }
    }
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                void **arguments)
{
    if (config == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    struct request r = {NULL,      config->gridDim, config->blockDim, config->dynamicSmemBytes,
                        arguments, false,           {0, 0, 0},        false};
    read_attributes(config, &r);
    return launch_function(function, &r, config->stream);
}
PER_THREAD(cudaLaunchKernelExC, _ptsz);

/* ---- <<<>>>: what the compilers make of it --------------------------------------------------- */

struct call {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
    const void *site; /* the <<<>>> in the program: a return address */
};

enum { CALL_DEPTH = 16 };

/* Pushed by the <<<>>>, popped by the kernel's stub. An argument of a launch may launch a kernel
 * itself, so there may be several. */
static _Thread_local struct {
    struct call calls[CALL_DEPTH];
    unsigned count;
} pending;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream);

/* Not 0: the stub is not called. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     cudaStream_t stream)
{
    if (pending.count == CALL_DEPTH) {
        cuda_error_saying(cudaErrorMissingConfiguration, "<<<>>>", "launches nested too deeply");
        return 1;
    }
    pending.calls[pending.count++] =
        (struct call){grid, block, shared_bytes, stream, __builtin_return_address(0)};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    if (pending.count == 0) {
        return cuda_error_saying(cudaErrorMissingConfiguration, "kernel launch",
                                 "a kernel was called like a function, without <<<>>>");
    }
    const struct call *call = &pending.calls[--pending.count];
    *grid = call->grid;
    *block = call->block;
    *shared_bytes = call->shared_bytes;
    *(cudaStream_t *)stream = call->stream;
    runtime_set_launch_site(call->site);
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream)
{
    struct request r = {
        registry_here(kernel), grid, block, shared_bytes, arguments, false, {0, 0, 0}, false};
    return cudart_launch(&r, stream);
}
PER_THREAD(__cudaLaunchKernel, _ptsz);
