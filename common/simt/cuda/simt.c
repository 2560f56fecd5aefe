/* simt.c - the public C API: one simulated GPU with its modules, kernels and launches. */
#include "cuda/simt.h"

#include "decode/decode.h"
#include "base/demangle.h"
#include "base/env.h"
#include "exec/exec.h"
#include "exec/exec_observed.h"
#include "exec/exec_native.h"
#include "machine/grid.h"
#include "machine/sample.h"
#include "observe/lines.h"
#include "passes/passes.h"
#include "ptx/parse.h"

#include "common/gpu/gpu_limits.h"
#include "common/gpu/occupancy.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Warp instructions of one block before a kernel counts as endless: a loop of a few cheap
 * instructions runs through them in about 10 seconds. */
#define DEFAULT_MAX_INSTRUCTIONS 1000000000u

enum { DEFAULT_STACK_BYTES = 64 * 1024, WORKSPACE_BYTES = 256 };

struct simt {
    const struct gpu_limits *limits;
    struct memory *memory;
    struct grid_pool *pool;
    struct simt_module *modules;
    struct grid_settings settings;
    bool plain_passes; /* SIMT_PASSES=none */
    void (*write)(void *state, const char *text, size_t length);
    void *write_state;
    pthread_mutex_t output_lock, launch_lock;
    uint32_t launches;
    struct observers observers;
    uint64_t sample_budget; /* warp instructions; 0: launches run whole */
    struct simt_sample sample; /* of the last launch */
};

struct simt_kernel {
    struct kernel *decoded;
    struct simt *simt;
    struct site *sites;               /* room for the counters of a launch */
    struct observed_kernel *observed; /* made when somebody observes a launch of it, */
    struct observed_kernel *stepped;  /* or each step of one block */
    struct simt_kernel *next;
};

struct simt_module {
    struct simt *simt;
    struct ptx_module *ptx;
    struct simt_module *next;
    struct simt_kernel *kernels;
    uint64_t *addresses; /* of ptx->vars, 0 for those that are not in device memory */
    pthread_mutex_t lock;
};

static void write_stdout(void *state, const char *text, size_t length)
{
    (void)state;
    fwrite(text, 1, length, stdout);
}

void grid_print(struct simt *s, const char *text, size_t length)
{
    pthread_mutex_lock(&s->output_lock);
    s->write(s->write_state, text, length);
    pthread_mutex_unlock(&s->output_lock);
}

void simt_set_output(struct simt *s, void (*write)(void *state, const char *text, size_t length),
                     void *state)
{
    s->write = write;
    s->write_state = state;
}

/* --- opening --------------------------------------------------------------------------------- */

static bool read_settings(struct simt *s, unsigned *threads, struct err *e)
{
    uint64_t count = 0, instructions = DEFAULT_MAX_INSTRUCTIONS;
    const char *exited = getenv("SIMT_EXITED_THREADS");
    exited = exited != NULL && exited[0] == '\0' ? NULL : exited; /* as env_number has it */
    if (!env_number("SIMT_THREADS", 1, 1024, &count, e) ||
        !env_number("SIMT_SCHEDULE", 1, UINT32_MAX, &s->settings.schedule, e) ||
        !env_number("SIMT_MAX_INSTRUCTIONS", 1, INT64_MAX, &instructions, e) ||
        !passes_read_environment(&s->plain_passes, e)) {
        return false;
    }
    if (exited != NULL && strcmp(exited, "ignore") != 0 && strcmp(exited, "error") != 0) {
        return err_set(e, "SIMT_EXITED_THREADS=%s: it is `ignore` or `error`", exited);
    }
    if (*threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        *threads = count != 0 ? (unsigned)count : cores > 0 ? (unsigned)cores : 1;
    }
    s->settings.max_instructions = (int64_t)instructions;
    s->settings.allow_exited = exited != NULL && strcmp(exited, "ignore") == 0;
    return true;
}

struct simt *simt_open(const struct gpu_limits *limits, unsigned threads, struct err *e)
{
    struct simt *s = calloc(1, sizeof *s);
    if (s == NULL) {
        err_set(e, "out of memory");
        return NULL;
    }
    s->limits = limits;
    s->write = write_stdout;
    pthread_mutex_init(&s->output_lock, NULL);
    pthread_mutex_init(&s->launch_lock, NULL);
    s->settings.sm_count = limits->sm_count > 0 ? limits->sm_count : 1;
    s->settings.stack_bytes = DEFAULT_STACK_BYTES;
    if (!read_settings(s, &threads, e) ||
        (s->memory = memory_open(limits->global_memory_bytes, e)) == NULL ||
        (s->pool = grid_open(threads, e)) == NULL) {
        simt_close(s);
        return NULL;
    }
    s->settings.memory = s->memory;
    return s;
}

