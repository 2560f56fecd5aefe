/* decode.c - layout of a kernel: its functions, parameters, shared and local variables, and how
 * deep its calls go. Operands are in decode_operand.c, basic blocks in decode_block.c, single
 * opcodes in decode_ops.c and its neighbours. */
#include "decode/decoder.h"
#include "base/room.h"

#include "base/demangle.h"
#include "base/launch.h"
#include "ptx/target.h"
#include "ptxas/passes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- functions ------------------------------------------------------------------------------- */

static void add_frame_params(struct decoder *d, const struct ptx_var *vars, unsigned count,
                             struct frame_param **out, unsigned *out_count)
{
    struct frame_param *params = arena_alloc(&d->k->arena, (count + 1) * sizeof *params);
    for (unsigned i = 0; i < count; i++) {
        params[i].bytes = (uint32_t)vars[i].bytes;
        params[i].offset = decode_frame_room(d, vars[i].bytes * WARP_LANES);
        decode_add_variable(
            d, vars[i].name,
            (struct variable){VARIABLE_FRAME_PARAM, params[i].offset, params[i].bytes});
    }
    *out = params;
    *out_count = count;
}

static void add_entry_params(struct decoder *d)
{
    struct kernel *k = d->k;
    k->params = arena_alloc(&k->arena, (d->f->param_count + 1) * sizeof *k->params);
    uint64_t offset = 0;
    for (unsigned i = 0; i < d->f->param_count; i++) {
        const struct ptx_var *p = &d->f->params[i];
        uint64_t bytes = p->bytes, align = p->align != 0 ? p->align : 1;
        offset = align_up(offset, align);
        k->params[i] = (struct kernel_param){(uint32_t)offset, (uint32_t)bytes};
        decode_add_variable(
            d, p->name, (struct variable){VARIABLE_ENTRY_PARAM, (uint32_t)offset, (uint32_t)bytes});
        offset += bytes;
    }
    k->param_count = d->f->param_count;
    k->param_bytes = (uint32_t)offset;
}

static void add_local_var(struct decoder *d, const struct ptx_var *v)
{
    uint64_t align = v->align != 0 ? v->align : 1;
    uint32_t offset = (uint32_t)align_up(d->kf->local_bytes, align);
    decode_add_variable(d, v->name, (struct variable){VARIABLE_LOCAL, offset, (uint32_t)v->bytes});
    d->kf->local_bytes = offset + (uint32_t)v->bytes;
}

static void add_function_names(struct decoder *d)
{
    const struct ptx_func *f = d->f;
    unsigned offset;
    for (unsigned i = 0; i < f->var_count; i++) {
        const struct ptx_var *v = &f->vars[i];
        struct frame_param *unused;
        unsigned one;
        if (v->space == PTX_LOCAL) {
            add_local_var(d, v);
        } else if (v->space == PTX_PARAM) {
            add_frame_params(d, v, 1, &unused, &one);
        } else if (v->space == PTX_SHARED && names_find(&d->shared, v->name, &offset)) {
            decode_add_variable(d, v->name,
                                (struct variable){VARIABLE_SHARED, offset, (uint32_t)v->bytes});
        } else {
            assert(v->space == PTX_SHARED); /* the parser rejects the others inside a function */
            decode_add_variable(d, v->name,
                                (struct variable){VARIABLE_SHARED, d->dynamic_shared, 0});
        }
    }
}

static bool has_reg_param(const struct ptx_var *vars, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (vars[i].space == PTX_REG) {
            return true;
        }
    }
    return false;
}

static bool decode_function(struct decoder *d, unsigned index)
{
    struct kernel_func *kf = d->k->funcs[index];
    d->f = kf->ptx;
    d->kf = kf;
    d->names = (struct names){.arena = &d->scratch};
    d->variable_count = 0;
    d->carry = d->spare = d->spare_high = d->halves = d->spare_address = d->spare_word = NO_REF;
    kf->entry_pc = d->k->code_count;
    if (has_reg_param(d->f->params, d->f->param_count) ||
        has_reg_param(d->f->returns, d->f->return_count)) {
        char kernel[200], function[200];
        demangle_signature(d->k->name, kernel, sizeof kernel);
        demangle_signature(d->f->name, function, sizeof function);
        return err_set_code(d->e, SIMT_NOT_SUPPORTED,
                            "kernel %s: function %s passes parameters in registers, which is not "
                            "supported",
                            kernel, function);
    }
    if (d->f->is_entry) {
        add_entry_params(d);
    } else {
        add_frame_params(d, d->f->params, d->f->param_count, &kf->params, &kf->param_count);
    }
    add_frame_params(d, d->f->returns, d->f->return_count, &kf->returns, &kf->return_count);
    add_function_names(d);
    d->ir = ir_build(&d->context, d->f);
    if (d->ir == NULL || !passes_run(d->ir, d->world->plain)) {
        return false;
    }
    kf->ir = d->ir;
    kf->registers = d->slots = arena_alloc(&d->k->arena, (d->ir->reg_count + 1) * sizeof *d->slots);
    memset(d->slots, 0xff, d->ir->reg_count * sizeof *d->slots); /* NO_REF */
    bool good = decode_blocks(d);
    decode_note_undefined(d);
    ir_finish(d->ir);
    return good;
}

