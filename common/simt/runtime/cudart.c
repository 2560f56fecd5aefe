/* cudart.c - when the CUDA runtime begins and ends: what the environment asks for, what begins with
 * the simulated GPU, and what ends with cudaDeviceReset(). The only file that knows all parts. See
 * cudart.h. */
#include "runtime/cudart.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/env.h"
#include "runtime/cudart_advice.h"
#include "runtime/cudart_array.h"
#include "runtime/cudart_devices.h"
#include "runtime/cudart_estimate.h"
#include "runtime/cudart_pool.h"
#include "runtime/cudart_pool_memory.h"
#include "runtime/graph.h"
#include "check/host/host_order.h"
#include "runtime/registry.h"
#include "runtime/unread.h"
#include "report/record_findings.h"
#include "report/report.h"
#include "report/show.h"
#include "check/check.h"
#include "ptxas/passes.h"

enum { MOST_THREADS = 1024, MOST_PATIENCE_S = 1000000 };

static unsigned checks;                          /* enum check_what: SIMT_CHECK */
static struct check *checks_of[RUNTIME_DEVICES]; /* NULL: none, or not open yet */

/* Of the GPU that was opened first; NULL: none. */
static struct check *any_check(void)
{
    struct check *first = NULL;
    for (int i = runtime_device_count() - 1; i >= 0; i--) {
        first = checks_of[i] != NULL ? checks_of[i] : first;
    }
    return first;
}

static void tell_left(void *cure, const struct handle *h)
{
    check_leak(any_check(), h->made_by, h->made_at, cure);
}

static void tell_left_graph(void *cure, const struct handle *h)
{
    if (h->made_by != NULL) { /* else it is a part of another, or of an executable one */
        tell_left(cure, h);
    }
}

static void tell_unread(const struct unread_error *e)
{
    char deed[400];
    snprintf(deed, sizeof deed, "%.200s did not run (%s), and cudaGetLastError() was not called",
             e->kernel, cudaGetErrorString(e->code));
    check_ignored_error(any_check(), e->site, deed, "cudaGetLastError() behind each launch");
}

static void tell_unseen_fault(void)
{
    const void *site;
    if (runtime_fault_is_unseen(&site)) {
        check_ignored_error(any_check(), site,
                            "a kernel failed, and no call was made that returns its error",
                            "look at what cudaDeviceSynchronize() returns before the end");
    }
}

/* What is found when nothing more is to come. Once. */
static void end_checks(void)
{
    static bool ended;
    if (ended) {
        return;
    }
    ended = true;
    if (any_check() == NULL) { /* streams and events may be left where no GPU was opened */
        checks_of[0] = check_open(checks);
    }
    host_order_ends();
    streams_visit(tell_left, "cudaStreamDestroy");
    events_visit(tell_left, "cudaEventDestroy");
    graph_visit(tell_left_graph, "cudaGraphDestroy");
    graph_exec_visit(tell_left, "cudaGraphExecDestroy");
    images_visit(false, tell_left, "cudaDestroyTextureObject");
    images_visit(true, tell_left, "cudaDestroySurfaceObject");
    unread_visit(tell_unread);
    tell_unseen_fault();
    for (int i = 0; i < runtime_device_count(); i++) {
        if (checks_of[i] != NULL) {
            check_end(checks_of[i]);
        }
    }
}

static bool visit_findings(findings_visitor *visit, void *state)
{
    if (any_check() == NULL || runtime_is_child()) {
        return false;
    }
    end_checks();
    for (int i = 0; i < runtime_device_count(); i++) {
        if (checks_of[i] != NULL) {
            check_visit_findings(checks_of[i], visit, state);
        }
    }
    return true;
}

/* A program that has been found wanting has not succeeded, whatever it returns. */
static void tell_verdict(int status, void *unused)
{
    (void)unused;
    if (runtime_is_child()) {
        return;
    }
    end_checks();
    uint64_t found = 0;
    for (int i = 0; i < runtime_device_count(); i++) {
        found += checks_of[i] != NULL ? check_findings(checks_of[i]) : 0;
    }
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
    if (!(checks & (CHECK_RACES | CHECK_UNINITIALISED))) {
        simt_let_shuffles_go_on(gpu->simt);
    }
    struct check **check = &checks_of[gpu->device];
    if (checks != 0 && *check == NULL) {
        const bool first = any_check() == NULL;
        *check = check_open(checks);
        if (checks & CHECK_RACES && first) {
            host_order_open_check(*check);
        }
    }
    if (*check != NULL) {
        check_attach(*check, gpu->memory);
        simt_observe(gpu->simt, check_observer(*check), e);
    }
    devices_opened(gpu);
    host_watch();
    host_order_device_opened(gpu->simt, gpu->memory, e);
}

static bool read_environment(struct err *e)
{
    if (!devices_read_environment(device_opened, e)) {
        return false;
    }
    uint64_t judged; /* simt_open() reads these again, when it needs them */
    bool plain;
    if (!check_parse(getenv("SIMT_CHECK"), &checks, e)) {
        return false;
    }
    if (checks != 0) {
        pool_memory_never_again();
        record_findings_from(visit_findings);
        on_exit(tell_verdict, NULL); /* the first to be asked for is the last to be called */
    }
    return env_number("SIMT_THREADS", 1, MOST_THREADS, &judged, e) &&
           env_number("SIMT_SCHEDULE", 1, UINT32_MAX, &judged, e) &&
           env_number("SIMT_MAX_INSTRUCTIONS", 1, INT64_MAX, &judged, e) &&
           env_number("SIMT_PATIENCE", 0, MOST_PATIENCE_S, &judged, e) &&
           passes_read_environment(&plain, e) && report_open(getenv("SIMT_REPORT"), e) &&
           show_open(getenv("SIMT_SHOW"), e) && estimate_read_environment(e);
}

/* Before main(), so that a wrong variable is reported at once and not after an hour's work, and
 * before the constructors that compilers generate, which register kernels (101 is the earliest
 * there is).
 */
__attribute__((constructor(101))) static void start(void)
{
    struct err e = {0};
    if (!read_environment(&e)) {
        runtime_end_program(&e);
    }
}

/* Is no other device open than the thread's? */
static bool is_only_one(void)
{
    bool only = true;
    for (int i = 0; i < runtime_device_count(); i++) {
        only &= i == runtime_device() || !runtime_device_is_open(i);
    }
    return only;
}

/* Everything on the device goes: memory, modules, streams, events, and a fault with them. */
cudaError_t cudaDeviceReset(void)
{
    if (runtime_is_child()) {
        return runtime_reject_child();
    }
    runtime_bind_thread(true);
    runtime_begin_reset();
    host_order_device_closes(is_only_one());
    runtime_lock();
    if (runtime_is_open()) {
        registry_forget_device();
        streams_forget();
        events_forget();
        images_forget();
        arrays_forget();
        pools_forget();
        limits_forget();
        advice_forget(runtime_device());
        if (checks_of[runtime_device()] != NULL) {
            check_attach(checks_of[runtime_device()], NULL);
        }
        devices_closes();
        runtime_close();
    }
    runtime_forget_errors();
    runtime_unlock();
    runtime_end_reset();
    registry_load_managed();
    return cudaSuccess;
}