void simt_close(struct simt *s)
{
    if (s == NULL) {
        return;
    }
    while (s->modules != NULL) {
        simt_module_unload(s->modules);
    }
    grid_close(s->pool);
    if (s->memory != NULL) {
        memory_close(s->memory);
    }
    pthread_mutex_destroy(&s->output_lock);
    pthread_mutex_destroy(&s->launch_lock);
    free(s);
}

struct memory *simt_memory(struct simt *s) { return s->memory; }

/* --- modules --------------------------------------------------------------------------------- */

/* A function's address is its number: see decode.c. One that is only declared (clang copies host
 * tables of constants to the device, host functions and all) gets the address that no call may
 * have, 0. */
static bool find_function(const struct ptx_module *m, const char *name, uint64_t *address)
{
    bool found = false;
    for (unsigned i = 0; i < m->func_count; i++) {
        if (strcmp(m->funcs[i].name, name) == 0) {
            *address = !m->funcs[i].is_prototype ? i + 1 : found ? *address : 0;
            found = true;
        }
    }
    return found;
}

static bool find_variable(void *state, const char *name, uint64_t *address)
{
    const struct simt_module *m = state;
    for (unsigned i = 0; i < m->ptx->var_count; i++) {
        if (strcmp(m->ptx->vars[i].name, name) == 0 && m->addresses[i] != 0) {
            *address = m->addresses[i];
            return true;
        }
    }
    return false;
}

static bool relocate(struct simt_module *m, const struct ptx_var *v, uint8_t *host, struct err *e)
{
    for (unsigned i = 0; i < v->reloc_count; i++) {
        const struct ptx_reloc *r = &v->relocs[i];
        uint64_t address;
        if (!find_variable(m, r->symbol, &address) && !find_function(m->ptx, r->symbol, &address)) {
            return err_set_code(e, SIMT_NOT_SUPPORTED,
                                "%s: variable %s points to %s, which is "
                                "neither a variable nor a function of this module",
                                m->ptx->name, v->name, r->symbol);
        }
        address += r->addend;
        memcpy(host + r->offset, &address, r->bytes);
    }
    return true;
}

static bool place_variables(struct simt_module *m, struct err *e)
{
    const struct ptx_module *ptx = m->ptx;
    m->addresses = calloc(ptx->var_count + 1u, sizeof *m->addresses);
    if (m->addresses == NULL) {
        return err_set(e, "out of memory");
    }
    for (unsigned i = 0; i < ptx->var_count; i++) {
        const struct ptx_var *v = &ptx->vars[i];
        if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || v->is_extern) {
            continue;
        }
        enum memory_kind kind = v->space == PTX_CONST ? MEMORY_CONSTANT : MEMORY_SYMBOL;
        const struct allocation *a = memory_alloc(m->simt->memory, v->bytes, kind, v->name, NULL);
        if (a == NULL) {
            return err_set_code(e, SIMT_BAD_LAUNCH,
                                "no device memory for variable %s of %llu bytes", v->name,
                                (unsigned long long)v->bytes);
        }
        m->addresses[i] = a->begin;
        if (v->initial != NULL) {
            memcpy((void *)(uintptr_t)(a->begin + (uint64_t)a->delta), v->initial, v->bytes);
        }
    }
    for (unsigned i = 0; i < ptx->var_count; i++) {
        uint8_t *host = m->addresses[i] != 0
                            ? memory_host(m->simt->memory, m->addresses[i], ptx->vars[i].bytes)
                            : NULL;
        if (ptx->vars[i].reloc_count > 0 && host != NULL && !relocate(m, &ptx->vars[i], host, e)) {
            return false;
        }
    }
    return true;
}

struct simt_module *simt_module_load(struct simt *s, const char *text, size_t length,
                                     const char *name, struct err *e)
{
    struct simt_module *m = calloc(1, sizeof *m);
    if (m == NULL) {
        err_set(e, "out of memory");
        return NULL;
    }
    m->simt = s;
    pthread_mutex_init(&m->lock, NULL);
    m->ptx = parse_module(text, length, name, e);
    m->next = s->modules;
    s->modules = m;
    if (m->ptx == NULL) {
        if (e != NULL && e->code == 0) {
            e->code = SIMT_BAD_PTX;
        }
    } else if (place_variables(m, e)) {
        return m;
    }
    simt_module_unload(m);
    return NULL;
}

