/* cudart_runtime.c - the simulated GPU of this process while it is open; errors, and what they
 * tell. Who opens and closes it, and what else begins then, is in cudart.c. See cudart.h. */
#include "runtime/cudart.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/describe.h"
#include "api/simt_last.h"
#include "machine/observer.h"
#include "runtime/unread.h"
#include "watch/accesses.h"

static struct {
    struct runtime gpus[RUNTIME_DEVICES];
    atomic_bool open[RUNTIME_DEVICES]; /* its simt and memory are valid */
    int count;
    runtime_part opened; /* called for every GPU that is opened, or NULL */
    pthread_mutex_t opening;
    pthread_mutex_t work;
    atomic_uint threads;    /* that have called the runtime */
    atomic_int fault;       /* cudaError_t of the kernel that ended the device's work, or 0 */
    atomic_bool fault_seen; /* a call has returned it */
    const void *_Atomic fault_site; /* of the <<<>>> that failed; NULL: it is not known */
    atomic_bool is_child;           /* forked off after the device was opened */
    struct observers observers; /* of every GPU that is opened: cudaDeviceReset() opens another */
} process = {.opening = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local cudaError_t last_error;
static _Thread_local const void *launch_site; /* of the <<<>>> that is being judged */
static _Thread_local int device;              /* that the thread works on */
static _Thread_local bool in_host_function;
static _Thread_local bool bound; /* the thread has called the runtime */

/* A call of the driver API that is being done by the runtime. */
static _Thread_local struct {
    const char *call; /* NULL: none */
    cudaError_t last_error;
    bool bound;
} driver;

/* ---- opening and closing --------------------------------------------------------------------- */

void runtime_prepare(const struct gpu_limits *const limits[], int count, runtime_part opened)
{
    process.count = count;
    process.opened = opened;
    for (int i = 0; i < count; i++) {
        process.gpus[i].device = i;
        process.gpus[i].limits = limits[i];
    }
}

void runtime_end_program(const struct err *e)
{
    fprintf(stderr, "simt: %s\n", e->text);
    exit(2);
}

/* The workers are threads of the parent: a child that waited for them would wait forever. */
static void be_a_child(void) { atomic_store(&process.is_child, true); }

static void open_device(struct runtime *gpu)
{
    static atomic_bool watched;
    if (!atomic_exchange(&watched, true)) {
        pthread_atfork(NULL, NULL, be_a_child);
    }
    struct err e = {0};
    gpu->simt = simt_open(gpu->limits, 0, &e);
    if (gpu->simt == NULL) {
        runtime_end_program(&e);
    }
    gpu->memory = simt_memory(gpu->simt);
    for (unsigned i = 0; i < process.observers.count; i++) {
        simt_observe(gpu->simt, process.observers.list[i], &e);
    }
    if (process.opened != NULL) {
        process.opened(gpu, &e);
    }
    if (e.set) {
        runtime_end_program(&e);
    }
    atomic_store_explicit(&process.open[gpu->device], true, memory_order_release);
}

struct runtime *runtime_of(int which)
{
    if (!atomic_load_explicit(&process.open[which], memory_order_acquire)) {
        pthread_mutex_lock(&process.opening);
        if (!atomic_load(&process.open[which])) {
            open_device(&process.gpus[which]);
        }
        pthread_mutex_unlock(&process.opening);
    }
    return &process.gpus[which];
}

struct runtime *runtime(void) { return runtime_of(device); }

bool simt_observe_runtime(const struct observer *observer)
{
    struct err e = {0};
    pthread_mutex_lock(&process.opening);
    bool good = process.observers.count < MAX_OBSERVERS;
    if (good) {
        process.observers.list[process.observers.count++] = observer;
    }
    for (int i = 0; i < process.count && good; i++) {
        good = !atomic_load(&process.open[i]) || simt_observe(process.gpus[i].simt, observer, &e);
    }
    pthread_mutex_unlock(&process.opening);
    return good;
}

static void bind_thread(void)
{
    static _Thread_local bool counted;
    bound = true;
    if (!counted) {
        counted = true;
        atomic_fetch_add(&process.threads, 1);
    }
}

/* ---- launches beside a reset ----------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned launches; /* that other threads are about to make */
    bool resetting;
} uses = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

bool runtime_hold(void)
{
    if (atomic_load_explicit(&process.threads, memory_order_relaxed) <= 1) {
        return false; /* no other thread can reset anything */
    }
    pthread_mutex_lock(&uses.lock);
    while (uses.resetting) {
        pthread_cond_wait(&uses.changed, &uses.lock);
    }
    uses.launches++;
    pthread_mutex_unlock(&uses.lock);
    return true;
}

