/* cudart.h - what the files of the CUDA runtime share: the device, errors, pointers, the work lock.
 *
 * Private to cudart_*.c and registry.c. The runtime does its work at once, in the order in
 * which it is issued, whatever the stream: the order that every correct program must expect anyway.
 * What a program can observe of asynchrony is kept: a fault of a kernel shows at the next call that
 * waits for the device, and from then on at every call, until cudaDeviceReset().
 *
 * Each function of the CUDA API begins with one of the runtime_enter functions below and returns
 * what they return unless that is cudaSuccess. */
#ifndef SIMT_CUDART_H
#define SIMT_CUDART_H

#include <stdarg.h>

#include "base/base.h"
#include "base/handles.h"
#include "machine/memory.h"
#include "api/simt.h"
#include "common/gpu/gpu_limits.h"

#include "include/cuda_runtime_api.h"

enum { RUNTIME_DEVICES = 8 }; /* the most that are simulated */

struct runtime {
    int device;
    const struct gpu_limits *limits;
    struct simt *simt;
    struct memory *memory;
};

/* The simulated GPU that the thread works on, opened at the first call. A wrong environment
 * variable ends the program here, with one line and exit code 2. */
struct runtime *runtime(void);
struct runtime *runtime_of(int device);
bool runtime_is_open(void); /* no: nothing is allocated */
bool runtime_device_is_open(int device);
int runtime_device_count(void);
int runtime_device(void); /* of this thread: cudaSetDevice() */
void runtime_set_device(int device);
/* Has the thread called the runtime since it began, or gave up its context? */
bool runtime_thread_is_bound(void);
/* Has any thread called it, even if only for the number of devices? That initialises the driver
 * API, too.
 */
bool runtime_has_begun(void);
void runtime_begins(void);
void runtime_bind_thread(bool bound);
/* Forked off after the device was opened: it cannot use it, and gets an error. */
bool runtime_is_child(void);
cudaError_t runtime_reject_child(void);

/* For cudart.c. Before anything else: the GPUs to be simulated, and the function to call for each
 * that is opened. */
typedef void (*runtime_part)(const struct runtime *gpu, struct err *e);
void runtime_prepare(const struct gpu_limits *const limits[], int count, runtime_part opened);
void runtime_close(void); /* the thread's */
void runtime_forget_errors(void);
/* One line on stderr, exit code 2. */
void runtime_end_program(const struct err *e);

/* The limits alone, without opening anything. */
const struct gpu_limits *runtime_limits(void);
const struct gpu_limits *runtime_limits_of(int device);

/* Work on the device is done by one host thread at a time. */
/* cudart_limit.c: bytes of the buffer for printf. */
size_t limit_of_printf(void);
/* This thread runs a host function of a stream: calls of the runtime are rejected meanwhile. */
void runtime_in_host_function(bool is);
/* A launch begins: no other thread resets the GPU until runtime_release(). false: there is no other
 * thread, and nothing to release. */
bool runtime_hold(void);
void runtime_release(void);
/* Waits for such launches, and keeps new ones waiting. */
void runtime_begin_reset(void);
void runtime_end_reset(void);
void runtime_lock(void);
void runtime_unlock(void);

/* A step of a call, unless one before it has failed; 0 is success in either API. */
#define AND_THEN(code, step)                                                                       \
    do {                                                                                           \
        if ((code) == 0) {                                                                         \
            (code) = (step);                                                                       \
        }                                                                                          \
    } while (0)

/* ---- errors ---------------------------------------------------------------------------------- */

/* Every call but those of the next kind: cudaSuccess, or the fault that ended the device's work. */
cudaError_t runtime_enter(void);
/* Calls that only put work into a stream: an error that was not seen yet stays unseen. */
cudaError_t runtime_enter_async(void);
/* Calls that only ask what there is: they succeed behind a fault, as on a card. */
cudaError_t runtime_enter_lost(void);
/* True when a kernel's fault has ended the device's work: whatever is issued then is dropped. */
bool runtime_is_lost(void);
cudaError_t runtime_fault_code(void); /* cudaSuccess while there was none */
/* A kernel has failed, and no call has returned that since. site: of its launch, or NULL. */
bool runtime_fault_is_unseen(const void **site);
/* A kernel has failed: prints the line and remembers the code. */
void runtime_fault(const struct err *e);