void simt_module_unload(struct simt_module *m)
{
    struct simt_module **link = &m->simt->modules;
    while (*link != m) {
        link = &(*link)->next;
    }
    *link = m->next;
    while (m->kernels != NULL) {
        struct simt_kernel *next = m->kernels->next;
        observed_kernel_free(m->kernels->observed);
        observed_kernel_free(m->kernels->stepped);
        kernel_free(m->kernels->decoded);
        free(m->kernels->sites);
        free(m->kernels);
        m->kernels = next;
    }
    for (unsigned i = 0; m->addresses != NULL && i < m->ptx->var_count; i++) {
        if (m->addresses[i] != 0) {
            memory_free(m->simt->memory, m->addresses[i], NULL);
        }
    }
    free(m->addresses);
    if (m->ptx != NULL) {
        ptx_module_free(m->ptx);
    }
    pthread_mutex_destroy(&m->lock);
    free(m);
}

bool simt_module_symbol(struct simt_module *m, const char *name, uint64_t *address, uint64_t *bytes,
                        struct err *e)
{
    for (unsigned i = 0; i < m->ptx->var_count; i++) {
        if (strcmp(m->ptx->vars[i].name, name) == 0 && m->addresses[i] != 0) {
            *address = m->addresses[i];
            *bytes = m->ptx->vars[i].bytes;
            return true;
        }
    }
    return err_set_code(e, SIMT_NOT_FOUND, "%s has no variable %s", m->ptx->name, name);
}

/* --- kernels --------------------------------------------------------------------------------- */

static struct simt_kernel *decode(struct simt_module *m, const char *name, struct err *e)
{
    struct decode_world world = {.state = m,
                                 .variable = find_variable,
                                 .handler = exec_find,
                                 .guarded = exec_guarded,
                                 .plain = m->simt->plain_passes,
                                 .native = native_find,
                                 .native_param_bytes = native_param_bytes,
                                 .native_result_bytes = native_result_bytes};
    struct kernel *decoded = decode_kernel(m->ptx, name, &world, e);
    struct simt_kernel *k = decoded != NULL ? calloc(1, sizeof *k) : NULL;
    if (k == NULL) {
        return NULL;
    }
    k->decoded = decoded;
    k->simt = m->simt;
    k->sites = calloc(decoded->site_count + 1u, sizeof *k->sites);
    k->next = m->kernels;
    m->kernels = k;
    return k;
}

const struct simt_kernel *simt_module_kernel(struct simt_module *m, const char *name, struct err *e)
{
    pthread_mutex_lock(&m->lock);
    struct simt_kernel *k = m->kernels;
    while (k != NULL && strcmp(k->decoded->name, name) != 0) {
        k = k->next;
    }
    if (k == NULL) {
        k = decode(m, name, e);
    }
    pthread_mutex_unlock(&m->lock);
    return k;
}

const char *simt_kernel_name(const struct simt_kernel *k) { return k->decoded->name; }

unsigned simt_kernel_param_count(const struct simt_kernel *k) { return k->decoded->param_count; }

void simt_kernel_param(const struct simt_kernel *k, unsigned index, uint64_t *offset,
                       uint64_t *bytes)
{
    *offset = k->decoded->params[index].offset;
    *bytes = k->decoded->params[index].bytes;
}

uint64_t simt_kernel_param_bytes(const struct simt_kernel *k) { return k->decoded->param_bytes; }

static uint64_t constant_bytes(const struct ptx_module *m)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < m->var_count; i++) {
        bytes += m->vars[i].space == PTX_CONST ? m->vars[i].bytes : 0;
    }
    return bytes;
}

void simt_kernel_attributes(const struct simt_kernel *k, struct simt_kernel_attributes *out)
{
    const struct kernel *d = k->decoded;
    const unsigned *limit = d->ptx->max_threads;
    unsigned threads = k->simt->limits->max_threads_per_block;
    if (limit[0] != 0) {
        unsigned declared =
            limit[0] * (limit[1] != 0 ? limit[1] : 1) * (limit[2] != 0 ? limit[2] : 1);
        threads = declared < threads ? declared : threads;
    }
    *out = (struct simt_kernel_attributes){.static_shared_bytes = d->static_shared_bytes,
                                           .const_bytes = constant_bytes(d->module),
                                           .local_bytes = d->local_bytes,
                                           .max_threads_per_block = threads,
                                           .registers = d->max_registers};
}

/* --- launches -------------------------------------------------------------------------------- */