/* --- the kernel ------------------------------------------------------------------------------ */

static void reach_function(struct decoder *d, unsigned index)
{
    struct kernel *k = d->k;
    if (d->func_of[index] != NO_REF || d->m->funcs[index].is_prototype) {
        return;
    }
    if (d->m->funcs[index].is_entry && k->func_count > 0) {
        return; /* a kernel that this one launches: it is never called */
    }
    struct kernel_func *kf = arena_alloc(&k->arena, sizeof *kf);
    kf->ptx = &d->m->funcs[index];
    kf->index = k->func_count;
    d->func_of[index] = k->func_count;
    k->funcs[k->func_count++] = kf;
}

static void reach_operand(struct decoder *d, const struct ptx_operand *o)
{
    unsigned index;
    for (unsigned i = 0; i < o->item_count; i++) {
        reach_operand(d, &o->items[i]);
    }
    if (o->kind == PTX_OPERAND_SYMBOL && names_find(&d->functions, o->name, &index)) {
        reach_function(d, index);
    }
}

/* Functions whose addresses stand in tables of the module, for calls through a register. */
static void reach_tables(struct decoder *d)
{
    unsigned index;
    for (unsigned i = 0; i < d->m->var_count; i++) {
        for (unsigned r = 0; r < d->m->vars[i].reloc_count; r++) {
            if (names_find(&d->functions, d->m->vars[i].relocs[r].symbol, &index)) {
                reach_function(d, index);
            }
        }
    }
}

static void find_functions(struct decoder *d, unsigned entry)
{
    unsigned count = d->m->func_count;
    d->func_of = arena_alloc(&d->k->arena, (count + 1) * sizeof *d->func_of);
    memset(d->func_of, 0xff, (count + 1) * sizeof *d->func_of);
    d->k->funcs = arena_alloc(&d->k->arena, (count + 1) * sizeof *d->k->funcs);
    d->k->func_of = d->func_of;
    d->k->module_func_count = count;
    reach_function(d, entry);
    for (unsigned i = 0; i < d->k->func_count; i++) {
        const struct ptx_func *f = d->k->funcs[i]->ptx;
        for (unsigned n = 0; n < f->insn_count; n++) {
            d->maps_cluster |= f->insns[n].op == PTX_OP_MAPA;
            d->may_part |= ir_may_part(&f->insns[n]);
            if (ir_is_indirect_call(&f->insns[n])) {
                reach_tables(d);
            }
            for (unsigned o = 0; o < f->insns[n].operand_count; o++) {
                reach_operand(d, &f->insns[n].operands[o]);
            }
        }
    }
}

static void add_shared(struct decoder *d, const char *name, uint32_t offset, uint32_t bytes)
{
    struct kernel *k = d->k;
    names_add(&d->shared, name, offset);
    k->shared_variables = arena_grow(&k->arena, k->shared_variables, k->shared_variable_count,
                                     &d->shared_capacity, sizeof *k->shared_variables);
    k->shared_variables[k->shared_variable_count++] = (struct shared_variable){name, offset, bytes};
}

static void place_shared(struct decoder *d, const struct ptx_var *v)
{
    unsigned known;
    if (v->space != PTX_SHARED || names_find(&d->shared, v->name, &known)) {
        return;
    }
    uint64_t align = v->align != 0 ? v->align : 1;
    d->k->shared_align = align > d->k->shared_align ? (uint32_t)align : d->k->shared_align;
    if (v->is_extern || v->bytes == 0) {
        return; /* dynamic: behind all others */
    }
    uint32_t offset = (uint32_t)align_up(d->k->static_shared_bytes, align);
    add_shared(d, v->name, offset, (uint32_t)v->bytes);
    d->k->static_shared_bytes = offset + (uint32_t)v->bytes;
}