/* Sets the calling thread's last error and returns it. */
cudaError_t cuda_error(cudaError_t code);
/* That error, without a word of whether the program has read it. */
cudaError_t runtime_last_error(void);
/* cudaErrorInvalidValue where the program has no place for what it asks for. */
static inline cudaError_t runtime_need(const void *place)
{
    return place != NULL ? cudaSuccess : cuda_error(cudaErrorInvalidValue);
}
/* One line on stderr: "simt: x.cu:12: CALL: ...", where the program's line can be found. */
void runtime_say(const char *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
void runtime_say_list(const char *call, const char *format, va_list args);
/* Until NULL is given, messages name this call of the driver API, whatever function of the runtime
 * does its work; and errors are not the runtime's last one. */
void runtime_speak_as(const char *call);
const char *runtime_spoken_call(void); /* NULL: none */
/* While a <<<>>> launch is judged, its line is this return address's; NULL: it is over. */
void runtime_set_launch_site(const void *return_address);
const void *runtime_launch_site(void); /* NULL: no <<<>>> is being judged */
/* That, or where the running call was made: for describe_line(). */
const void *runtime_site(void);
/* Sets the error and explains it; call may be NULL. */
cudaError_t cuda_error_saying(cudaError_t code, const char *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
cudaError_t cuda_error_from_simt(const struct err *e);

/* ---- pointers -------------------------------------------------------------------------------- */

enum pointer_side { SIDE_HOST, SIDE_DEVICE, SIDE_ANY };

/* A host pointer to [pointer, pointer + bytes) that the caller may read or write, or NULL after
 * explaining what is wrong with it. SIDE_ANY takes either kind, as cudaMemcpyDefault does. */
void *cudart_resolve_pointer(const char *call, const char *role, const void *pointer,
                             uint64_t bytes, enum pointer_side side);
/* Has an array of the host as many bytes behind the pointer, where that is known? Else explained.
 * For pointers that cudart_resolve_pointer() took as they are: others are the device's. */
bool cudart_judge_host_array(const char *call, const char *role, const void *pointer,
                             uint64_t bytes);
/* "allocation 3, 400 bytes, cudaMalloc at x.cu:12" */
void cudart_describe_allocation(const struct allocation *a, char *text, size_t size);
/* One sentence about why `pointer` is not the start of a live allocation. */
void cudart_explain_pointer(const void *pointer, char *text, size_t size);

/* cudaMalloc and its relatives; 0 bytes succeed and give a null pointer, as on a card. site: where
 * the program called. */
cudaError_t runtime_allocate(const char *call, void **pointer, uint64_t bytes,
                             enum memory_kind kind, const void *site);
/* The same, at the address `again` if it is not 0 and free. */
cudaError_t runtime_allocate_at(uint64_t again, const char *call, void **pointer, uint64_t bytes,
                                enum memory_kind kind, const void *site);

/* The program frees or unmaps memory of its own. */
void runtime_host_gone(const void *host, uint64_t bytes, const void *return_address);
void runtime_touches_all(const char *call, const char *verb, const void *pointer,
                         cudaStream_t stream);

/* ---- the host's own memory ------------------------------------------------------------------- */

/* From now on host code that touches device memory gets a message before it ends. */
void host_watch(void);
bool host_is_watched(void); /* no: the program handles SIGSEGV itself */
/* Who is asked first about an access that met no open page: true if it may be tried again. */
void host_set_guard(bool (*met)(void *address, void *context));
const void *host_instruction_of(const void *handlers_context);
/* Does it lie in memory, but no stack, that may be written? Slow. */
bool host_is_writable(const void *pointer);
/* Calls access(state). False if that met an address where there is no memory: it was given up
 * there. */
bool host_try(void (*access)(void *), void *state, uint64_t *wrong);

/* ---- streams --------------------------------------------------------------------------------- */

/* NULL, cudaStreamLegacy, cudaStreamPerThread or a live stream; else an error, explained. */
cudaError_t cudart_check_stream(const char *call, cudaStream_t stream);
/* The same of a launch, which needs one of the current device. */
cudaError_t cudart_check_stream_of_device(const char *call, cudaStream_t stream);
/* Of a stream that exists; the built-in ones are the current device's. */
int cudart_stream_device(cudaStream_t stream);

/* Kernels launched so far; reports tell them apart by this number. */
uint64_t cudart_launches_issued(void);
/* Streams and events that were made and not destroyed. */
void streams_visit(void (*visit)(void *state, const struct handle *h), void *state);
void events_visit(void (*visit)(void *state, const struct handle *h), void *state);
void streams_forget(void); /* cudaDeviceReset(): all streams and events are gone */
void limits_forget(void);  /* cudaDeviceReset(): all are as usual again */
void events_forget(void);

/* An nvcc program compiled with --default-stream per-thread calls these names. */
#define PER_THREAD(name, suffix) extern __typeof__(name) name##suffix __attribute__((alias(#name)))

#endif