static bool check_dimension(const char *what, char axis, uint32_t value, uint64_t limit,
                            struct err *e)
{
    if (value == 0 || value > limit) {
        return err_set_code(e, SIMT_BAD_LAUNCH, "%s.%c is %u; it must be 1 to %llu", what, axis,
                            value, (unsigned long long)limit);
    }
    return true;
}

static bool check_launch(const struct simt *s, const struct simt_launch *l, struct err *e)
{
    const struct gpu_limits *g = s->limits;
    struct simt_kernel_attributes a;
    simt_kernel_attributes(l->kernel, &a);
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    if (!check_dimension("grid", 'x', l->grid.x, g->max_grid_dim[0], e) ||
        !check_dimension("grid", 'y', l->grid.y, g->max_grid_dim[1], e) ||
        !check_dimension("grid", 'z', l->grid.z, g->max_grid_dim[2], e) ||
        !check_dimension("block", 'x', l->block.x, g->max_block_dim[0], e) ||
        !check_dimension("block", 'y', l->block.y, g->max_block_dim[1], e) ||
        !check_dimension("block", 'z', l->block.z, g->max_block_dim[2], e)) {
        return false;
    }
    if (threads > a.max_threads_per_block) {
        return err_set_code(e, SIMT_BAD_LAUNCH, "a block of %llu threads; this kernel may have %u",
                            (unsigned long long)threads, a.max_threads_per_block);
    }
    if (a.static_shared_bytes + l->dynamic_shared_bytes > g->shared_bytes_per_block_opt_in) {
        return err_set_code(e, SIMT_BAD_LAUNCH, "%llu bytes of shared memory; a block may have %u",
                            (unsigned long long)(a.static_shared_bytes + l->dynamic_shared_bytes),
                            g->shared_bytes_per_block_opt_in);
    }
    return true;
}

/* Sites of instructions -> counters of the launch. */
static void sum_counters(const struct kernel *k, const struct site *sites,
                         const struct simt_launch *l, struct simt_counters *c)
{
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    memset(c, 0, sizeof *c);
    c->warps = (threads + WARP_LANES - 1) / WARP_LANES * l->grid.x * l->grid.y * l->grid.z;
    for (unsigned i = 0; i < k->site_count; i++) {
        lines_add_site(&k->sites[i], &sites[i], k->sites[i].count, c);
    }
}

void simt_kernel_lines(const struct simt_kernel *k,
                       void (*visit)(void *state, const struct simt_line *line), void *state)
{
    lines_visit(k->decoded, k->sites, visit, state);
}

/* Blocks that the GPU holds at once: those of a cooperative launch must all be among them. */
static uint32_t resident_blocks(const struct simt *s, const struct simt_launch *l)
{
    const struct gpu_limits *g = s->limits;
    uint32_t threads = l->block.x * l->block.y * l->block.z;
    uint32_t warps = (threads + WARP_LANES - 1) / WARP_LANES;
    uint32_t by_warps = g->max_warps_per_sm / (warps != 0 ? warps : 1);
    uint32_t per_sm = by_warps < g->max_blocks_per_sm ? by_warps : g->max_blocks_per_sm;
    return (per_sm != 0 ? per_sm : 1) * s->settings.sm_count;
}

/* A cooperative grid finds its barrier in a piece of device memory, zero when the grid starts. */
static void clear_workspace(struct simt *s)
{
    if (s->settings.workspace == 0) {
        const struct allocation *a = memory_alloc(s->memory, WORKSPACE_BYTES, MEMORY_DEVICE,
                                                  "the workspace of cooperative grids", NULL);
        s->settings.workspace = a != NULL ? a->begin : 0;
    }
    void *host = memory_host(s->memory, s->settings.workspace, WORKSPACE_BYTES);
    if (host != NULL) {
        memset(host, 0, WORKSPACE_BYTES);
    }
}

/* A copy of the kernel that tells what `wants` asks for; kept for the next launch. */
static const struct kernel *copy_for(struct observed_kernel **kept, const struct kernel *k,
                                     unsigned wants)
{
    if (*kept == NULL || observed_kernel_wants(*kept) != wants) {
        observed_kernel_free(*kept);
        *kept = observed_kernel_make(k, wants);
    }
    return *kept != NULL ? observed_kernel(*kept) : NULL;
}

/* The code that a launch runs: while somebody observes, a copy that tells; and one more for the
 * only block whose every step is told. false: out of memory. */
