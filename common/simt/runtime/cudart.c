/* cudart.c - when the CUDA runtime begins and ends: what the environment asks for, what begins with
 * the simulated GPU, and what ends with cudaDeviceReset(). The only file that knows all parts. See
 * cudart.h. */
#include "runtime/cudart.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/env.h"
#include "runtime/cudart_estimate.h"
#include "check/host/order.h"
#include "runtime/registry.h"
#include "report/report.h"
#include "report/show.h"
#include "check/check.h"
#include "ptxas/passes.h"

enum { MOST_THREADS = 1024, MOST_PATIENCE_S = 1000000 };

static unsigned checks;     /* enum check_what: SIMT_CHECK */
static struct check *check; /* NULL: none, or not open yet */

static void tell_left(void *cure, const struct handle *h)
{
    check_leak(check, h->made_by, h->made_at, cure);
}

/* A program that has been found wanting has not succeeded, whatever it returns. */
static void tell_verdict(int status, void *unused)
{
    (void)unused;
    if (check == NULL || runtime_is_child()) {
        return;
    }
    order_ends();
    streams_visit(tell_left, "cudaStreamDestroy");
    events_visit(tell_left, "cudaEventDestroy");
    check_end(check);
    uint64_t found = check_findings(check);
    if (found > 0) {
        fflush(stdout);
        fprintf(stderr, "simt: SIMT_CHECK: %llu finding%s\n", (unsigned long long)found,
                found == 1 ? "" : "s");
        if (status == 0) {
            fflush(NULL);
            _exit(1);
        }
    }
}

/* What begins with every GPU that is opened. */
static void device_opened(const struct runtime *gpu, struct err *e)
{
    estimate_open_device(gpu->simt);
    if (checks != 0 && check == NULL) {
        check = check_open(checks, e);
        if (check != NULL && checks & CHECK_RACES) {
            order_open_check(check);
        }
    }
    if (check != NULL) {
        check_attach(check, gpu->memory);
        simt_observe(gpu->simt, check_observer(check), e);
    }
    host_watch();
    order_device_opened(gpu->simt, gpu->memory, e);
}

static bool read_environment(struct err *e)
{
    const char *name = getenv("SIMT_GPU");
    bool chosen = name != NULL && name[0] != '\0';
    const struct gpu_limits *limits = chosen ? gpu_limits_find(name) : gpu_limits_default();
    if (limits == NULL) {
        char list[512];
        return err_set(e, "SIMT_GPU=%.80s: no such GPU; known: %s", name,
                       gpu_limits_list(list, sizeof list));
    }
    runtime_prepare(limits, device_opened);
    uint64_t judged; /* simt_open() reads these again, when it needs them */
    bool plain;
    if (!check_parse(getenv("SIMT_CHECK"), &checks, e)) {
        return false;
    }
    if (checks != 0) {
        on_exit(tell_verdict, NULL); /* the first to be asked for is the last to be called */
    }
    return env_number("SIMT_THREADS", 1, MOST_THREADS, &judged, e) &&
           env_number("SIMT_SCHEDULE", 1, UINT32_MAX, &judged, e) &&
           env_number("SIMT_MAX_INSTRUCTIONS", 1, INT64_MAX, &judged, e) &&
           env_number("SIMT_PATIENCE", 0, MOST_PATIENCE_S, &judged, e) &&
           passes_read_environment(&plain, e) && report_open(getenv("SIMT_REPORT"), e) &&
           show_open(getenv("SIMT_SHOW"), e) && estimate_read_environment(e);
}

/* Before main(), so that a wrong variable is told at once and not after an hour's work, and before
 * the constructors that compilers generate, which register kernels (101 is the earliest there is).
 */
__attribute__((constructor(101))) static void start(void)
{
    struct err e = {0};
    if (!read_environment(&e)) {
        runtime_end_program(&e);
    }
}

/* Everything on the device goes: memory, modules, streams, events, and a fault with them. */
cudaError_t cudaDeviceReset(void)
{
    if (runtime_is_child()) {
        return runtime_reject_child();
    }
    order_device_closes();
    runtime_lock();
    if (runtime_is_open()) {
        registry_forget_device();
        streams_forget();
        events_forget();
        limits_forget();
        if (check != NULL) {
            check_attach(check, NULL);
        }
        runtime_close();
    }
    runtime_forget_errors();
    runtime_unlock();
    registry_load_managed();
    return cudaSuccess;
}
