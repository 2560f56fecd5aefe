/* engine.c - see engine.h: modules, the simulated GPU, and a launch from its request to its answer.
 */
#include "common/site/wasm/engine.h"
#include "common/site/wasm/request.h"

#include "api/simt.h"
#include "base/demangle.h"
#include "base/room.h"
#include "check/check.h"
#include "report/record_rows.h"
#include "time/estimate.h"

#include "common/gpu/gpu_limits.h"
#include "common/gpu/occupancy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MODULES = 64, TRACE_STEPS = 4000, RECORD_SCHEMA = 1 };

/* Of a block, before a kernel counts as endless: about a second in a page. */
#define MOST_INSTRUCTIONS "10000000"

static struct {
    char name[32], *text;
    size_t length;
    struct simt_module *loaded; /* by the GPU that is open; NULL: not yet */
} modules[MOST_MODULES];

/* The GPU that is open, and who watches it; another one is opened for other limits, another order
 * of warps or other watchers. */
static struct {
    struct simt *simt;
    const struct gpu_limits *limits;
    unsigned schedule;
    enum request_watch watch;
    struct accesses *accesses;
    struct estimator *estimator;
    struct trace trace;
    struct check *check;
} gpu;

static struct branches *branches; /* of every GPU, as one lives as long as the program */
static char *answer;

void engine_module(const char *name, const char *text, size_t length)
{
    unsigned i = 0;
    while (i + 1 < MOST_MODULES && modules[i].text != NULL && strcmp(modules[i].name, name) != 0) {
        i++;
    }
    if (modules[i].loaded != NULL) {
        simt_module_unload(modules[i].loaded);
    }
    free(modules[i].text);
    snprintf(modules[i].name, sizeof modules[i].name, "%s", name);
    modules[i].text = room_copy(text, length, 1);
    modules[i].length = length;
    modules[i].loaded = NULL;
}

/* ---- the GPU --------------------------------------------------------------------------------- */

static void close_gpu(void)
{
    for (unsigned i = 0; i < MOST_MODULES; i++) {
        if (modules[i].loaded != NULL) {
            simt_module_unload(modules[i].loaded);
            modules[i].loaded = NULL;
        }
    }
    simt_close(gpu.simt);
    accesses_close(gpu.accesses);
    estimator_close(gpu.estimator);
    if (gpu.check != NULL) {
        check_close(gpu.check);
    }
    trace_forget(&gpu.trace);
    memset(&gpu, 0, sizeof gpu);
}

static bool watch_gpu(enum request_watch watch, struct err *e)
{
    if (watch & WATCH_ROWS) {
        gpu.accesses = accesses_open(true);
        branches = branches != NULL ? branches : branches_open();
        gpu.estimator = estimator_open(gpu.limits, (struct estimate_options){.cold = true});
        if (!simt_observe(gpu.simt, accesses_observer(gpu.accesses), e) ||
            !simt_observe(gpu.simt, branches_observer(branches), e) ||
            !simt_observe(gpu.simt, estimator_observer(gpu.estimator), e)) {
            return false;
        }
    }
    if (watch & WATCH_STEPS) {
        trace_init(&gpu.trace);
        gpu.trace.limit = TRACE_STEPS;
        if (!simt_observe(gpu.simt, &gpu.trace.observer, e)) {
            return false;
        }
    }
    if (watch & WATCH_RACES) {
        gpu.check = check_open(CHECK_RACES);
        check_attach(gpu.check, simt_memory(gpu.simt));
        return simt_observe(gpu.simt, check_observer(gpu.check), e);
    }
    return true;
}

static bool open_gpu(const struct request *r, struct err *e)
{
    char list[512], schedule[16];
    const struct gpu_limits *limits = gpu_limits_find(r->gpu);
    if (limits == NULL) {
        return err_set(e, "gpu %s: there is no such GPU; there are %s", r->gpu,
                       gpu_limits_list(list, sizeof list));
    }
    if (gpu.simt != NULL && gpu.limits == limits && gpu.schedule == r->schedule &&
        gpu.watch == r->watch && gpu.check == NULL) {
        return true;
    }
    if (gpu.simt != NULL) {
        close_gpu();
    }
    snprintf(schedule, sizeof schedule, "%u", r->schedule);
    setenv("SIMT_MAX_INSTRUCTIONS", MOST_INSTRUCTIONS, 1);
    setenv("SIMT_SCHEDULE", r->schedule != 0 ? schedule : "", 1);
    gpu.limits = limits;
    gpu.schedule = r->schedule;
    gpu.watch = r->watch;
    gpu.simt = simt_open(limits, 1, e);
    return gpu.simt != NULL && watch_gpu(r->watch, e);
}