static void mention(struct names *mentioned, const struct ptx_operand *o)
{
    for (unsigned i = 0; i < o->item_count; i++) {
        mention(mentioned, &o->items[i]);
    }
    if (o->name != NULL && o->reg == PTX_NO_REG) {
        names_add(mentioned, o->name, 1);
    }
}

/* Every name in the kernel's code that is no register's. */
static void find_mentioned(const struct kernel *k, struct names *mentioned)
{
    for (unsigned i = 0; i < k->func_count; i++) {
        const struct ptx_func *f = k->funcs[i]->ptx;
        for (unsigned n = 0; n < f->insn_count; n++) {
            for (unsigned o = 0; o < f->insns[n].operand_count; o++) {
                mention(mentioned, &f->insns[n].operands[o]);
            }
        }
    }
}

/* Static shared memory: variables of the functions, and of the module where they are used.
 * Dynamic arrays that are used all start behind it. */
static void lay_out_shared(struct decoder *d)
{
    struct names mentioned = {.arena = &d->scratch};
    unsigned one;
    d->shared = (struct names){.arena = &d->scratch};
    if (d->m->var_count > 0) {
        find_mentioned(d->k, &mentioned);
    }
    for (unsigned i = 0; i < d->k->func_count; i++) {
        for (unsigned v = 0; v < d->k->funcs[i]->ptx->var_count; v++) {
            place_shared(d, &d->k->funcs[i]->ptx->vars[v]);
        }
    }
    for (unsigned i = 0; i < d->m->var_count; i++) {
        if (d->m->vars[i].space == PTX_SHARED && names_find(&mentioned, d->m->vars[i].name, &one)) {
            place_shared(d, &d->m->vars[i]);
        }
    }
    uint64_t align = d->k->shared_align > 16 ? d->k->shared_align : 16;
    d->dynamic_shared = (uint32_t)align_up(d->k->static_shared_bytes, align);
    for (unsigned i = 0; i < d->m->var_count; i++) {
        const struct ptx_var *v = &d->m->vars[i];
        if (v->space == PTX_SHARED && (v->is_extern || v->bytes == 0) &&
            names_find(&mentioned, v->name, &one)) {
            add_shared(d, v->name, d->dynamic_shared, 0);
        }
    }
    d->k->dynamic_shared_offset = d->dynamic_shared;
}

/* Bytes of frames and of local memory on the deepest chain of calls from function f. */
static bool measure_calls(struct kernel *k, unsigned f, unsigned *state, uint64_t *frames,
                          uint64_t *locals)
{
    enum { ACTIVE = 1, DONE = 2 };
    if (state[f] == ACTIVE) {
        return false; /* recursion */
    }
    if (state[f] == DONE) {
        return true;
    }
    state[f] = ACTIVE;
    uint64_t deepest_frame = 0, deepest_local = 0;
    for (unsigned i = 0; i < k->call_count; i++) {
        const struct call_site *c = &k->calls[i];
        if (c->caller != f || c->native != NO_REF) {
            continue;
        }
        if (c->callee == NULL) {
            return false; /* through a register: the depth is not known */
        }
        unsigned callee = c->callee->index;
        if (!measure_calls(k, callee, state, frames, locals)) {
            return false;
        }
        deepest_frame = frames[callee] > deepest_frame ? frames[callee] : deepest_frame;
        deepest_local = locals[callee] > deepest_local ? locals[callee] : deepest_local;
    }
    frames[f] = k->funcs[f]->frame_bytes + deepest_frame;
    locals[f] = align_up(k->funcs[f]->local_bytes, LOCAL_ALIGNMENT) + deepest_local;
    state[f] = DONE;
    return true;
}

static bool measure_stack(struct decoder *d)
{
    struct kernel *k = d->k;
    unsigned *state = arena_alloc(&d->scratch, k->func_count * sizeof *state);
    uint64_t *frames = arena_alloc(&d->scratch, k->func_count * sizeof *frames);
    uint64_t *locals = arena_alloc(&d->scratch, k->func_count * sizeof *locals);
    k->recursive = !measure_calls(k, 0, state, frames, locals);
    for (unsigned i = 0; i < k->func_count; i++) { /* all: a recursive one may call any of them */
        if (!decode_stack_fits(d, k->funcs[i]->frame_bytes, k->funcs[i]->local_bytes)) {
            return false;
        }
    }
    k->stack_bytes = (uint32_t)frames[0];
    k->local_bytes = (uint32_t)locals[0];
    return decode_stack_fits(d, frames[0], locals[0]);
}

/* Arrays that have grown in scratch move to the kernel; at least one element, so never NULL. */
static void *settle(struct kernel *k, const void *array, unsigned count, size_t size)
{
    void *settled = arena_alloc(&k->arena, (count + 1) * size);
    if (count > 0) {
        memcpy(settled, array, count * size);
    }
    return settled;
}