void runtime_release(void)
{
    pthread_mutex_lock(&uses.lock);
    uses.launches--;
    pthread_cond_broadcast(&uses.changed);
    pthread_mutex_unlock(&uses.lock);
}

void runtime_begin_reset(void)
{
    pthread_mutex_lock(&uses.lock);
    while (uses.launches > 0 || uses.resetting) {
        pthread_cond_wait(&uses.changed, &uses.lock);
    }
    uses.resetting = true;
    pthread_mutex_unlock(&uses.lock);
}

void runtime_end_reset(void)
{
    pthread_mutex_lock(&uses.lock);
    uses.resetting = false;
    pthread_cond_broadcast(&uses.changed);
    pthread_mutex_unlock(&uses.lock);
}

/* Another thread may be about to allocate memory of a GPU that is closed, or to copy: then it is
 * closed when so many others have followed, and has no memory left until then. */
static void retire(struct simt *old)
{
    enum { KEPT = 4 };
    static struct simt *kept[KEPT];
    static unsigned next;
    if (atomic_load(&process.threads) <= 1) {
        simt_close(old);
        return;
    }
    simt_discard(old);
    simt_close(kept[next % KEPT]);
    kept[next++ % KEPT] = old;
}

void runtime_close(void)
{
    atomic_store(&process.open[device], false);
    retire(process.gpus[device].simt);
    process.gpus[device].simt = NULL;
    process.gpus[device].memory = NULL;
}

bool runtime_device_is_open(int which)
{
    return atomic_load_explicit(&process.open[which], memory_order_acquire);
}

bool runtime_is_open(void) { return runtime_device_is_open(device); }

int runtime_device_count(void) { return process.count; }

int runtime_device(void) { return device; }

void runtime_set_device(int which) { device = which; }

bool runtime_thread_is_bound(void) { return bound; }

static _Atomic bool begun;

void runtime_begins(void) { atomic_store(&begun, true); }

bool runtime_has_begun(void) { return atomic_load(&begun) || atomic_load(&process.threads) > 0; }

void runtime_bind_thread(bool now)
{
    bind_thread();
    bound = now;
}

const struct gpu_limits *runtime_limits_of(int which) { return process.gpus[which].limits; }

const struct gpu_limits *runtime_limits(void) { return runtime_limits_of(device); }

void runtime_lock(void) { pthread_mutex_lock(&process.work); }

void runtime_unlock(void) { pthread_mutex_unlock(&process.work); }

bool runtime_is_child(void) { return atomic_load(&process.is_child); }

/* ---- accesses of the last launch ------------------------------------------------------------- */

static struct accesses *watched;

bool simt_watch_accesses(void)
{
    if (watched == NULL) {
        watched = accesses_open(false);
        return simt_observe_runtime(accesses_observer(watched));
    }
    return true;
}

unsigned simt_last_accesses(const struct access_row **rows)
{
    *rows = NULL;
    return watched != NULL ? accesses_rows(watched, rows) : 0;
}

/* ---- errors ---------------------------------------------------------------------------------- */

cudaError_t runtime_fault_code(void)
{
    return (cudaError_t)atomic_load_explicit(&process.fault, memory_order_acquire);
}

bool runtime_fault_is_unseen(const void **site)
{
    *site = atomic_load(&process.fault_site);
    return runtime_fault_code() != cudaSuccess && !atomic_load(&process.fault_seen);
}

bool runtime_is_lost(void) { return runtime_fault_code() != cudaSuccess; }

cudaError_t runtime_reject_child(void)
{
    return cuda_error_saying(cudaErrorInitializationError, NULL,
                             "a process that was forked off after its parent had used CUDA cannot "
                             "use it: fork first");
}

void runtime_in_host_function(bool is) { in_host_function = is; }

static cudaError_t reject_host_function(void)
{
    return cuda_error_saying(cudaErrorNotPermitted, "a CUDA call in a host function",
                             "it may wait for the very stream that runs the function, for ever. "
                             "Cure: a flag here, and the call where the host waits for the stream");
}

cudaError_t runtime_enter_lost(void)
{
    bind_thread();
    if (in_host_function) {
        return reject_host_function();
    }
    return atomic_load(&process.is_child) ? runtime_reject_child() : cudaSuccess;
}