static bool choose_code(struct simt *s, struct simt_kernel *k, struct grid_settings *settings,
                        const struct kernel **code)
{
    struct observers *all = &s->observers;
    unsigned steps = 0;
    all->wants = 0;
    for (unsigned i = 0; i < all->count; i++) {
        const struct observer *o = all->list[i];
        bool one_block = o->wants & OBSERVE_STEPS && o->step_block != EVERY_BLOCK;
        all->wants |= one_block ? o->wants & ~(unsigned)OBSERVE_STEPS : o->wants;
        settings->step_block = one_block ? o->step_block : settings->step_block;
        steps |= one_block ? o->wants : 0;
    }
    settings->observers = all->count > 0 ? all : NULL;
    settings->step_kernel = NULL;
    if (steps != 0) {
        settings->step_kernel = copy_for(&k->stepped, k->decoded, all->wants | steps);
    }
    *code = all->wants != 0 ? copy_for(&k->observed, k->decoded, all->wants) : k->decoded;
    return *code != NULL && (steps == 0 || settings->step_kernel != NULL);
}

void simt_sample(struct simt *s, uint64_t budget)
{
    pthread_mutex_lock(&s->launch_lock);
    s->sample_budget = budget;
    pthread_mutex_unlock(&s->launch_lock);
}

void simt_last_sample(struct simt *s, struct simt_sample *out) { *out = s->sample; }

/* All blocks, or a sample of them. */
static bool run_blocks(struct simt *s, const struct kernel *code, const struct simt_launch *launch,
                       const struct grid_settings *settings, struct site *sites, struct err *e)
{
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    struct sample_result r = {blocks, blocks, true};
    unsigned line = 0;
    const char *whole = s->sample_budget > 0 ? sample_refusal(code, launch, &line) : NULL;
    bool good = s->sample_budget > 0 && whole == NULL
                    ? sample_run(s->pool, s, code, launch, settings, s->sample_budget, sites, &r, e)
                    : grid_run(s->pool, s, code, launch, settings, sites, e);
    s->sample = (struct simt_sample){r.blocks, r.executed, r.exact, whole, line};
    return good;
}

static bool run_grid(struct simt *s, const struct simt_launch *launch,
                     struct grid_settings *settings, struct err *e)
{
    struct simt_kernel *k = (struct simt_kernel *)(uintptr_t)launch->kernel;
    const struct kernel *code;
    struct launch_event event = {.kernel = k->decoded,
                                 .launch = launch,
                                 .memory = s->memory,
                                 .workers = grid_workers(s->pool),
                                 .grid_id = settings->grid_id};
    OBSERVE(&s->observers, launch_begin, &event);
    if (!choose_code(s, k, settings, &code)) {
        return err_set_code(e, SIMT_BAD_LAUNCH,
                            "the host has too little memory to observe a launch");
    }
    event.good = run_blocks(s, code, launch, settings, k->sites, e);
    event.executed = s->sample.executed;
    event.sites = k->sites;
    OBSERVE(&s->observers, launch_end, &event);
    return event.good;
}

bool simt_observe(struct simt *s, const struct observer *observer, struct err *e)
{
    pthread_mutex_lock(&s->launch_lock);
    struct observers *o = &s->observers;
    bool room = o->count < MAX_OBSERVERS;
    if (room) {
        o->list[o->count++] = observer;
        o->serial |= observer->serial;
    }
    pthread_mutex_unlock(&s->launch_lock);
    return room || err_set(e, "more than %u observers of one GPU", MAX_OBSERVERS);
}

bool simt_run(struct simt *s, const struct simt_launch *launch, struct simt_counters *counters,
              struct err *e)
{
    struct err own = {0};
    const struct kernel *k = launch->kernel->decoded;
    struct site *sites = launch->kernel->sites;
    memset(counters, 0, sizeof *counters);
    if (!check_launch(s, launch, &own)) {
        char name[200];
        demangle_signature(k->name, name, sizeof name);
        return err_set_code(e, own.code, "kernel %s: %s", name, own.text);
    }
    pthread_mutex_lock(&s->launch_lock); /* launches run one after the other */
    if (launch->cooperative) {
        clear_workspace(s);
    }
    struct grid_settings settings = s->settings;
    settings.workspace = launch->cooperative ? settings.workspace : 0;
    settings.resident = resident_blocks(s, launch);
    settings.grid_id = ++s->launches;
    memset(sites, 0, k->site_count * sizeof *sites);
    bool good = run_grid(s, launch, &settings, &own);
    sum_counters(k, sites, launch, counters);
    pthread_mutex_unlock(&s->launch_lock);
    return good || err_set_code(e, own.code, "%s", own.text);
}