/* Sites with patterns come first; the others follow. */
static void finish(struct decoder *d)
{
    struct kernel *k = d->k;
    k->pattern_count = k->site_count;
    k->site_count += d->plain_count;
    struct site_info *sites = arena_alloc(&k->arena, (k->site_count + 1) * sizeof *sites);
    if (k->pattern_count > 0) {
        memcpy(sites, k->sites, k->pattern_count * sizeof *sites);
    }
    memcpy(sites + k->pattern_count, d->plain_sites, d->plain_count * sizeof *sites);
    k->sites = sites;
    k->code = settle(k, k->code, k->code_count, sizeof *k->code);
    k->origin = settle(k, k->origin, k->code_count, sizeof(struct ptx_insn *));
    k->source = settle(k, k->source, k->code_count, sizeof *k->source);
    k->handlers = settle(k, k->handlers, k->code_count, sizeof(struct handler *));
    k->calls = settle(k, k->calls, k->call_count, sizeof *k->calls);
    k->tables = settle(k, k->tables, k->table_count, sizeof *k->tables);
    k->matrices = settle(k, k->matrices, k->matrix_count, sizeof *k->matrices);
    for (unsigned i = 0; i < k->code_count; i++) {
        if (k->code[i].site & PLAIN_SITE) {
            k->code[i].site = (k->code[i].site & ~PLAIN_SITE) + k->pattern_count;
        }
    }
}

/* Registers of a thread as a GPU would count them, from what is live at once in the entry; ptxas
 * keeps two more for itself, and rounds nothing below 8. 8 bits name one, and R255 is zero. */
static unsigned estimate_registers(const struct kernel *k)
{
    enum { OF_PTXAS = 2, FEWEST = 8, MOST = 255 };
    unsigned registers = k->funcs[0]->ir->registers + OF_PTXAS;
    return registers > MOST ? MOST : registers < FEWEST ? FEWEST : registers;
}

static bool address_of_variable(void *state, const char *name, uint64_t *address)
{
    return decode_symbol_address(state, name, address);
}

static bool decode_all(struct decoder *d, unsigned entry)
{
    find_functions(d, entry);
    if (!decode_sizes_fit(d)) {
        return false;
    }
    lay_out_shared(d);
    for (unsigned i = 0; i < d->k->func_count; i++) {
        if (!decode_function(d, i)) {
            return false;
        }
    }
    if (!measure_stack(d)) {
        return false;
    }
    finish(d);
    d->k->max_registers = estimate_registers(d->k);
    return true;
}

struct kernel *decode_kernel(const struct ptx_module *m, const char *name,
                             const struct decode_world *world, struct err *e)
{
    struct decoder d = {
        .m = m, .world = world, .e = e, .target = ptx_target_on(m->target, world->gpu)};
    unsigned entry;
    d.functions.arena = &d.scratch;
    for (unsigned i = 0; i < m->func_count; i++) {
        unsigned known; /* a prototype must not hide the definition */
        if (!m->funcs[i].is_prototype || !names_find(&d.functions, m->funcs[i].name, &known)) {
            names_add(&d.functions, m->funcs[i].name, i);
        }
    }
    if (!names_find(&d.functions, name, &entry) || !m->funcs[entry].is_entry ||
        m->funcs[entry].is_prototype) {
        err_set_code(e, SIMT_NOT_FOUND, "%s has no kernel %s", m->name, name);
        arena_free(&d.scratch);
        return NULL;
    }
    struct kernel *k = room_new(1, sizeof *k);
    static _Atomic uint64_t kernels;
    d.k = k;
    k->serial = ++kernels;
    d.context = (struct ir_context){.module = m,
                                    .kernel = name,
                                    .e = e,
                                    .keep = &k->arena,
                                    .scratch = &d.scratch,
                                    .address = address_of_variable,
                                    .state = &d};
    k->module = m;
    k->ptx = &m->funcs[entry];
    k->name = k->ptx->name;
    bool good = decode_all(&d, entry);
    arena_free(&d.scratch);
    if (!good) {
        kernel_free(k);
        return NULL;
    }
    return k;
}

const struct ptx_insn *kernel_block_insn(const struct kernel *k, uint32_t pc, uint32_t i)
{
    const struct code_source first = k->source[pc];
    return k->funcs[first.func]->ir->insns[first.insn + i].text;
}

void kernel_free(struct kernel *k)
{
    if (k != NULL) {
        arena_free(&k->arena);
        free(k);
    }
}