cudaError_t runtime_enter(void)
{
    bind_thread();
    if (in_host_function) {
        return reject_host_function();
    }
    if (atomic_load_explicit(&process.is_child, memory_order_relaxed)) {
        return runtime_reject_child();
    }
    cudaError_t fault = runtime_fault_code();
    if (fault != cudaSuccess) {
        atomic_store(&process.fault_seen, true);
        return cuda_error(fault);
    }
    return cudaSuccess;
}

cudaError_t runtime_enter_async(void)
{
    bind_thread();
    if (in_host_function) {
        return reject_host_function();
    }
    const bool speaks = atomic_load(&process.fault_seen) || atomic_load(&process.is_child);
    return speaks ? runtime_enter() : cudaSuccess;
}

const void *runtime_launch_site(void) { return launch_site; }

const void *runtime_site(void) { return launch_site != NULL ? launch_site : describe_here(); }

static const char *program_line(void) { return describe_line(runtime_site()); }

/* Of launches that were under way at the same time only the first fault is reported: the others may
 * wait for what that launch would have done. */
void runtime_fault(const struct err *e)
{
    int none = 0;
    if (runtime_is_lost()) {
        return;
    }
    const char *line = program_line();
    atomic_store(&process.fault_site, launch_site);
    fflush(stdout); /* what the kernel printed comes first */
    fprintf(stderr, "simt: %s%s%s\n", e->text, line[0] != '\0' ? "; launched at " : "", line);
    atomic_compare_exchange_strong(&process.fault, &none, (int)cuda_error_from_simt(e));
}

cudaError_t cuda_error_from_simt(const struct err *e)
{
    switch ((enum simt_error)e->code) {
    case SIMT_OK:
        return cudaErrorUnknown;
    case SIMT_BAD_PTX:
        return cudaErrorInvalidPtx;
    case SIMT_NEWER_PTX:
        return cudaErrorUnsupportedPtxVersion;
    case SIMT_NO_IMAGE:
        return cudaErrorNoKernelImageForDevice;
    case SIMT_NOT_SUPPORTED:
        return cudaErrorNotSupported;
    case SIMT_NOT_FOUND:
        return cudaErrorInvalidDeviceFunction;
    case SIMT_BAD_LAUNCH:
        return cudaErrorInvalidConfiguration;
    case SIMT_ILLEGAL_ADDRESS:
        return cudaErrorIllegalAddress;
    case SIMT_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case SIMT_ILLEGAL_INSTRUCTION:
        return cudaErrorIllegalInstruction;
    case SIMT_TIMEOUT:
        return cudaErrorLaunchTimeout;
    case SIMT_ASSERT:
        return cudaErrorAssert;
    case SIMT_BARRIER:
    case SIMT_BAD_SHUFFLE:
    case SIMT_TRAP:
        return cudaErrorLaunchFailure;
    }
    return cudaErrorUnknown;
}

cudaError_t cuda_error(cudaError_t code)
{
    last_error = code;
    return code;
}

cudaError_t runtime_last_error(void) { return last_error; }

void runtime_set_launch_site(const void *return_address) { launch_site = return_address; }

/* The runtime's own last error, and whether the thread uses the runtime, are kept meanwhile. */
void runtime_speak_as(const char *call)
{
    if (call != NULL) {
        driver.last_error = last_error;
        driver.bound = bound;
    } else if (driver.call != NULL) {
        last_error = driver.last_error;
        bound = driver.bound;
    }
    driver.call = call;
}

const char *runtime_spoken_call(void) { return driver.call; }

void runtime_say_list(const char *call, const char *format, va_list args)
{
    char text[1024];
    call = driver.call != NULL ? driver.call : call;
    const char *line = program_line();
    vsnprintf(text, sizeof text, format, args);
    const char *behind_line = line[0] != '\0' ? ": " : "";
    if (call != NULL) {
        fprintf(stderr, "simt: %s%s%s: %s\n", line, behind_line, call, text);
    } else {
        fprintf(stderr, "simt: %s%s%s\n", line, behind_line, text);
    }
}

void runtime_say(const char *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    runtime_say_list(call, format, args);
    va_end(args);
}

cudaError_t cuda_error_saying(cudaError_t code, const char *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    runtime_say_list(call, format, args);
    va_end(args);
    return cuda_error(code);
}

cudaError_t cudaPeekAtLastError(void)
{
    unread_are_read();
    return last_error;
}

cudaError_t cudaGetLastError(void)
{
    unread_are_read();
    cudaError_t code = last_error;
    last_error = cudaSuccess;
    return code;
}

void runtime_forget_errors(void)
{
    atomic_store(&process.fault_seen, false);
    atomic_store(&process.fault, 0);
    last_error = cudaSuccess;
}