static struct simt_module *load(const char *name, struct err *e)
{
    for (unsigned i = 0; i < MOST_MODULES && modules[i].text != NULL; i++) {
        if (strcmp(modules[i].name, name) == 0) {
            if (modules[i].loaded == NULL) {
                modules[i].loaded =
                    simt_module_load(gpu.simt, modules[i].text, modules[i].length, name, e);
            }
            return modules[i].loaded;
        }
    }
    err_set(e, "module %s: no text has this name", name);
    return NULL;
}

/* ---- a launch -------------------------------------------------------------------------------- */

static bool run(struct request *r, struct simt_launch *launch, struct simt_counters *counters,
                struct err *e)
{
    _Alignas(64) unsigned char params[MOST_PARAMETER_BYTES] = {0};
    struct simt_module *module = load(r->module, e);
    launch->kernel = module != NULL ? simt_module_kernel(module, r->kernel, e) : NULL;
    if (launch->kernel == NULL || !request_buffers(r, simt_memory(gpu.simt), e) ||
        !request_arguments(r, launch->kernel, params, e)) {
        return false;
    }
    launch->grid = r->grid;
    launch->block = r->block;
    launch->cluster = r->cluster;
    launch->cooperative = r->cooperative;
    launch->dynamic_shared_bytes = r->shared_bytes;
    launch->params = params;
    gpu.trace.wanted = (r->watch & WATCH_STEPS) != 0;
    gpu.trace.block_number = r->traced;
    const bool good = simt_run(gpu.simt, launch, counters, e);
    if (gpu.check != NULL) {
        check_print_findings(gpu.check);
    }
    return good;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void write_occupancy(struct json *j, const struct simt_launch *l, uint64_t *shared_bytes)
{
    struct simt_kernel_attributes a;
    struct occupancy o;
    char limiters[80];
    simt_kernel_attributes(l->kernel, &a);
    const struct occupancy_request request = {.threads_per_block =
                                                  l->block.x * l->block.y * l->block.z,
                                              .registers_per_thread = a.registers,
                                              .static_shared_bytes = a.static_shared_bytes,
                                              .dynamic_shared_bytes = l->dynamic_shared_bytes};
    *shared_bytes = a.static_shared_bytes + l->dynamic_shared_bytes;
    json_open(j, "occupancy", '{');
    json_number(j, "registers", a.registers);
    json_number(j, "exact_registers", a.exact_registers);
    if (occupancy_compute(gpu.limits, &request, &o)) {
        json_number(j, "blocks", o.blocks_per_sm);
        json_number(j, "warps", o.warps_per_sm);
        json_number(j, "most_warps", gpu.limits->max_warps_per_sm);
        json_text(j, "limiter", occupancy_limiters(&o, limiters, sizeof limiters));
    }
    json_close(j, '}');
}

static void write_floor(struct json *j)
{
    const struct estimate *estimate = gpu.estimator != NULL ? estimator_last(gpu.estimator) : NULL;
    if (estimate != NULL) {
        record_write_floor(j, &estimate->floors);
    }
}

static void write_rows(struct json *j, struct record_rows *rows, const struct simt_launch *l,
                       const char *name)
{
    const struct access_row *accesses;
    const struct branch_row *rows_of_branches;
    const unsigned access_count = accesses_rows(gpu.accesses, &accesses);
    const unsigned branch_count = branches_rows(branches, &rows_of_branches);
    record_write_lines(j, rows, l->kernel);
    record_write_accesses(j, rows, name, accesses, access_count);
    record_write_branches(j, rows, rows_of_branches, branch_count, accesses, access_count);
    if (gpu.trace.step_count > 0) {
        record_write_trace(j, rows, &gpu.trace);
        trace_forget(&gpu.trace);
    }
}

static void write_launch(struct json *j, struct record_rows *rows, const struct simt_launch *l,
                         const struct simt_counters *c)
{
    uint64_t shared_bytes = 0;
    char name[256];
    demangle_name(simt_kernel_name(l->kernel), name, sizeof name);
    json_open(j, NULL, '{');
    json_text(j, "kernel", name);
    json_number(j, "launch", 0);
    json_number(j, "launches", 1);
    json_number(j, "measured", 0);
    record_write_dim(j, "grid", &l->grid);
    record_write_dim(j, "block", &l->block);
    write_occupancy(j, l, &shared_bytes);
    json_number(j, "shared_bytes", shared_bytes);
    json_open(j, "counters", '{');
#define COUNTER(field, unit, metric) json_number(j, #field, c->field);
#include "base/counters.def"
#undef COUNTER
    json_close(j, '}');
    write_floor(j);
    json_bool(j, "detailed", gpu.watch & WATCH_ROWS);
    if (gpu.watch & WATCH_ROWS) {
        write_rows(j, rows, l, name);
    }
    json_close(j, '}');
}

static void write_record(struct json *j, const struct request *r, const struct simt_launch *l,
                         const struct simt_counters *counters)
{
    static struct record_rows *rows; /* grows with new files and pictures */
    rows = rows != NULL ? rows : record_rows_open();
    json_number(j, "schema", RECORD_SCHEMA);
    json_text(j, "program", r->module);
    json_text(j, "gpu", gpu.limits->name);
    json_text(j, "source", "simulated counts");
    json_text(j, "checked", r->watch & WATCH_RACES ? "races" : "memory");
    json_open(j, "findings", '['); /* on stderr */
    json_close(j, ']');
    json_number(j, "launches_left_out", 0);
    json_open(j, "launches", '[');
    write_launch(j, rows, l, counters);
    json_close(j, ']');
    json_open(j, "explained", '[');
    json_close(j, ']');
    record_rows_write(j, rows);
    request_values(r, simt_memory(gpu.simt), j);
}

const char *engine_run(const char *text)
{
    static struct request r;
    struct err e = {0};
    struct simt_counters counters = {0};
    struct simt_launch launch = {0};
    size_t length = 0;
    free(answer);
    answer = NULL;
    struct json j = {.out = open_memstream(&answer, &length)};
    if (j.out == NULL) {
        return "{\"error\":\"out of memory\"}";
    }
    json_open(&j, NULL, '{');
    if (request_read(&r, text, &e) && open_gpu(&r, &e) && run(&r, &launch, &counters, &e)) {
        write_record(&j, &r, &launch, &counters);
    } else {
        json_text(&j, "error", e.text);
    }
    if (gpu.simt != NULL) {
        request_release(&r, simt_memory(gpu.simt));
    }
    json_close(&j, '}');
    fclose(j.out);
    return answer;
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

static void write_gpu(struct json *j, size_t i)
{
    const struct gpu_limits *g = gpu_limits_at(i);
    json_open(j, NULL, '{');
    json_text(j, "short", gpu_limits_short_name(i));
    json_text(j, "name", g->name);
    json_bool(j, "counts_threads", g->counts_threads);
#define LIMIT(field) json_number(j, #field, g->field);
    LIMIT(sm_count)
    LIMIT(max_threads_per_sm)
    LIMIT(max_warps_per_sm)
    LIMIT(max_blocks_per_sm)
    LIMIT(registers_per_sm)
    LIMIT(shared_bytes_per_sm)
    LIMIT(shared_bytes_reserved)
    LIMIT(register_unit)
    LIMIT(warp_unit)
    LIMIT(shared_unit)
#undef LIMIT
    json_close(j, '}');
}

const char *engine_gpus(void)
{
    size_t length = 0;
    free(answer);
    answer = NULL;
    struct json j = {.out = open_memstream(&answer, &length)};
    if (j.out == NULL) {
        return "[]";
    }
    json_open(&j, NULL, '[');
    for (size_t i = 0; i < gpu_limits_count(); i++) {
        write_gpu(&j, i);
    }
    json_close(&j, ']');
    fclose(j.out);
    return answer;
}
