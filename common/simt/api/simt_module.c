/* simt_module.c - modules of a simulated GPU: their variables in device memory, their kernels,
 * decoded when they are asked for. */
#include "api/simt_state.h"
#include "base/room.h"

#include "decode/decode.h"
#include "exec/exec.h"
#include "exec/exec_native.h"
#include "ptx/link.h"
#include "ptx/parse.h"
#include "ptx/target.h"
#include "ptx/valid.h"

#include "common/gpu/gpu_limits.h"

#include <stdlib.h>
#include <string.h>

/* The address of a function that is only declared (clang copies host tables of constants to the
 * device, host functions and all) is the one that no call may have, 0. */
static bool find_function(const struct ptx_module *m, const char *name, uint64_t *address)
{
    bool found = false;
    for (unsigned i = 0; i < m->func_count; i++) {
        if (strcmp(m->funcs[i].name, name) == 0) {
            *address = !m->funcs[i].is_prototype ? function_address(i) : found ? *address : 0;
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
    m->addresses = room_new(ptx->var_count + 1u, sizeof *m->addresses);
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

/* All texts, and what they are linked to; NULL: *e. */
static struct ptx_module *read_texts(const struct simt_text *texts, unsigned count, struct err *e)
{
    struct ptx_module **read = room_new(count, sizeof(struct ptx_module *));
    struct ptx_module *all = NULL;
    unsigned files = 0, good = 0;
    for (; good < count; good++) {
        const struct simt_text *t = &texts[good];
        read[good] = parse_module_from(t->text, t->length, t->name, files, e);
        if (read[good] == NULL) {
            break;
        }
        files = read[good]->file_count > files ? read[good]->file_count : files;
    }
    if (good == count) {
        all = count == 1 ? read[0] : ptx_link(read, count, e);
    } else {
        while (good > 0) {
            ptx_module_free(read[--good]);
        }
    }
    free(read);
    return all;
}

/* 90: the GPU's compute capability is 9.0. */
static unsigned capability(const struct simt *s)
{
    return 10 * s->limits->major + s->limits->minor;
}

static bool runs_here(const struct simt_module *m, struct err *e)
{
    const struct ptx_target t = m->ptx->target;
    const struct gpu_limits *gpu = m->simt->limits;
    const char suffix[2] = {t.suffix, '\0'};
    const unsigned here = capability(m->simt), most = here < 90 ? here : 90;
    const unsigned arch = most > PTX_OLDEST_CHECKED ? most : PTX_OLDEST_CHECKED; /* simtcc has it */
    return ptx_target_runs_on(t, here) ||
           err_set_code(
               e, SIMT_NO_IMAGE,
               "%s: PTX for sm_%u%s does not run on %s, of compute capability %u.%u: compile "
               "with -arch=sm_%u, or without -arch",
               m->ptx->name, t.arch, suffix, gpu->name, gpu->major, gpu->minor, arch);
}

struct simt_module *simt_module_link(struct simt *s, const struct simt_text *texts, unsigned count,
                                     struct err *e)
{
    struct simt_module *m = room_new(1, sizeof *m);
    m->simt = s;
    pthread_mutex_init(&m->lock, NULL);
    m->ptx = read_texts(texts, count, e);
    m->next = s->modules;
    s->modules = m;
    if (m->ptx == NULL) {
        if (e != NULL && e->code == 0) {
            e->code = SIMT_BAD_PTX;
        }
    } else if (runs_here(m, e) && place_variables(m, e)) {
        return m;
    }
    simt_module_unload(m);
    return NULL;
}

struct simt_module *simt_module_load(struct simt *s, const char *text, size_t length,
                                     const char *name, struct err *e)
{
    return simt_module_link(s, &(struct simt_text){text, length, name}, 1, e);
}

static bool is_native(const char *name) { return native_find(name) != NO_REF; }

bool simt_module_is_valid(const struct simt_module *m, struct err *e)
{
    return ptx_is_valid(m->ptx, is_native, e);
}

static void free_copies(struct observed_copies *c)
{
    observed_kernel_free(c->all);
    observed_kernel_free(c->stepped);
    for (unsigned i = 0; i < c->own_count; i++) {
        observed_kernel_free(c->own[i]);
    }
    free(c->own);
    free(c);
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
        free_copies(m->kernels->observed);
        translation_free(m->kernels->translation);
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

static bool looks_for_news(const struct ptx_insn *i)
{
    static const int strong[] = {WORD_VOLATILE, WORD_RELAXED, WORD_ACQUIRE,
                                 WORD_MMIO,     WORD_CV,      WORD_CG};
    if (i == NULL || ptx_has_modifier(i, WORD_SHARED)) {
        return false;
    }
    bool found = i->op == PTX_OP_ATOM;
    for (unsigned k = 0; k < ARRAY_LENGTH(strong) && !found && i->op == PTX_OP_LD; k++) {
        found = ptx_has_modifier(i, strong[k]);
    }
    return found;
}

static bool may_wait(const struct kernel *k)
{
    bool looks = false, loops = false;
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct ptx_insn *i = k->origin[pc];
        looks |= looks_for_news(i);
        loops |= i != NULL && i->op == PTX_OP_BRA && k->code[pc].offset >= 0 &&
                 k->code[pc].offset <= (int64_t)pc;
    }
    return looks && loops;
}

bool simt_kernel_may_wait(const struct simt_kernel *k) { return k->may_wait; }

static struct simt_kernel *decode(struct simt_module *m, const char *name, struct err *e)
{
    struct decode_world world = {.state = m,
                                 .variable = find_variable,
                                 .handler = exec_find,
                                 .guarded = exec_guarded,
                                 .gpu = capability(m->simt),
                                 .plain = m->simt->plain_passes,
                                 .find_native = native_find,
                                 .param_bytes_of = native_param_bytes,
                                 .result_bytes_of = native_result_bytes};
    struct kernel *decoded = decode_kernel(m->ptx, name, &world, e);
    if (decoded == NULL) {
        return NULL;
    }
    struct simt_kernel *k = room_new(1, sizeof *k);
    k->decoded = decoded;
    k->observed = room_new(1, sizeof *k->observed);
    k->may_wait = may_wait(decoded);
    k->simt = m->simt;
    k->translation = translation_new(decoded, m->simt->translate);
    k->sites = room_new(decoded->site_count + 1u, sizeof *k->sites);
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

const char *simt_kernel_function(const struct simt_kernel *k, uint64_t address)
{
    const struct ptx_module *m = k->decoded->module;
    const unsigned number = function_number(address, m->func_count);
    const bool is_kernel =
        number != NO_REF && m->funcs[number].is_entry && !m->funcs[number].is_prototype;
    return is_kernel ? m->funcs[number].name : NULL;
}

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

void simt_kernel_set_registers(const struct simt_kernel *k, unsigned registers)
{
    k->decoded->max_registers = registers;
    k->decoded->exact_registers = true;
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
    *out = (struct simt_kernel_attributes){
        .static_shared_bytes = d->static_shared_bytes,
        .const_bytes = constant_bytes(d->module),
        .local_bytes = d->local_bytes,
        .max_threads_per_block = threads,
        .cluster = {d->ptx->cluster[0], d->ptx->cluster[1], d->ptx->cluster[2]},
        .registers = d->max_registers,
        .exact_registers = d->exact_registers};
}
